
-- Takes the units even beyond the limits.
local rules = read_rules()
fit(rules)
each(rules, 'take')
each(rules, 'store')
