-- Each function in this table reads the state of one rule and returns a table with these fields:
--
-- fits      whether the units are allowed
-- take()    takes the units, even beyond the limit, without writing anything
-- state()   returns the numbers that src/limit/state.rs reads, packed, as of `counted`
-- store()   writes the state after `take`
-- refund()  refunds the newest units, as many as there are, and writes the state
local limiters = {}
