
-- Removes and returns the first job if it is due.
--
-- ARGV[2]   the maximum number of deliveries, or 0
-- ARGV[3]   the most dead letters
for _ = 1, 100 do
    local member, due = first()
    if not member or due > now then
        return false
    end
    local id = string.sub(member, ARRIVAL + 1)
    if is_exhausted(id, tonumber(ARGV[2])) then
        bury(id, due, tonumber(ARGV[3]))
    else
        local arrival, payload = find(id)
        remove(arrival, id)
        return { id, due, payload }
    end
end
return 'again'
