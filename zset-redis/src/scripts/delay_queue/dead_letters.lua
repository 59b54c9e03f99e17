
-- Returns the oldest dead letters.
--
-- ARGV[2]   1 to remove them
-- ARGV[3]   the highest rank
local dead = {}
local entries = redis.call('ZRANGE', DEAD, 0, ARGV[3], 'WITHSCORES')
for i = 1, #entries, 2 do
    local id = entries[i]
    local deliveries, payload = string.match(redis.call('HGET', DEAD_JOBS, id), '^(%d+):(.*)$')
    dead[#dead + 1] = { id, payload, tonumber(deliveries), tonumber(entries[i + 1]) }
    if ARGV[2] == '1' then
        forget_dead(id)
    end
end
return dead
