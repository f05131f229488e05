-- Checks and applies a batch of commits, one after the other; each is applied as a whole or not at all. What they check is read at once
-- and what they write is written at once, whatever their number: the calls into Redis are what costs.
--
-- KEYS[1]  entries: hash, key -> "<version> <expiresAtMs, 0 for never> <value>". Fields that start with \1 are the store's own:
--          \1last -> the last version given; \1w:<writer> -> the version of that writer's last commit;
--          \1history -> the replication id of the history; \1began -> "<replication id> <the last version that the store had when this
--          history began>", written before anything else is; \1lost -> "<replication id> <the last version given when this history was
--          found to have begun with a loss>", absent where nothing was ever lost
-- KEYS[2]  index: sorted set of all keys, every score 0
-- ARGV[1]  the writer's own field, \1w:<writer>
-- ARGV[2]  wall time in ms that expiry goes by; '' for Redis's own
-- ARGV[3]  the version of \1lost that the caller knows, 0 for none: a caller who has not heard of a loss makes no commit
-- then for each commit:
--   notAfterUs, number of checks, of puts, of deletes
--   key, version              for each check; version 0 means absent or expired
--   key, expiresAtMs, value   for each put; no key is put or deleted twice in one commit
--   key                       for each delete
--
-- Returns { Redis's time in µs, the version of \1lost or 0, one number for each commit }:
--   > 0  committed, with this version
--   < 0  -n: the n-th check was the first that did not hold; nothing was done
--   0    it is later than notAfterUs, or the caller has not heard of a loss; nothing was done
--
-- Versions are times in µs, moved on where two would be the same: a failover to a copy that misses the last writes gives no
-- version again. Numbers stay below 2^53, so that Lua's doubles and JavaScript's hold them.
local entries, index, writer = KEYS[1], KEYS[2], ARGV[1]
local first_commit = 4
local time = redis.call('TIME')
local now_us = time[1] * 1000000 + time[2]
local now_ms = ARGV[2] == '' and math.floor(now_us / 1000) or tonumber(ARGV[2])

-- Lua's stack takes some 8,000 values at once. `each` gets an answer and where it begins in `arguments`.
local function call(command, key, arguments, each)
  for from = 1, #arguments, 6000 do
    local answer = redis.call(command, key, unpack(arguments, from, math.min(from + 5999, #arguments)))
    if each then each(answer, from) end
  end
end

local function has_expired(expires_at)
  return expires_at ~= '0' and tonumber(expires_at) <= now_ms
end

local function version_of(raw)
  local version, expires_at = string.match(raw, '^(%d+) (%d+) ')
  return has_expired(expires_at) and 0 or tonumber(version)
end

-- Version of each checked key, kept up to date with what the batch writes; and which of them are stored, expired or not.
local standing, stored = {}, {}
local checked = {}
local at = first_commit
while at <= #ARGV do
  local checks = tonumber(ARGV[at + 1])
  for n = 0, checks - 1 do checked[#checked + 1] = ARGV[at + 4 + 2 * n] end
  at = at + 4 + 2 * checks + 3 * ARGV[at + 2] + ARGV[at + 3]
end
call('HMGET', entries, checked, function(raws, from)
  for n, raw in ipairs(raws) do
    local key = checked[from + n - 1]
    standing[key] = raw and version_of(raw) or 0
    stored[key] = raw and true
  end
end)

-- key -> the entry to be stored, or false to be deleted
local writes = {}
local own = redis.call('HMGET', entries, '\1last', '\1lost')
local last_before = tonumber(own[1] or '0')
local lost = own[2] and tonumber(string.match(own[2], '(%d+)$')) or 0
local has_heard = lost == tonumber(ARGV[3])
local last = last_before

local function first_failing(checks, first)
  for n = 1, checks do
    if standing[ARGV[first + 2 * n - 2]] ~= tonumber(ARGV[first + 2 * n - 1]) then return n end
  end
  return 0
end

local function write(puts, deletes, first)
  if puts + deletes == 0 then return math.max(last, 1) end
  last = math.max(last + 1, now_us)
  local prefix = string.format('%.0f ', last)
  local first_delete = first + 3 * puts
  for n = first, first_delete - 1, 3 do
    local key, expires_at = ARGV[n], ARGV[n + 1]
    writes[key] = prefix .. expires_at .. ' ' .. ARGV[n + 2]
    standing[key] = has_expired(expires_at) and 0 or last
  end
  for n = first_delete, first_delete + deletes - 1 do
    writes[ARGV[n]] = false
    standing[ARGV[n]] = 0
  end
  return last
end

local reply = { now_us, lost }
at = first_commit
while at <= #ARGV do
  local not_after_us, checks = tonumber(ARGV[at]), tonumber(ARGV[at + 1])
  local puts, deletes = tonumber(ARGV[at + 2]), tonumber(ARGV[at + 3])
  local first = at + 4
  local result = 0
  if has_heard and now_us <= not_after_us then
    local failing = first_failing(checks, first)
    result = failing > 0 and -failing or write(puts, deletes, first + 2 * checks)
  end
  reply[#reply + 1] = result
  at = first + 2 * checks + 3 * puts + deletes
end

if last > last_before then
  local text = string.format('%.0f', last)
  local fields, members, deleted = { '\1last', text, writer, text }, {}, {}
  for key, entry in pairs(writes) do
    if entry then
      fields[#fields + 1] = key
      fields[#fields + 1] = entry
      -- What is stored is in the index already; of keys that were not checked it is not known.
      if not stored[key] then
        members[#members + 1] = '0'
        members[#members + 1] = key
      end
    else
      deleted[#deleted + 1] = key
    end
  end
  local function delete()
    call('HDEL', entries, deleted)
    call('ZREM', index, deleted)
  end
  -- A full Redis refuses only the first write of a script. So puts come first, and nothing has been written when they are refused; and
  -- deletes by themselves make room.
  local has_puts = #fields > 4
  if not has_puts then delete() end
  call('HSET', entries, fields)
  call('ZADD', index, members)
  if has_puts then delete() end
end
return reply
