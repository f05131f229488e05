-- Counts requests of clients over all nodes: sliding windows of a second, each the times of a client's last `limit` admissions.
-- What is written here is not worth a disk: it is kept out of the append-only file and from replicas.
--
-- KEYS     one for each question, a client's list of times in µs, the oldest first
-- ARGV     for each question: the client's limit a second; admissions to be noted, which were made without asking; 1 to ask for another, else 0
--
-- Returns for each question { admissions in the last second, 1 when another was admitted (and noted) else 0, ms until there is room, 0 when there is }
redis.set_repl(redis.REPL_NONE)
local WINDOW_US = 1000000
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local now_text = string.format('%.0f', now)

local function at(key, index)
  return tonumber(redis.call('LINDEX', key, index) or '0')
end

-- Times only get older from the end, so the first of the window is found by halving.
local function inside(key)
  local outside, within = -1, redis.call('LLEN', key)
  local length = within
  while within - outside > 1 do
    local middle = math.floor((within + outside) / 2)
    if now - at(key, middle) <= WINDOW_US then within = middle else outside = middle end
  end
  return length - within
end

local reply = {}
for n, key in ipairs(KEYS) do
  local limit, noted, asks = tonumber(ARGV[3 * n - 2]), tonumber(ARGV[3 * n - 1]), ARGV[3 * n] == '1'
  for _ = 1, math.min(noted, limit) do redis.call('RPUSH', key, now_text) end
  -- The limit's last admission but one: when it is over a second ago there is room.
  local oldest = at(key, -limit)
  local wait_us = math.max(0, WINDOW_US + 1 - (now - oldest))
  local admitted = 0
  if asks and wait_us == 0 then
    redis.call('RPUSH', key, now_text)
    admitted = 1
  end
  if noted + admitted > 0 then
    redis.call('LTRIM', key, -limit, -1)
    redis.call('PEXPIRE', key, 2000)
  end
  reply[n] = { inside(key), admitted, math.ceil(wait_us / 1000) }
end
return reply
