-- Each function in this table reads the state of one rule and returns a table with these fields:
--
-- counted   the time of the decision
-- fit()     returns whether the units of a call are allowed, after those that were taken
-- take()    takes the units, even beyond the limit, without writing anything; after `fit`
-- state()   returns the numbers that src/limit/*.rs reads, packed, as of `counted`
-- store()   writes the state after `take`
-- refund()  refunds the newest units, as many as there are, and writes the state
local limiters = {}
