
-- Returns the number of members.
return redis.call('ZCARD', SCORES)
