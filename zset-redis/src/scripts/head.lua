-- The beginning of each script of limiters: the time.
--
-- Numbers are doubles, exact up to 2^53. Times and counts of units are whole numbers below 2^52, and
-- periods below 2^51; times and periods are in microseconds. So sums are exact. `..` and `tostring` keep
-- 14 digits only, and `redis.call` may write an exponent, so numbers become text through
-- `string.format`. A state is packed: eight bytes for each number.
--
-- KEYS      the key of each rule
-- ARGV[1]   the time, or '' for the server's
-- ARGV[2]   the number of units
-- then      the numbers of the rule; of several, for each its limiter, how many numbers, and the numbers

local MOST = 2 ^ 52 - 1
-- How long keys are kept beyond their use if the time was given: it need not advance as the server's does.
local DAY = 24 * 60 * 60 * 1000000

local call = redis.call
local clock = call('TIME')
local server_now = clock[1] * 1000000 + clock[2]
local given = tonumber(ARGV[1])
local now = given or server_now
local n = tonumber(ARGV[2])

-- Returns when a key expires that is of no use from `unused_from` on: in milliseconds, rounded up. A time
-- that was given counts from the server's.
local function expiry(unused_from)
    local micros = unused_from
    if given then
        micros = server_now + (unused_from - now) + DAY
    end
    return string.format('%.0f', (micros + -micros % 1000) / 1000)
end
