
-- Leases the first job if it is due.
--
-- ARGV[2]   the maximum number of deliveries, or 0
-- ARGV[3]   the most dead letters
-- ARGV[4]   microseconds of the lease
local id, arrival, payload = next_job(tonumber(ARGV[2]), tonumber(ARGV[3]))
if not id then
    return arrival
end
-- The server's time keeps it unique even if a failover has lost the latest counts.
local receipt = arrival .. '-' .. text(server_now) .. '-' .. text(count('delivered'))
local lease_end = math.min(now + tonumber(ARGV[4]), MOST)
redis.call('HSET', RECEIPTS, id, receipt)
-- Not earlier than before, so no worker has to be woken.
redis.call('ZADD', DUE, text(lease_end), arrival .. id)
local deliveries = redis.call('HINCRBY', DELIVERIES, id, 1)
return { { id, payload, deliveries, lease_end, receipt } }
