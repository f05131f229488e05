-- Checks and applies a batch of commits, one after the other; each is applied as a whole or not at all.
--
-- KEYS[1]  entries: hash, key -> "<version> <expiresAtMs, 0 for never> <value>". Fields that start with \1 are the store's own:
--          \1last -> the last version given; \1w:<writer> -> the version of that writer's last commit
-- KEYS[2]  index: sorted set of all keys, every score 0
-- ARGV[1]  the writer's own field, \1w:<writer>
-- ARGV[2]  wall time in ms that expiry goes by; '' for Redis's own
-- then for each commit:
--   notAfterUs, number of checks, of puts, of deletes
--   key, version              for each check; version 0 means absent or expired
--   key, expiresAtMs, value   for each put; no key is put or deleted twice in one commit
--   key                       for each delete
--
-- Returns { Redis's time in µs, one number for each commit }:
--   > 0  committed, with this version
--   < 0  -n: the n-th check was the first that did not hold; nothing was done
--   0    it is later than notAfterUs; nothing was done
--
-- Versions are times in µs, moved on where two would be the same: a failover to a copy that misses the last writes gives no
-- version again. Numbers stay below 2^53, so that Lua's doubles and JavaScript's hold them.
local entries, index = KEYS[1], KEYS[2]
local time = redis.call('TIME')
local now_us = time[1] * 1000000 + time[2]
local now_ms = ARGV[2] == '' and math.floor(now_us / 1000) or tonumber(ARGV[2])
local last_before = tonumber(redis.call('HGET', entries, '\1last') or '0')
local last = last_before
local reply = { now_us }
local at = 3

-- Lua's stack takes some 8,000 values at once.
local function call(command, key, arguments)
  local result = 0
  for from = 1, #arguments, 6000 do
    result = result + redis.call(command, key, unpack(arguments, from, math.min(from + 5999, #arguments)))
  end
  return result
end

local function version_of(raw)
  if not raw then return 0 end
  local version, expires_at = string.match(raw, '^(%d+) (%d+) ')
  if expires_at ~= '0' and tonumber(expires_at) <= now_ms then return 0 end
  return tonumber(version)
end

local function apply(puts, deletes, first)
  if puts + deletes == 0 then return math.max(last, 1) end
  local version = math.max(last + 1, now_us)
  local prefix = string.format('%.0f ', version)
  if puts > 0 then
    local fields, members = {}, {}
    for n = 0, puts - 1 do
      local key = ARGV[first + 3 * n]
      fields[2 * n + 1] = key
      fields[2 * n + 2] = prefix .. ARGV[first + 3 * n + 1] .. ' ' .. ARGV[first + 3 * n + 2]
      members[2 * n + 1] = '0'
      members[2 * n + 2] = key
    end
    -- Which of them are new is not told, and to add a member again changes nothing.
    if call('HSET', entries, fields) > 0 then call('ZADD', index, members) end
  end
  if deletes > 0 then
    local keys = {}
    for n = 0, deletes - 1 do keys[n + 1] = ARGV[first + 3 * puts + n] end
    call('HDEL', entries, keys)
    call('ZREM', index, keys)
  end
  last = version
  return version
end

while at <= #ARGV do
  local not_after_us, checks = tonumber(ARGV[at]), tonumber(ARGV[at + 1])
  local puts, deletes = tonumber(ARGV[at + 2]), tonumber(ARGV[at + 3])
  local first = at + 4
  local result = 0
  if now_us <= not_after_us then
    for n = 0, checks - 1 do
      if version_of(redis.call('HGET', entries, ARGV[first + 2 * n])) ~= tonumber(ARGV[first + 2 * n + 1]) then
        result = -(n + 1)
        break
      end
    end
    if result == 0 then result = apply(puts, deletes, first + 2 * checks) end
  end
  reply[#reply + 1] = result
  at = first + 2 * checks + 3 * puts + deletes
end

if last > last_before then
  local text = string.format('%.0f', last)
  redis.call('HSET', entries, '\1last', text, ARGV[1], text)
end
return reply
