-- Notes that commits acknowledged under an earlier history may be gone: what was written until now is marked, once a history.
--
-- KEYS[1]  entries (see commit.lua)
-- ARGV[1]  the replication id of the history that begins
--
-- Returns the mark (see commit.lua, \1lost)
local mark = redis.call('HGET', KEYS[1], '\1lost')
if not mark or string.match(mark, '^%S+') ~= ARGV[1] then
  mark = ARGV[1] .. ' ' .. (redis.call('HGET', KEYS[1], '\1last') or '0')
  redis.call('HSET', KEYS[1], '\1lost', mark, '\1history', ARGV[1])
end
return mark
