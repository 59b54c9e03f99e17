
-- Returns the payload of a job.
local _, payload = find(ARGV[2])
return payload
