
-- Removes and returns the first job if it is due.
--
-- ARGV[2]   the maximum number of deliveries, or 0
-- ARGV[3]   the most dead letters
local id, arrival, payload, due = next_job(tonumber(ARGV[2]), tonumber(ARGV[3]))
if not id then
    return arrival
end
remove(arrival, id)
return { { id, due, payload } }
