
-- Removes all jobs, but neither the dead letters nor the counts, and returns how many there were.
local len = redis.call('ZCARD', DUE)
redis.call('UNLINK', DUE, JOBS, DELIVERIES, RECEIPTS)
return len
