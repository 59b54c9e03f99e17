
-- The exact log: a sorted set of entries by time, one for all units of a microsecond.
--
-- An entry is "total:units", where `total` counts all units up to and with the entry, modulo 2^52. So the
-- units between two entries are a subtraction, and no call reads all entries.
limiters.sliding_window = function(key)
    local period, limit, burst = argument(), argument(), argument()

    local function parse(found)
        if not found[1] then
            return nil
        end
        local total, units = string.match(found[1], '(%d+):(%d+)')
        return {
            member = found[1],
            time = tonumber(found[2]),
            total = tonumber(total),
            units = tonumber(units),
        }
    end

    local function entry(rank)
        return parse(redis.call('ZRANGE', key, rank, rank, 'WITHSCORES'))
    end

    local function add(time, total, units)
        redis.call('ZADD', key, time, string.format('%.0f:%.0f', total, units))
    end

    local last = entry(-1)
    local counted = last and math.max(now, last.time) or now
    -- The window is half-open: an entry of this time has just left it.
    local left = string.format('%.0f', counted - period)
    local first = last and parse(redis.call(
        'ZRANGEBYSCORE', key, '(' .. left, '+inf', 'WITHSCORES', 'LIMIT', 0, 1))

    -- The units after an entry.
    local function after(entry)
        return (last.total - entry.total) % (MOST + 1)
    end

    local used = first and after(first) + first.units or 0
    local taken = 0

    -- Returns the time of the entry after which at most `rest` units come, or -1 if there are no more in
    -- the window anyway. When that entry leaves the window, `rest` units are left.
    local function leaves(rest)
        if used <= rest then
            return -1
        end
        local lowest = redis.call('ZCOUNT', key, '-inf', left)
        local highest = redis.call('ZCARD', key) - 1
        -- An entry has at least one unit, which bounds the rank from both sides. Where each has one, the
        -- bounds meet.
        local low = math.max(lowest, highest - rest)
        local high = math.min(highest, lowest + math.max(0, after(first) - rest))
        while low < high do
            local middle = math.floor((low + high) / 2)
            if after(entry(middle)) <= rest then
                high = middle
            else
                low = middle + 1
            end
        end
        return entry(low).time
    end

    local rule = { fits = n == 0 or used + n <= limit }

    function rule.take()
        taken = math.min(n, MOST - used)
    end

    function rule.state()
        local rest = limit - burst - taken
        return {
            counted,
            used + taken,
            -- Only a denial needs it.
            (taken > 0 or n == 0 or n > limit) and -1 or leaves(limit - n),
            rest < 0 and counted or leaves(rest),
        }
    end

    function rule.store()
        local total, units = (last and last.total or 0) + taken, taken
        redis.call('ZREMRANGEBYSCORE', key, '-inf', left)
        if last and last.time == counted then
            redis.call('ZREM', key, last.member)
            units = units + last.units
        end
        add(counted, total % (MOST + 1), units)
        expire(key, counted + period)
    end

    function rule.refund()
        local missing = math.min(n, used)
        while missing > 0 do
            local newest = entry(-1)
            local refunded = math.min(missing, newest.units)
            if refunded < newest.units then
                -- Before the removal: a set without members would lose its time to expire.
                local total = (newest.total - refunded) % (MOST + 1)
                add(newest.time, total, newest.units - refunded)
            end
            redis.call('ZREM', key, newest.member)
            missing = missing - refunded
        end
    end

    return rule
end
