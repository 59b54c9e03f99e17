
-- Returns the number of members, of those above a member, and of those that are not below it.
local score = redis.call('ZSCORE', SCORES, ARGV[1])
return score and {
    redis.call('ZCARD', SCORES),
    redis.call('ZCOUNT', SCORES, '-inf', '(' .. score),
    redis.call('ZCOUNT', SCORES, '-inf', score),
}
