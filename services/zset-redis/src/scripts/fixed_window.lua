-- A counter that restarts at every multiple of the period. Its state is the units and the latest
-- time.

--# read
local period, limit = struct.unpack('>dd', numbers)
local used, newest = 0, 0
local state = call('GET', key)
if state then
    used, newest = struct.unpack('>dd', state)
end
local counted = math.max(now, newest)
local start = counted - counted % period
if start > newest then
    used = 0
end
local fits
-- The key stays for a period after its units stop counting, so that a clock that steps back a
-- little does not begin the window anew.
local unused_from = start + 2 * period

--# fit
fits = n == 0 or used + n <= limit

--# take
used = math.min(used + n, MOST)

--# state
struct.pack('>dd', counted, used)

--# store
call('SET', key, struct.pack('>dd', used, counted), 'PXAT', expiry(unused_from))

--# refund
local refunded = math.min(n, used)
if refunded > 0 then
    call('SET', key, struct.pack('>dd', used - refunded, newest), 'PXAT', expiry(unused_from))
end
