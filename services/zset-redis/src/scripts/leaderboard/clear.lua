
-- Removes all members; the server frees them in the background.
return redis.call('UNLINK', SCORES, DISTINCT)
