-- Renews this node's membership, forgets nodes whose membership has expired, and answers who is live.
--   KEYS[1]  sorted set: node incarnation -> end of its membership, milliseconds of Redis's clock
--   KEYS[2]  hash: node incarnation -> its facts as JSON
--   KEYS[3]  hash: node incarnation -> since when it has been a member without a gap, microseconds of Redis's clock
--   KEYS[4]  where nodes of 0.1.0 keep their members (as KEYS[1]), until it is a string: then they cannot become members any more
--   KEYS[5]  where they keep their facts (as KEYS[2])
--   ARGV[1]  own incarnation, empty to look only
--   ARGV[2]  own facts as JSON
--   ARGV[3]  lifetime in milliseconds; 0 leaves
-- Answers {now, since when the own membership has stood without a gap (0: it does not), when the last of the live memberships ends (0: none is live),
-- facts of each live node in the order of their incarnations}. A node compares `since` with what it was told before: a renewal of its own that was held up on its way may have made it a
-- member again without its knowing. While a node of 0.1.0 is live it is among those answered, and nobody becomes a member: neither reads what the other
-- writes. The first who finds none live shuts them out, in the same step in which it joins; one that comes later ends its start with WRONGTYPE.
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local expired = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', now)
for _, incarnation in ipairs(expired) do
  redis.call('ZREM', KEYS[1], incarnation)
  redis.call('HDEL', KEYS[2], incarnation)
  redis.call('HDEL', KEYS[3], incarnation)
end
local formers = {}
if redis.call('TYPE', KEYS[4]).ok == 'zset' then
  formers = redis.call('ZRANGEBYSCORE', KEYS[4], '(' .. string.format('%.0f', now), '+inf')
end
local since = '0'
if ARGV[1] ~= '' then
  if tonumber(ARGV[3]) > 0 and #formers == 0 then
    if redis.call('TYPE', KEYS[4]).ok ~= 'string' then
      redis.call('SET', KEYS[4], 'Terminal Relay 0.2.0 or newer runs here, and 0.1.0 cannot run beside it: infra/docs/upgrading.md')
    end
    redis.call('HSETNX', KEYS[3], ARGV[1], time[1] .. string.format('%06d', time[2]))
    redis.call('ZADD', KEYS[1], now + tonumber(ARGV[3]), ARGV[1])
    redis.call('HSET', KEYS[2], ARGV[1], ARGV[2])
    since = redis.call('HGET', KEYS[3], ARGV[1])
  elseif tonumber(ARGV[3]) == 0 then
    redis.call('ZREM', KEYS[1], ARGV[1])
    redis.call('HDEL', KEYS[2], ARGV[1])
    redis.call('HDEL', KEYS[3], ARGV[1])
  end
end
local last = redis.call('ZRANGE', KEYS[1], -1, -1, 'WITHSCORES')
local answer = {now, since, last[2] or '0'}
local live = redis.call('ZRANGE', KEYS[1], 0, -1)
table.sort(live)
for _, incarnation in ipairs(live) do
  answer[#answer + 1] = redis.call('HGET', KEYS[2], incarnation)
end
for _, incarnation in ipairs(formers) do
  answer[#answer + 1] = redis.call('HGET', KEYS[5], incarnation)
end
return answer
