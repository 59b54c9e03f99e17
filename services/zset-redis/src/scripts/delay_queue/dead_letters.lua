
-- Returns the oldest dead letters. Entries without a letter are dropped, up to a thousand before
-- the last letter.
--
-- ARGV[2]   1 to remove them
-- ARGV[3]   the most letters
local removes, max = ARGV[2] == '1', tonumber(ARGV[3])
local dead, rank, lost = {}, 0, 0
repeat
    local entries = redis.call('ZRANGE', DEAD, rank, rank + max - #dead - 1, 'WITHSCORES')
    for i = 1, #entries, 2 do
        local id, letter = entries[i], redis.call('HGET', DEAD_JOBS, entries[i])
        if letter then
            local deliveries, payload = string.match(letter, '^(%d+):(.*)$')
            dead[#dead + 1] = { id, payload, tonumber(deliveries), tonumber(entries[i + 1]) }
        else
            count('lost')
            lost = lost + 1
        end
        if removes or not letter then
            forget_dead(id)
        else
            rank = rank + 1
        end
    end
until #entries == 0 or #dead == max or lost >= 1000
return dead
