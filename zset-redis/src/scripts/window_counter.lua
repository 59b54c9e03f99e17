
-- Returns a product of two numbers below 2^52 in three limbs of 26 bits, the highest first.
local function product(a, b)
    local limb = 2 ^ 26
    local a0, b0 = a % limb, b % limb
    local a1, b1 = (a - a0) / limb, (b - b0) / limb
    local low = a0 * b0
    local middle = a1 * b0 + a0 * b1 + math.floor(low / limb)
    return a1 * b1 + math.floor(middle / limb), middle % limb, low % limb
end

local function is_at_most(a, b, c, d)
    local a2, a1, a0 = product(a, b)
    local c2, c1, c0 = product(c, d)
    if a2 ~= c2 then
        return a2 < c2
    elseif a1 ~= c1 then
        return a1 < c1
    end
    return a0 <= c0
end

-- Two counters, of the current window and of the one before: "previous:current:newest".
limiters.window_counter = function(key)
    local period, limit = argument(), argument()
    local previous, current, newest = read(key)
    previous, current, newest = previous or 0, current or 0, newest or 0
    local counted = math.max(now, newest)
    local start = counted - counted % period
    local windows = (start - (newest - newest % period)) / period
    if windows > 0 then
        previous, current = windows == 1 and current or 0, 0
    end

    -- The previous window counts by the part of it that is not over: previous * rest / period.
    local rest = start + period - counted
    local room = limit - current - n
    local rule = { fits = n == 0 or room >= 0 and is_at_most(previous, rest, room, period) }

    local function write_counts(time)
        write(key, { previous, current, time })
        expire(key, start + 2 * period)
    end

    function rule.take()
        current = math.min(current + n, MOST)
    end

    function rule.state()
        return { counted, previous, current }
    end

    function rule.store()
        write_counts(counted)
    end

    function rule.refund()
        local of_current = math.min(n, current)
        local of_previous = math.min(n - of_current, previous)
        if of_current + of_previous > 0 then
            previous, current = previous - of_previous, current - of_current
            -- The counts are those of the window of `counted`.
            write_counts(math.max(newest, start))
        end
    end

    return rule
end
