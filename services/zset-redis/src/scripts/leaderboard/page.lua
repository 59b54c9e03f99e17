
-- Returns the lines from one rank to another.
return lines(tonumber(ARGV[1]), tonumber(ARGV[2]), ARGV[3])
