
-- Reads the states of all rules; returns them, and whether all of them allow the units.
local function read_rules()
    local rules, fits, first = {}, true, 3
    for i, key in ipairs(KEYS) do
        rules[i] = limiters[ARGV[first]](key, first + 2)
        fits = fits and rules[i].fits
        first = first + 2 + ARGV[first + 1]
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
    local numbers = { fits and 1 or 0, now }
    for _, rule in ipairs(rules) do
        for _, number in ipairs(rule.state()) do
            numbers[#numbers + 1] = number
        end
    end
    return numbers
end
