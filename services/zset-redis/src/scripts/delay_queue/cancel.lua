
-- Removes and returns a job.
local id = ARGV[2]
local arrival, payload, due = find(id)
if not arrival then
    return false
end
remove(arrival, id)
return { id, due, payload }
