
-- Returns what check.lua would return, and writes nothing.
local rules = read_rules()
local penalty = table.remove(rules)
local is_blocked = penalty.is_blocked(rules)
local fits = fit(rules) and (not is_blocked or n == 0)
if fits then
    each(rules, 'take')
elseif not is_blocked then
    penalty.deny(1)
end
return reply(rules, fits and 1 or 0) .. penalty.state()
