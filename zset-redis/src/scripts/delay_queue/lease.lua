
-- Leases the first job if it is due. Jobs that have reached their maximum number of deliveries, whose last
-- leases have ended, become dead letters: at most a hundred a call, so a call takes a bounded time.
--
-- ARGV[2]   microseconds of the lease
-- ARGV[3]   the maximum number of deliveries, or 0
-- ARGV[4]   the most dead letters
for _ = 1, 100 do
    local member, due = first()
    if not member or due > now then
        local latest = redis.call('XREVRANGE', WAKE, '+', '-', 'COUNT', 1)[1]
        return { now, due or false, latest and latest[1] or '0-0' }
    end
    local id = string.sub(member, ARRIVAL + 1)
    if is_exhausted(id, tonumber(ARGV[3])) then
        bury(id, due, tonumber(ARGV[4]))
    else
        local arrival, payload = find(id)
        -- The server's time keeps it unique even if a failover has lost the latest counts.
        local receipt = arrival .. '-' .. text(server_now) .. '-' .. text(count('delivered'))
        local lease_end = math.min(now + tonumber(ARGV[2]), MOST)
        redis.call('HSET', RECEIPTS, id, receipt)
        -- Not earlier than before, so no worker has to be woken.
        redis.call('ZADD', DUE, text(lease_end), member)
        local deliveries = redis.call('HINCRBY', DELIVERIES, id, 1)
        return { id, payload, deliveries, lease_end, receipt }
    end
end
return 'again'
