
-- Submits a score.
--
-- ARGV      policy, member, score, the most members or '', and 1 if the board is to have an index
local policy, member, score, max_len, wants_index = unpack(ARGV)

local old = redis.call('ZSCORE', SCORES, member)
if old and policy == 'sum' then
    local sum = tonumber(old) + tonumber(score)
    if sum ~= sum then
        return 'NaN'
    end
    redis.call('ZINCRBY', SCORES, score, member)
elseif not old or policy == 'latest' or tonumber(score) < tonumber(old) then
    redis.call('ZADD', SCORES, score, member)
end
local new = redis.call('ZSCORE', SCORES, member)

local dropped = {}
if not old and max_len ~= '' and redis.call('ZCARD', SCORES) > tonumber(max_len) then
    dropped = redis.call('ZRANGE', SCORES, -1, -1, 'WITHSCORES')
    redis.call('ZREM', SCORES, dropped[1])
    if dropped[1] == member then
        new = false
    end
end

if has_index() then
    if new then
        add_distinct(new)
    end
    if old and old ~= new then
        remove_distinct(old)
    end
    if dropped[2] then
        remove_distinct(dropped[2])
    end
elseif wants_index == '1' then
    each_distinct(function(score)
        redis.call('ZADD', DISTINCT, score, score)
    end)
end
return { old, new, dropped[1] or false, dropped[2] or false }
