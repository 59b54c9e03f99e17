
-- Removes all dead letters, and returns how many there were.
local len = redis.call('ZCARD', DEAD)
redis.call('UNLINK', DEAD, DEAD_JOBS)
return len
