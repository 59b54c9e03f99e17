
-- Sets when a job is due, as if it had just been pushed, and returns when it was due.
--
-- ARGV[2]   the id
-- ARGV[3,4] when it is due
local id = ARGV[2]
local arrival, _, old = find(id)
if not arrival then
    return false
end
redis.call('HDEL', DELIVERIES, id)
redis.call('HDEL', RECEIPTS, id)
schedule(arrival .. id, time(3))
return old
