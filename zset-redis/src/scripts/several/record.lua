
-- Takes the units even beyond the limits.
local rules = read_rules()
each(rules, 'take')
each(rules, 'store')
