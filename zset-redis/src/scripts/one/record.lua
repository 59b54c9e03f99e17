-- Takes the units even beyond the limit.
local key, first = KEYS[1], 3
--# read
--# take
--# store
return {}
