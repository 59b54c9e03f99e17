
-- Makes a job due again after a delay, or a dead letter.
--
-- ARGV[2]   the id
-- ARGV[3]   the receipt
-- ARGV[4]   microseconds of the delay
-- ARGV[5]   the maximum number of deliveries, or 0
-- ARGV[6]   the most dead letters
local id = ARGV[2]
local arrival = held(id, ARGV[3])
if not arrival then
    return 'stale'
elseif is_exhausted(id, tonumber(ARGV[5])) then
    bury(id, now, tonumber(ARGV[6]))
    return 'dead'
end
local due = math.min(now + tonumber(ARGV[4]), MOST)
redis.call('HDEL', RECEIPTS, id)
schedule(arrival .. id, due)
return due
