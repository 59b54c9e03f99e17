-- Leases of one key: takes back what is left of ended leases, then draws units for a new one.
--
-- The key is a sorted set. A score above 0 is a time in microseconds; a score below 0 is a number,
-- negated.
--
--   <id>         the time from which the units of a lease no longer count
--   units:<id>   its units
--   total        the units of all leases
--
-- Numbers are exact: times are below 2^53, and units below 2^52. If the clock steps back, what is
-- on record counts longer.
--
-- KEYS[1]   the key
-- ARGV[1]   the time, or '' for the server's
-- ARGV[2]   the period and ARGV[3] the limit
-- ARGV[4]   how long the units of a lease may be used
-- ARGV[5]   the units that are used at once and ARGV[6] the most to draw; 0 draws nothing
-- ARGV[7]   the id of the new lease
-- then      for each lease that has ended its id and the units that were used

local key = KEYS[1]
local clock = redis.call('TIME')
local now = tonumber(ARGV[1]) or tonumber(clock[1]) * 1000000 + tonumber(clock[2])
local period, limit, life = tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local least, most, id = tonumber(ARGV[5]), tonumber(ARGV[6]), ARGV[7]

local function number(member)
    return -(redis.call('ZSCORE', key, member) or 0)
end

local function set(member, score)
    redis.call('ZADD', key, string.format('%.0f', score), member)
end

local total = number('total')

-- Leaves `kept` of the units of a lease.
local function keep(lease, kept)
    total = total - number('units:' .. lease) + kept
    if kept > 0 then
        set('units:' .. lease, -kept)
    else
        redis.call('ZREM', key, lease, 'units:' .. lease)
    end
end

local over = redis.call('ZRANGEBYSCORE', key, '(0', string.format('%.0f', now))
for _, lease in ipairs(over) do
    keep(lease, 0)
end

for i = 8, #ARGV, 2 do
    local lease = ARGV[i]
    local leaves = redis.call('ZSCORE', key, lease)
    if leaves then
        -- All units were used before now.
        set(lease, math.min(tonumber(leaves), now + period))
        keep(lease, math.min(number('units:' .. lease), tonumber(ARGV[i + 1])))
    end
end

local missing = least - (limit - total)
local granted, retry_after = 0, 0
if missing > 0 then
    -- Each lease has at least one unit.
    local first = redis.call('ZRANGEBYSCORE', key, '(0', '+inf', 'WITHSCORES', 'LIMIT', 0, missing)
    for i = 1, #first, 2 do
        missing = missing - number('units:' .. first[i])
        if missing <= 0 then
            retry_after = tonumber(first[i + 1]) - now
            break
        end
    end
elseif most > 0 then
    granted = math.min(most, limit - total)
    set(id, now + period + (granted > least and life or 0))
    keep(id, granted)
end

if total == 0 then
    redis.call('DEL', key)
    return { granted, limit, retry_after, 0 }
end
set('total', -total)
local last = tonumber(redis.call('ZRANGE', key, -1, -1, 'WITHSCORES')[2])
-- Rounded up to a millisecond.
redis.call('PEXPIREAT', key, string.format('%.0f', (last + -last % 1000) / 1000))
return { granted, math.max(limit - total, 0), retry_after, last - now }
