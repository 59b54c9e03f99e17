
-- Refunds the newest units of each rule, and returns the states before.
local rules = read_rules()
local answer = reply(rules, 1)
each(rules, 'refund')
return answer
