
-- Returns when a job is due.
local id = ARGV[2]
local arrival = find(id)
return arrival and tonumber(redis.call('ZSCORE', DUE, arrival .. id))
