-- Counts wrong passwords over all nodes: one attempt, in windows that each allow so many different passwords within a time.
-- What is written here is not worth a disk: it is kept out of the append-only file and from replicas.
--
-- KEYS     the attempt's windows: sorted sets of digests by the time in ms at which they were counted
-- ARGV     the digest of the password; then for each window: the most that it allows, and its length in ms
--
-- Returns { 0, 0 } when the attempt was counted, { -1, 0 } when the same password is counted already (the first window has it),
-- else { number of a full window from 1, ms until it has room }
redis.set_repl(redis.REPL_NONE)
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local secret = ARGV[1]

for n, key in ipairs(KEYS) do
  redis.call('ZREMRANGEBYSCORE', key, '-inf', now - tonumber(ARGV[2 * n + 1]))
end
if redis.call('ZSCORE', KEYS[1], secret) then return { -1, 0 } end

local full, wait = 0, 0
for n, key in ipairs(KEYS) do
  local max, length = tonumber(ARGV[2 * n]), tonumber(ARGV[2 * n + 1])
  local oldest = redis.call('ZRANGE', key, -max, -max, 'WITHSCORES')
  if oldest[2] then
    local left = tonumber(oldest[2]) + length - now
    if left > wait then full, wait = n, left end
  end
end
if full > 0 then return { full, wait } end

for n, key in ipairs(KEYS) do
  redis.call('ZADD', key, 'NX', now, secret)
  redis.call('PEXPIRE', key, tonumber(ARGV[2 * n + 1]))
end
return { 0, 0 }
