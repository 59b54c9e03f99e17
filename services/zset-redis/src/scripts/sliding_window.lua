-- The exact log: a sorted set of entries by time, one for all units of a microsecond.
--
-- An entry is its time, the count of all units up to and with it, modulo 2^52, and its units if it
-- has more than one. So the units between two entries are a subtraction, no call reads all entries,
-- and none reads scores, which the server would write as text.

--# read
local period, limit, burst, next_number = struct.unpack('>ddd', numbers)
-- For how long entries are kept: the limiter's period, if that of the call is shorter.
local horizon = next_number <= #numbers and struct.unpack('>d', numbers, next_number) or period

-- Returns the time, the total, the units and the member of an entry, or nothing if there is none.
local function parse(found)
    local member = found[1]
    if member then
        local time, total, rest = struct.unpack('>dd', member)
        return time, total, rest <= #member and struct.unpack('>d', member, rest) or 1, member
    end
end

local function entry(rank)
    return parse(call('ZRANGE', key, rank, rank))
end

local function add(time, total, units)
    local member = struct.pack('>dd', time, total)
    if units > 1 then
        member = member .. struct.pack('>d', units)
    end
    call('ZADD', key, time, member)
end

local counted, used = now, 0
-- The window is half-open: an entry of this time has just left it.
local left
local last_time, last_total, last_units, last_member = entry(-1)
-- The oldest entry in the window, whether older ones are on record, and whether some of those are
-- no longer needed.
local first_time, first_total, first_units
local is_any_over, is_any_old = false, false
if last_time then
    counted = math.max(now, last_time)
    left = counted - period
    first_time, first_total, first_units = entry(0)
    is_any_over = first_time <= left
    is_any_old = first_time <= counted - horizon
    if is_any_over then
        first_time, first_total, first_units = parse(call(
            'ZRANGEBYSCORE', key, string.format('(%.0f', left), '+inf', 'LIMIT', 0, 1))
    end
    if first_time then
        used = (last_total - first_total) % (MOST + 1) + first_units
    end
end
local fits
local taken = 0

-- Returns the time of the entry after which at most `rest` units come, or -1 if there are no more
-- in the window anyway. When that entry leaves the window, `rest` units are left.
local function leaves(rest)
    if used <= rest then
        return -1
    elseif used - first_units <= rest then
        return first_time
    elseif rest == 0 then
        return last_time
    end
    local lowest = is_any_over and call('ZCOUNT', key, '-inf', left) or 0
    local highest = call('ZCARD', key) - 1
    -- An entry has at least one unit, which bounds the rank from both sides. Where each has one,
    -- the bounds meet.
    local low = math.max(lowest, highest - rest)
    local high = math.min(highest, lowest + used - first_units - rest)
    while low < high do
        local middle = math.floor((low + high) / 2)
        local _, total = entry(middle)
        if (last_total - total) % (MOST + 1) <= rest then
            high = middle
        else
            low = middle + 1
        end
    end
    return (entry(low))
end

-- Returns the time of the entry after which `units` more fit, as `leaves` does. What was taken is
-- not yet in the log.
local function fits_after(units)
    local rest = limit - taken - units
    return rest < 0 and counted or leaves(rest)
end

--# fit
fits = n == 0 or used + taken + n <= limit

--# take
taken = taken + math.min(n, MOST - used - taken)

--# state
struct.pack('>dddd',
    counted,
    used + taken,
    -- Only a denial needs it.
    fits and -1 or fits_after(n),
    fits_after(burst))

--# store
if is_any_old and last_time > counted - horizon then
    call('ZREMRANGEBYSCORE', key, '-inf', counted - horizon)
elseif is_any_old then
    -- All of them. The server frees a long log in the background.
    call('UNLINK', key)
end
local units = taken
if last_time == counted then
    call('ZREM', key, last_member)
    units = units + last_units
end
add(counted, ((last_total or 0) + taken) % (MOST + 1), units)
call('PEXPIREAT', key, expiry(counted + horizon))

--# refund
local missing = math.min(n, used)
while missing > 0 do
    local time, total, units, member = entry(-1)
    local refunded = math.min(missing, units)
    if refunded < units then
        -- Before the removal: a set without members would lose its time to expire.
        add(time, (total - refunded) % (MOST + 1), units - refunded)
    end
    call('ZREM', key, member)
    missing = missing - refunded
end
