-- A page of entries in key order; expired ones are among them.
--
-- KEYS[1]  entries (see commit.lua)
-- KEYS[2]  index
-- ARGV[1]  the nearest bound as ZRANGEBYLEX takes it: '[key' or '(key'
-- ARGV[2]  the farthest bound
-- ARGV[3]  'reverse' for backwards (the nearest bound is then the highest), else ''
-- ARGV[4]  entries of the page at most
-- ARGV[5]  bytes after which the page ends, with the entry that passed it
--
-- Returns { Redis's time in ms, 1 when there may be more behind the page else 0, key, entry, key, entry, ... }
local command = ARGV[3] == 'reverse' and 'ZREVRANGEBYLEX' or 'ZRANGEBYLEX'
local limit, bytes_left = tonumber(ARGV[4]), tonumber(ARGV[5])
local keys = redis.call(command, KEYS[2], ARGV[1], ARGV[2], 'LIMIT', 0, limit)
local time = redis.call('TIME')
local reply = { time[1] * 1000 + math.floor(time[2] / 1000), #keys == limit and 1 or 0 }
-- The calls are what costs, so entries are read some at a time; not all, since those behind the last one are read for nothing.
for from = 1, #keys, 50 do
  local to = math.min(from + 49, #keys)
  for n, raw in ipairs(redis.call('HMGET', KEYS[1], unpack(keys, from, to))) do
    if raw then
      reply[#reply + 1] = keys[from + n - 1]
      reply[#reply + 1] = raw
      bytes_left = bytes_left - #raw
      if bytes_left <= 0 then
        if from + n - 1 < #keys then reply[2] = 1 end
        return reply
      end
    end
  end
end
return reply
