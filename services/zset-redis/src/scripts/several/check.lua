
-- Takes the units of each call as long as all rules allow them. Denials write nothing.
local rules = read_rules()
local allowed = 0
while allowed < calls and fit(rules) do
    each(rules, 'take')
    allowed = allowed + 1
end
local answer = reply(rules, allowed)
if allowed > 0 then
    each(rules, 'store')
end
return answer
