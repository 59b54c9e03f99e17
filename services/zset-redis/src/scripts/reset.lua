-- Removes the state of all rules, and returns the number of keys that there were.
return redis.call('UNLINK', unpack(KEYS))
