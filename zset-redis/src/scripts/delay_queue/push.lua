
-- Pushes a job.
--
-- ARGV[2]   1 if the id is given
-- ARGV[3]   the id
-- ARGV[4]   the payload
-- ARGV[5,6] when it is due
-- ARGV[7]   the most jobs, or ''
local id = ARGV[3]
if ARGV[2] == '1' then
    if redis.call('HEXISTS', JOBS, id) == 1 then
        return 'duplicate'
    end
else
    -- The next arrival, unless a caller has given that id to a job.
    local number = tonumber(redis.call('HGET', COUNTS, 'pushed') or 0)
    repeat
        number = number + 1
        id = text(number)
    until redis.call('HEXISTS', JOBS, id) == 0
end
if ARGV[7] ~= '' and redis.call('ZCARD', DUE) >= tonumber(ARGV[7]) then
    return 'full'
end
add(id, ARGV[4], time(5))
return { id }
