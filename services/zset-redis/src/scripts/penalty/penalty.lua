
-- The denials and blocks of a key. Their state is the denials in a row since the latest block, the
-- length of that block, when it ends, and when all of this is forgotten. It is read as if it were
-- that of a rule, the last one.
limiters.penalty = function(key, numbers)
    local most, shortest, longest = struct.unpack('>ddd', numbers)
    local denials, length, blocked_until, forget_at = 0, 0, 0, 0
    local state = call('GET', key)
    if state then
        denials, length, blocked_until, forget_at = struct.unpack('>dddd', state)
    end
    local counted = now
    local is_changed = false
    local penalty = {}

    -- Returns whether the key is blocked, at the latest time that the rules have on record.
    function penalty.is_blocked(rules)
        for _, rule in ipairs(rules) do
            counted = math.max(counted, rule.counted)
        end
        if counted >= forget_at then
            denials, length = 0, 0
        end
        return counted < blocked_until
    end

    function penalty.allow()
        is_changed = denials > 0
        denials = 0
    end

    -- Counts denied calls, of which the last may begin a block: those after it are not counted.
    function penalty.deny(denied)
        is_changed = true
        denials = denials + denied
        forget_at = math.max(forget_at, counted + shortest)
        if denials >= most then
            denials = 0
            length = math.min(math.max(2 * length, shortest), longest)
            blocked_until = counted + length
            forget_at = blocked_until + length
        end
    end

    -- Returns when the block ends, or -1 if there is none.
    function penalty.state()
        return struct.pack('>d', counted < blocked_until and blocked_until or -1)
    end

    function penalty.store()
        if is_changed and denials + length > 0 then
            call('SET', key, struct.pack('>dddd', denials, length, blocked_until, forget_at),
                'PXAT', expiry(forget_at))
        elseif is_changed then
            call('DEL', key)
        end
    end

    return penalty
end
