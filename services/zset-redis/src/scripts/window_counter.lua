-- Two counters, of the current window and of the one before. Its state is both, and the latest
-- time.

--# read
local period, limit = struct.unpack('>dd', numbers)
local previous, current, newest = 0, 0, 0
local state = call('GET', key)
if state then
    previous, current, newest = struct.unpack('>ddd', state)
end
local counted = math.max(now, newest)
local start = counted - counted % period
local windows = (start - (newest - newest % period)) / period
if windows > 0 then
    previous, current = windows == 1 and current or 0, 0
end

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

-- The previous window counts by the part of it that is not over: previous * rest / period.
local rest = start + period - counted
local unused_from = start + 2 * period
local fits

--# fit
local room = limit - current - n
fits = n == 0 or room >= 0 and is_at_most(previous, rest, room, period)

--# take
current = math.min(current + n, MOST)

--# state
struct.pack('>ddd', counted, previous, current)

--# store
call('SET', key, struct.pack('>ddd', previous, current, counted), 'PXAT', expiry(unused_from))

--# refund
local of_current = math.min(n, current)
local of_previous = math.min(n - of_current, previous)
if of_current + of_previous > 0 then
    -- The counts are those of the window of `counted`.
    local state = struct.pack(
        '>ddd', previous - of_previous, current - of_current, math.max(newest, start))
    call('SET', key, state, 'PXAT', expiry(unused_from))
end
