-- Notes that the store was taken back to an earlier copy: what was written until then is marked, and versions go on above what was given since.
--
-- KEYS[1]  entries (see commit.lua)
-- ARGV[1]  the last version that the copy has; an older mark is kept where it is higher
-- ARGV[2]  the highest version that is known to have been given
--
-- Returns the version of the mark (see commit.lua, \1lost)
local lost, above = tonumber(ARGV[1]), tonumber(ARGV[2])
local own = redis.call('HMGET', KEYS[1], '\1last', '\1lost')
local known = own[2] and tonumber(string.match(own[2], '(%d+)$')) or 0
if lost > known then redis.call('HSET', KEYS[1], '\1lost', string.format('restored %.0f', lost)) end
if above > tonumber(own[1] or '0') then redis.call('HSET', KEYS[1], '\1last', string.format('%.0f', above)) end
return string.format('%.0f', math.max(lost, known))
