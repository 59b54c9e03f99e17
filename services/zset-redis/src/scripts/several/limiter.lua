
-- Reads the state of a rule from its key and its numbers.
limiters.NAME = function(key, numbers)
--# read
    local rule = { counted = counted }

    function rule.fit()
--# fit
        return fits
    end

    function rule.take()
--# take
    end

    function rule.state()
        return
--# state
    end

    function rule.store()
--# store
    end

    function rule.refund()
--# refund
    end

    return rule
end
