
-- Returns the line of a member, with up to `n` lines on each side.
local rank, n = redis.call('ZRANK', SCORES, ARGV[1]), tonumber(ARGV[2])
return rank and lines(math.max(rank - n, 0), rank + n, ARGV[3])
