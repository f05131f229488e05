-- Removes the expired entries of one slice of the store.
--
-- KEYS[1]  entries (see commit.lua)
-- KEYS[2]  index
-- ARGV[1]  cursor: where the last slice ended; '0' to begin
-- ARGV[2]  entries of the slice, about
-- ARGV[3]  wall time in ms that expiry goes by; '' for Redis's own
-- ARGV[4]  writers whose last commit is older than so many µs are forgotten
--
-- Returns { the next cursor ('0': the whole store has been passed), entries looked at, entries removed }
local time = redis.call('TIME')
local now_us = time[1] * 1000000 + time[2]
local now_ms = ARGV[3] == '' and now_us / 1000 or tonumber(ARGV[3])
local slice = redis.call('HSCAN', KEYS[1], ARGV[1], 'COUNT', ARGV[2])
local fields = slice[2]
local removed = 0
for n = 1, #fields, 2 do
  local key, raw = fields[n], fields[n + 1]
  if string.sub(key, 1, 3) == '\1w:' then
    if tonumber(raw) < now_us - tonumber(ARGV[4]) then redis.call('HDEL', KEYS[1], key) end
  elseif string.byte(key) >= 32 then
    local expires_at = string.match(raw, '^%d+ (%d+) ')
    if expires_at ~= '0' and tonumber(expires_at) <= now_ms then
      redis.call('HDEL', KEYS[1], key)
      redis.call('ZREM', KEYS[2], key)
      removed = removed + 1
    end
  end
end
return { slice[1], #fields / 2, removed }
