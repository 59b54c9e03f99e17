
-- Reads the state of a rule, whose numbers begin at `first`.
limiters.NAME = function(key, first)
--# read
    local rule = { fits = fits }

    function rule.take()
--# take
    end

    function rule.state()
        return {
--# state
        }
    end

    function rule.store()
--# store
    end

    function rule.refund()
--# refund
    end

    return rule
end
