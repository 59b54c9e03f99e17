
-- A counter that restarts at every multiple of the period: "used:newest".
limiters.fixed_window = function(key)
    local period, limit = argument(), argument()
    local used, newest = read(key)
    used, newest = used or 0, newest or 0
    local counted = math.max(now, newest)
    local start = counted - counted % period
    if start > newest then
        used = 0
    end

    local rule = { fits = n == 0 or used + n <= limit }

    local function write_used(time)
        write(key, { used, time })
        -- A period longer than the units count, so that a clock that steps back a little does not begin
        -- the window anew.
        expire(key, start + 2 * period)
    end

    function rule.take()
        used = math.min(used + n, MOST)
    end

    function rule.state()
        return { counted, used }
    end

    function rule.store()
        write_used(counted)
    end

    function rule.refund()
        local refunded = math.min(n, used)
        if refunded > 0 then
            used = used - refunded
            write_used(newest)
        end
    end

    return rule
end
