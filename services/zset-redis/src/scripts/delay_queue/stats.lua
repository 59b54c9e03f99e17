
-- Returns the lengths, the counts, when the first job is due, and the time.
local counts = redis.call('HMGET', COUNTS, 'pushed', 'delivered', 'acknowledged', 'dropped', 'lost')
for i = 1, 5 do
    counts[i] = tonumber(counts[i] or 0)
end
local _, next_due = first()
return {
    redis.call('ZCARD', DUE),
    redis.call('HLEN', RECEIPTS),
    redis.call('ZCARD', DEAD),
    counts,
    next_due or false,
    now,
}
