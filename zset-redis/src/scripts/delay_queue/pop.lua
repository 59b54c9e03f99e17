
-- Removes and returns the first job if it is due.
--
-- ARGV[2]   the maximum number of deliveries, or 0
-- ARGV[3]   the most dead letters
local member, due_or_nothing = next_job(tonumber(ARGV[2]), tonumber(ARGV[3]))
if not member then
    return due_or_nothing
end
local id = string.sub(member, ARRIVAL + 1)
local arrival, payload = find(id)
remove(arrival, id)
return { { id, due_or_nothing, payload } }
