-- The beginning of each script of limiters: the time.
--
-- Numbers are doubles, exact up to 2^53. Times and counts of units are whole numbers below 2^52,
-- and periods below 2^51; times and periods are in microseconds. So sums are exact. `redis.call`
-- writes all digits of such numbers, but `..` and `tostring` keep 14 only.
--
-- Arguments, states and replies are packed as big-endian doubles: the server needs less time for
-- them than for text.
--
-- KEYS      the key of each rule
-- ARGV[1]   the units of a call, how many calls are made together, and the time unless it is the
--           server's
-- then      the numbers of the rule; of several, for each its limiter and its numbers

local MOST = 2 ^ 52 - 1
-- How long keys are kept beyond their use if the time was given: it need not advance as the
-- server's does.
local DAY = 24 * 60 * 60 * 1000000

local call = redis.call
local clock = call('TIME')
local server_now = clock[1] * 1000000 + clock[2]
local n, calls, after_calls = struct.unpack('>dd', ARGV[1])
local given = after_calls <= #ARGV[1] and struct.unpack('>d', ARGV[1], after_calls)
local now = given or server_now

-- Returns when a key expires that is not needed from `unused_from` on, in milliseconds, rounded up.
-- If the time was given, `unused_from` is converted to the server's clock, and a day is added.
local function expiry(unused_from)
    local micros = unused_from
    if given then
        micros = server_now + (unused_from - now) + DAY
    end
    return (micros + -micros % 1000) / 1000
end
