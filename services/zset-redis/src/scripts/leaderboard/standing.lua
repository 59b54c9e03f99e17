
-- Returns the number of a member.
local rank = redis.call('ZRANK', SCORES, ARGV[1])
return rank and number(redis.call('ZSCORE', SCORES, ARGV[1]), rank, ARGV[2])
