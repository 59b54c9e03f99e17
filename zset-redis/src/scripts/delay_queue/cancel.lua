
-- Removes and returns a job.
local id = ARGV[2]
local arrival, payload = find(id)
if not arrival then
    return false
end
local due = tonumber(redis.call('ZSCORE', DUE, arrival .. id))
remove(arrival, id)
return { id, due, payload }
