-- The leaky bucket. Its state is the time at which it is empty, `whole + part / count`
-- microseconds: each unit adds `period / count`, whose whole and part the client has computed. So
-- there are only sums and comparisons here, and they are exact for every quota.

--# read
local count, pour_whole, pour_part, most_whole, most_part = struct.unpack('>ddddd', numbers)

local counted, newest = now, nil
-- The level, as the time that it takes to leak out.
local level, level_part = 0, 0
local state = call('GET', key)
if state then
    local whole, part, parts
    whole, part, parts, newest = struct.unpack('>dddd', state)
    counted = math.max(now, newest)
    if whole >= counted then
        level, level_part = whole - counted, part
        if parts ~= count and part > 0 then
            -- The parts are of another quota and have another size. Rounded up, towards denial.
            level, level_part = level + 1, 0
        end
    end
end
local fits, poured, poured_part

--# fit
poured, poured_part = level + pour_whole, level_part + pour_part
if poured_part >= count then
    poured, poured_part = poured + 1, poured_part - count
end
fits = n == 0 or poured < most_whole or poured == most_whole and poured_part <= most_part

--# take
level, level_part = math.min(poured, MOST), poured_part

--# state
struct.pack('>ddd', counted, level, level_part)

--# store
local empty = counted + level
call('SET', key, struct.pack('>dddd', empty, level_part, count, counted),
    'PXAT', expiry(level_part > 0 and empty + 1 or empty))

--# refund
level, level_part = level - pour_whole, level_part - pour_part
if level_part < 0 then
    level, level_part = level - 1, level_part + count
end
if level < 0 or level + level_part == 0 then
    call('DEL', key)
else
    local empty = counted + level
    call('SET', key, struct.pack('>dddd', empty, level_part, count, newest),
        'PXAT', expiry(level_part > 0 and empty + 1 or empty))
end
