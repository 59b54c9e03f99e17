-- Returns what check.lua would return, and writes nothing.
local key, numbers = KEYS[1], ARGV[2]
--# read
--# fit
if fits then
--# take
end
return struct.pack('>dd', fits and 1 or 0, now) ..
--# state
