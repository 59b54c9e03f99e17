
-- Reads the states of all rules; returns them, and whether all of them allow the units.
local function read_rules()
    local rules, fits = {}, true
    for i, key in ipairs(KEYS) do
        rules[i] = limiters[ARGV[2 * i]](key, ARGV[2 * i + 1])
        fits = fits and rules[i].fits
    end
    return rules, fits
end

local function each(rules, step)
    for _, rule in ipairs(rules) do
        rule[step]()
    end
end

-- Returns whether the units are allowed, the time, and the states of all rules.
local function reply(rules, fits)
    local answer = struct.pack('>dd', fits and 1 or 0, now)
    for _, rule in ipairs(rules) do
        answer = answer .. rule.state()
    end
    return answer
end
