
-- Reads the states of all rules.
local function read_rules()
    local rules = {}
    for i, key in ipairs(KEYS) do
        rules[i] = limiters[ARGV[2 * i]](key, ARGV[2 * i + 1])
    end
    return rules
end

-- Returns whether all rules allow the units of a call. Each is asked, since `state` depends on it.
local function fit(rules)
    local fits = true
    for _, rule in ipairs(rules) do
        fits = rule.fit() and fits
    end
    return fits
end

local function each(rules, step)
    for _, rule in ipairs(rules) do
        rule[step]()
    end
end

-- Returns how many calls are allowed, the time, and the states of all rules.
local function reply(rules, allowed)
    local answer = struct.pack('>dd', allowed, now)
    for _, rule in ipairs(rules) do
        answer = answer .. rule.state()
    end
    return answer
end
