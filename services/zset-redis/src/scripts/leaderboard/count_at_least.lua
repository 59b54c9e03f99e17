
-- Returns the number of members with at least a score.
return redis.call('ZCOUNT', SCORES, '-inf', ARGV[1])
