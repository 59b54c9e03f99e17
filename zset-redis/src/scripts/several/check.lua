
-- Takes the units from all rules if each of them allows it. A denial writes nothing.
local rules, fits = read_rules()
if fits then
    each(rules, 'take')
end
local answer = reply(rules, fits)
if fits then
    each(rules, 'store')
end
return answer
