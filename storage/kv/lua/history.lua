-- Notes that a history begins, and how far the store is then. If commits that were acknowledged under an earlier history may be gone, what was
-- written until now is marked, once a history.
--
-- KEYS[1]  entries (see commit.lua)
-- ARGV[1]  the replication id of the history that begins
-- ARGV[2]  'lost' if commits may be gone, else ''
--
-- Returns the mark (see commit.lua, \1lost), or '' where nothing was ever lost
local own = redis.call('HMGET', KEYS[1], '\1last', '\1began', '\1lost')
local last, began, mark = own[1] or '0', own[2], own[3]

local function is_of_this_history(text)
  return text and string.match(text, '^%S+') == ARGV[1]
end

local text = ARGV[1] .. ' ' .. last
if not is_of_this_history(began) then redis.call('HSET', KEYS[1], '\1began', text) end
if ARGV[2] == 'lost' and not is_of_this_history(mark) then
  mark = text
  redis.call('HSET', KEYS[1], '\1lost', mark)
end
redis.call('HSET', KEYS[1], '\1history', ARGV[1])
return mark or ''
