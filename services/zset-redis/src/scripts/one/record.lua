-- Takes the units even beyond the limit.
local key, numbers = KEYS[1], ARGV[2]
--# read
--# fit
--# take
--# store
