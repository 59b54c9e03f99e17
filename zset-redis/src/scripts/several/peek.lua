
-- Returns what check.lua would return, and writes nothing.
local rules, fits = read_rules()
if fits then
    each(rules, 'take')
end
return reply(rules, fits)
