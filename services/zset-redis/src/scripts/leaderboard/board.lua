-- The beginning of each script of boards.
--
-- KEYS[1]   the members, by their negated scores: rank 0 is the highest score, and members with equal
--           scores are in ascending order, as in zset-std
-- KEYS[2]   the distinct scores, negated as well, if the board has that index
--
-- Scores stay texts, as the server prints them: it reads back the same number from them.

local SCORES, DISTINCT = KEYS[1], KEYS[2]

local function has_index()
    return redis.call('EXISTS', DISTINCT) == 1
end

-- Calls `visit` for each distinct score, the best first, until it returns true. A command reads a
-- few members, and the next one skips the rest of those with the last score.
local function each_distinct(visit)
    local last, entries
    repeat
        entries = redis.call(
            'ZRANGEBYSCORE', SCORES, last and '(' .. last or '-inf', '+inf', 'WITHSCORES',
            'LIMIT', 0, 16
        )
        for i = 2, #entries, 2 do
            if entries[i] ~= last then
                last = entries[i]
                if visit(last) then
                    return
                end
            end
        end
    until #entries == 0
end

-- Adds a score to the index. Another version of the server may have printed it as another text.
local function add_distinct(score)
    if redis.call('ZCOUNT', DISTINCT, score, score) == 0 then
        redis.call('ZADD', DISTINCT, score, score)
    end
end

-- Removes a score from the index if no member has it.
local function remove_distinct(score)
    if redis.call('ZCOUNT', SCORES, score, score) == 0 then
        redis.call('ZREMRANGEBYSCORE', DISTINCT, score, score)
    end
end

-- Returns the number of distinct scores above one.
local function distinct_above(score)
    if has_index() then
        return redis.call('ZCOUNT', DISTINCT, '-inf', '(' .. score)
    end
    local above, limit = 0, tonumber(score)
    each_distinct(function(other)
        if tonumber(other) >= limit then
            return true
        end
        above = above + 1
    end)
    return above
end

-- Returns the number of a member at `rank`.
local function number(score, rank, ties)
    if ties == 'ordinal' then
        return rank + 1
    elseif ties == 'competition' then
        return redis.call('ZCOUNT', SCORES, '-inf', '(' .. score) + 1
    end
    return distinct_above(score) + 1
end

-- Returns the first rank, the number of its member, and members with scores.
local function lines(start, stop, ties)
    local range = { string.format('%.0f', start), string.format('%.0f', stop) }
    local entries = redis.call('ZRANGE', SCORES, range[1], range[2], 'WITHSCORES')
    local first = #entries > 0 and number(entries[2], start, ties) or 0
    return { start, first, entries }
end
