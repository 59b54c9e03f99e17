-- The beginning of each script of limiters: the time, and the state of the four limiters.
--
-- Numbers are doubles, exact up to 2^53. Times and counts of units are whole numbers below 2^52, and
-- periods below 2^51; times and periods are in microseconds. So sums are exact. `..` and `tostring` keep
-- 14 digits only, so numbers become text through `string.format`.
--
-- KEYS      the key of each rule
-- ARGV[1]   the time, or '' for the server's
-- ARGV[2]   microseconds for which keys are kept beyond their use
-- ARGV[3]   the number of units
-- then      for each rule its limiter and the limiter's numbers

local MOST = 2 ^ 52 - 1

local clock = redis.call('TIME')
local server_now = tonumber(clock[1]) * 1000000 + tonumber(clock[2])
local now = ARGV[1] == '' and server_now or tonumber(ARGV[1])
local kept = tonumber(ARGV[2])
local n = tonumber(ARGV[3])

local used_arguments = 3

local function argument()
    used_arguments = used_arguments + 1
    return tonumber(ARGV[used_arguments])
end

-- Sets the time at which a key expires, `unused_from` rounded up to a millisecond. If the time of the call
-- was given, the wait from there on starts at the server's time.
local function expire(key, unused_from)
    local micros = server_now + (unused_from - now) + kept
    redis.call('PEXPIREAT', key, string.format('%.0f', (micros + -micros % 1000) / 1000))
end

-- Returns the numbers of a state, or nothing for a new key.
local function read(key)
    local numbers = {}
    for number in string.gmatch(redis.call('GET', key) or '', '%d+') do
        numbers[#numbers + 1] = tonumber(number)
    end
    return unpack(numbers)
end

local function write(key, numbers)
    for i, number in ipairs(numbers) do
        numbers[i] = string.format('%.0f', number)
    end
    redis.call('SET', key, table.concat(numbers, ':'))
end

-- Each function in this table reads the state of one rule and returns a table with these fields:
--
-- fits      whether the units are allowed
-- take()    takes the units, even beyond the limit, without writing anything
-- state()   returns the numbers that src/limit/state.rs reads, as of `counted`
-- store()   writes the state after `take`
-- refund()  refunds the newest units, as many as there are, and writes the state
--
-- `counted` is the time of the decision: the latest time on record if that is later than now.
local limiters = {}
