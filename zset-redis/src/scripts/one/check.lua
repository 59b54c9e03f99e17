-- Takes the units of the only rule if it allows them. A denial writes nothing.
local key, first = KEYS[1], 3
--# read
if fits then
--# take
end
local answer = {
    fits and 1 or 0, now,
--# state
}
if fits then
--# store
end
return answer
