
-- Pushes a job.
--
-- ARGV[2]   1 if the id is given
-- ARGV[3]   the id
-- ARGV[4]   the payload
-- ARGV[5,6] when it is due
-- ARGV[7]   the most jobs, or ''
local id = ARGV[3]
if ARGV[2] == '1' then
    if find(id) then
        return 'duplicate'
    end
else
    -- The id is a zero, the server's time and the last digits of the arrival: a number, but unlike
    -- those of callers. If the clock has stepped back, a job in the queue may have this id.
    local number = tonumber(redis.call('HGET', COUNTS, 'pushed') or 0)
    repeat
        number = number + 1
        id = string.format('0%.0f%03d', server_now, number % 1000)
    until redis.call('HEXISTS', JOBS, id) == 0
end
if ARGV[7] ~= '' and redis.call('ZCARD', DUE) >= tonumber(ARGV[7]) then
    return 'full'
end
add(id, ARGV[4], time(5))
return { id }
