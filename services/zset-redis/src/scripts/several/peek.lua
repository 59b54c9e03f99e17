
-- Returns what check.lua would return, and writes nothing.
local rules = read_rules()
local fits = fit(rules)
if fits then
    each(rules, 'take')
end
return reply(rules, fits and 1 or 0)
