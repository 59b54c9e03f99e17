
-- Makes a dead letter a job again.
--
-- ARGV[2]   the id
-- ARGV[3,4] when it is due
-- ARGV[5]   the most jobs, or ''
local id = ARGV[2]
local dead = redis.call('HGET', DEAD_JOBS, id)
if not dead then
    return 0
elseif find(id) then
    return 'duplicate'
elseif ARGV[5] ~= '' and redis.call('ZCARD', DUE) >= tonumber(ARGV[5]) then
    return 'full'
end
forget_dead(id)
add(id, string.match(dead, ':(.*)$'), time(3))
return 1
