
-- Removes all but the first members, and returns how many it removed.
local removed = redis.call('ZREMRANGEBYRANK', SCORES, ARGV[1], -1)
local last = redis.call('ZRANGE', SCORES, -1, -1, 'WITHSCORES')
redis.call('ZREMRANGEBYSCORE', DISTINCT, #last > 0 and '(' .. last[2] or '-inf', '+inf')
return removed
