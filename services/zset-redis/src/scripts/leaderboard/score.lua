
-- Returns the score of a member.
return redis.call('ZSCORE', SCORES, ARGV[1])
