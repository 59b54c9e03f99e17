-- Takes the units of the only rule if it allows them. A denial writes nothing.
local key, numbers = KEYS[1], ARGV[2]
--# read
if fits then
--# take
end
local answer = struct.pack('>dd', fits and 1 or 0, now) ..
--# state
if fits then
--# store
end
return answer
