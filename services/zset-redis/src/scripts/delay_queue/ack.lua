
-- Removes a job that is done.
local id, receipt = ARGV[2], ARGV[3]
local arrival = held(id, receipt)
if not arrival then
    return 0
end
remove(arrival, id)
count('acknowledged')
return 1
