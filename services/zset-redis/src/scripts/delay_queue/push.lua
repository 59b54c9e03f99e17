
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
    -- The next arrival, unless a caller has given that id to a job. If the counts were deleted,
    -- many jobs have the ids that follow, so the steps grow.
    local number, step, tries = tonumber(redis.call('HGET', COUNTS, 'pushed') or 0), 1, 0
    repeat
        number, tries = number + step, tries + 1
        id = text(number)
        step = tries < 16 and 1 or 2 * step
    until redis.call('HEXISTS', JOBS, id) == 0
end
if ARGV[7] ~= '' and redis.call('ZCARD', DUE) >= tonumber(ARGV[7]) then
    return 'full'
end
add(id, ARGV[4], time(5))
return { id }
