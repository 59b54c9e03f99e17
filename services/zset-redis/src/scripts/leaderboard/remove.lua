
-- Removes a member, and returns its score.
local score = redis.call('ZSCORE', SCORES, ARGV[1])
if score then
    redis.call('ZREM', SCORES, ARGV[1])
    remove_distinct(score)
end
return score
