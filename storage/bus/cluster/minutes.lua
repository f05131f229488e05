-- Counts calls over all nodes: at most so many in any minute, which is counted in parts (engine/kernel/minute-counts.ts).
-- What is written here is not worth a disk: it is kept out of the append-only file and from replicas.
--
-- KEYS[1]  who calls: a hash of counts by the number of the part
-- ARGV     how many calls are permitted; the length of a part in ms; the parts that count
--
-- Returns 0 when the call was counted, else the time in ms until one is admitted
redis.set_repl(redis.REPL_NONE)
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local max, length, parts = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local part = math.floor(now / length)

local counts, used = {}, 0
local fields = redis.call('HGETALL', KEYS[1])
for n = 1, #fields, 2 do
  local at, count = tonumber(fields[n]), tonumber(fields[n + 1])
  if at <= part - parts then
    redis.call('HDEL', KEYS[1], fields[n])
  else
    counts[at] = count
    used = used + count
  end
end

if used < max then
  redis.call('HINCRBY', KEYS[1], string.format('%.0f', part), 1)
  redis.call('PEXPIRE', KEYS[1], parts * length)
  return 0
end

for age = parts - 1, 0, -1 do
  used = used - (counts[part - age] or 0)
  if used < max then return (part - age + parts) * length - now end
end
-- Its clock was set back.
return parts * length
