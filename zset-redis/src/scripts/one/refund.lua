-- Refunds the newest units, and returns the state before.
local key, first = KEYS[1], 3
--# read
local answer = {
    1, now,
--# state
}
--# refund
return answer
