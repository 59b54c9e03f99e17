
-- Sets the end of a lease, and returns it.
--
-- ARGV[2]   the id
-- ARGV[3]   the receipt
-- ARGV[4]   microseconds of the lease, from now
local id = ARGV[2]
local arrival = held(id, ARGV[3])
if not arrival then
    return false
end
local lease_end = math.min(now + tonumber(ARGV[4]), MOST)
schedule(arrival .. id, lease_end)
return lease_end
