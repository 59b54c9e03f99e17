-- Takes the units of each call as long as the only rule allows them. Denials write nothing.
local key, numbers = KEYS[1], ARGV[2]
--# read
local allowed = 0
repeat
--# fit
    if fits then
--# take
        allowed = allowed + 1
    end
until not fits or allowed == calls
local answer = struct.pack('>dd', allowed, now) ..
--# state
if allowed > 0 then
--# store
end
return answer
