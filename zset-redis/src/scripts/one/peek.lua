-- Returns what check.lua would return, and writes nothing.
local key, first = KEYS[1], 3
--# read
if fits then
--# take
end
return {
    fits and 1 or 0, now,
--# state
}
