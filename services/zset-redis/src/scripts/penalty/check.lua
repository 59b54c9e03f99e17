
-- Takes the units of each call as long as there is no block and all rules allow them. A denial that
-- is not of a block writes the penalty only.
local rules = read_rules()
local penalty = table.remove(rules)
local allowed = 0
if penalty.is_blocked(rules) then
    fit(rules)
else
    while allowed < calls and fit(rules) do
        each(rules, 'take')
        allowed = allowed + 1
    end
    if allowed > 0 then
        penalty.allow()
    end
    if allowed < calls then
        penalty.deny(calls - allowed)
    end
end
local answer = reply(rules, allowed) .. penalty.state()
if allowed > 0 then
    each(rules, 'store')
end
penalty.store()
return answer
