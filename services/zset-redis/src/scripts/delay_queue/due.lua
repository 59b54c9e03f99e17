
-- Returns when a job is due.
local _, _, due = find(ARGV[2])
return due
