
-- The leaky bucket. Its state is the time at which it is empty, `whole + part / count` microseconds: each
-- unit adds `period / count`, whose whole and part the client has computed. So there are only sums and
-- comparisons here, and they are exact for every quota.
limiters.funnel = function(key)
    local count = argument()
    local pour_whole, pour_part = argument(), argument()
    local most_whole, most_part = argument(), argument()

    local whole, part, parts, newest = read(key)
    local counted = math.max(now, newest or 0)
    -- The level, as the time that it takes to leak out.
    local level, level_part = 0, 0
    if whole and whole >= counted then
        level, level_part = whole - counted, part
        if parts ~= count and part > 0 then
            -- The state is of another quota, whose parts have another size: towards denial.
            level, level_part = level + 1, 0
        end
    end

    local function pour()
        local poured, poured_part = level + pour_whole, level_part + pour_part
        if poured_part >= count then
            poured, poured_part = poured + 1, poured_part - count
        end
        return poured, poured_part
    end

    local poured, poured_part = pour()
    local rule = {
        fits = n == 0 or poured < most_whole
            or poured == most_whole and poured_part <= most_part,
    }

    function rule.take()
        level, level_part = math.min(poured, MOST), poured_part
    end

    function rule.state()
        return { counted, level, level_part }
    end

    local function write_level(time)
        write(key, { counted + level, level_part, count, time })
        expire(key, counted + level + (level_part > 0 and 1 or 0))
    end

    function rule.store()
        write_level(counted)
    end

    function rule.refund()
        level, level_part = level - pour_whole, level_part - pour_part
        if level_part < 0 then
            level, level_part = level - 1, level_part + count
        end
        if level < 0 or level + level_part == 0 then
            redis.call('DEL', key)
        else
            write_level(newest)
        end
    end

    return rule
end
