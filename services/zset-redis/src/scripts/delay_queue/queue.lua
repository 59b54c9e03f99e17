-- The beginning of each script of queues.
--
-- A job on lease stays in the queue, due at the end of its lease. So leasing sets when it is due,
-- and no process has to notice that a worker died.
--
-- Times are whole microseconds below 2^52, so they and their sums are exact. `..` and `tostring`
-- keep 14 digits only, so numbers become text through `text`.
--
-- Keys, and entries of them, may have been deleted or evicted. A job is in the queue only if both
-- DUE and JOBS have it with the same arrival. The remains of other jobs are dropped when they get
-- in the way.
--
-- KEYS[1]   a sorted set: the jobs by the times at which they are due. A member is the job's
--           arrival, i.e. its number among all jobs that were pushed, in 16 digits, and its id
-- KEYS[2]   a hash: from the id of a job to its arrival and payload
-- KEYS[3]   a hash: from the id of a job that was delivered to the number of its deliveries
-- KEYS[4]   a hash: from the id of a job on lease to the receipt of its latest lease, which begins
--           with its arrival
-- KEYS[5]   a sorted set: the ids of dead letters by the times at which they failed
-- KEYS[6]   a hash: from the id of a dead letter to its deliveries, a colon, and its payload
-- KEYS[7]   a hash of counts: pushed, delivered, acknowledged, dropped, lost
-- KEYS[8]   a stream of one entry, added when a job becomes due before all others: waiting workers
--           read it
-- ARGV[1]   the time, or '' for the server's

local DUE, JOBS, DELIVERIES, RECEIPTS, DEAD, DEAD_JOBS, COUNTS, WAKE = unpack(KEYS)
local MOST = 2 ^ 52 - 1
local ARRIVAL = 16

local clock = redis.call('TIME')
local server_now = tonumber(clock[1]) * 1000000 + tonumber(clock[2])
local now = ARGV[1] == '' and server_now or tonumber(ARGV[1])

local function text(number)
    return string.format('%.0f', number)
end

local function count(name)
    return redis.call('HINCRBY', COUNTS, name, 1)
end

-- Returns the time that two arguments give: an absolute time or '', and microseconds from now.
local function time(index)
    if ARGV[index] ~= '' then
        return tonumber(ARGV[index])
    end
    return math.min(now + tonumber(ARGV[index + 1]), MOST)
end

-- Returns the first member and when it is due, or nothing.
local function first()
    local entry = redis.call('ZRANGE', DUE, 0, 0, 'WITHSCORES')
    return entry[1], tonumber(entry[2])
end

-- Returns what JOBS has of a job, its arrival and its payload, or nothing.
local function entry(id)
    local job = redis.call('HGET', JOBS, id)
    if job then
        return string.sub(job, 1, ARRIVAL), string.sub(job, ARRIVAL + 1)
    end
end

-- Returns the arrival, the payload and the time of a job, or nothing.
local function find(id)
    local arrival, payload = entry(id)
    local due = arrival and redis.call('ZSCORE', DUE, arrival .. id)
    if due then
        return arrival, payload, tonumber(due)
    end
end

-- Sets when a member is due, and wakes the workers that wait if that is before all others.
local function schedule(member, due)
    local _, next_due = first()
    redis.call('ZADD', DUE, text(due), member)
    if not next_due or due < next_due then
        redis.call('XADD', WAKE, 'MAXLEN', 1, '*', 'due', text(due))
    end
end

-- Adds a job with a new arrival. It replaces the remains of a job with this id that is no longer
-- in the queue.
local function add(id, payload, due)
    redis.call('HDEL', DELIVERIES, id)
    redis.call('HDEL', RECEIPTS, id)
    local arrival = string.format('%016.0f', count('pushed'))
    if redis.call('HSET', JOBS, id, arrival .. payload) == 0 then
        count('lost')
    end
    schedule(arrival .. id, due)
end

local function remove(arrival, id)
    redis.call('ZREM', DUE, arrival .. id)
    redis.call('HDEL', JOBS, id)
    redis.call('HDEL', DELIVERIES, id)
    redis.call('HDEL', RECEIPTS, id)
end

-- Drops the entry of DUE of a job that is not in the queue.
local function drop(member, id)
    redis.call('ZREM', DUE, member)
    if redis.call('HEXISTS', JOBS, id) == 0 then
        redis.call('HDEL', DELIVERIES, id)
        redis.call('HDEL', RECEIPTS, id)
    end
    count('lost')
end

-- Returns the arrival of the job that a receipt holds, or nothing if the receipt is stale.
local function held(id, receipt)
    if redis.call('HGET', RECEIPTS, id) == receipt and redis.call('HEXISTS', JOBS, id) == 1 then
        return string.sub(receipt, 1, ARRIVAL)
    end
end

local function deliveries_of(id)
    return tonumber(redis.call('HGET', DELIVERIES, id) or 0)
end

-- Returns whether a job has reached its maximum number of deliveries; 0 is no maximum.
local function is_exhausted(id, max_deliveries)
    return max_deliveries > 0 and deliveries_of(id) >= max_deliveries
end

local function forget_dead(id)
    redis.call('ZREM', DEAD, id)
    redis.call('HDEL', DEAD_JOBS, id)
end

-- Makes a job a dead letter. Drops an older one with its id, and those beyond the bound: at most
-- ten a call, if the bound was lowered.
local function bury(id, since, max_dead_letters)
    local arrival, payload = entry(id)
    local deliveries = deliveries_of(id)
    remove(arrival, id)
    if redis.call('ZADD', DEAD, text(since), id) == 0 then
        count('dropped')
    end
    redis.call('HSET', DEAD_JOBS, id, text(deliveries) .. ':' .. payload)
    local excess = redis.call('ZCARD', DEAD) - max_dead_letters
    if excess > 0 then
        for _, oldest in ipairs(redis.call('ZRANGE', DEAD, 0, math.min(excess, 10) - 1)) do
            forget_dead(oldest)
            count('dropped')
        end
    end
end

-- Returns the id, the arrival, the payload and the time of the first job that is due. If there is
-- none, returns false and the reply that says why. Jobs whose last permitted lease has ended become
-- dead letters, and entries without a job are dropped: at most a hundred of both a call, so that a
-- call takes a bounded time.
local function next_job(max_deliveries, max_dead_letters)
    for _ = 1, 100 do
        local member, due = first()
        if not member or due > now then
            local latest = redis.call('XREVRANGE', WAKE, '+', '-', 'COUNT', 1)[1]
            return false, { now, due or false, latest and latest[1] or '0-0' }
        end
        local id = string.sub(member, ARRIVAL + 1)
        local arrival, payload = entry(id)
        if not arrival or arrival .. id ~= member then
            drop(member, id)
        elseif is_exhausted(id, max_deliveries) then
            bury(id, due, max_dead_letters)
        else
            return id, arrival, payload, due
        end
    end
    return false, 'again'
end
