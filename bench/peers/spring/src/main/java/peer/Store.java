package peer;

import java.util.List;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.data.redis.core.script.DefaultRedisScript;
import org.springframework.stereotype.Component;

/** Everything durable. A reply comes after the AOF is synced (appendfsync always). */
@Component
public class Store {
  static final DefaultRedisScript<Long> ACCEPT = new DefaultRedisScript<>("""
      if not redis.call('SET', KEYS[1], ARGV[1], 'NX', 'EX', 86400) then return 0 end
      if ARGV[1] == 'queued' then
        redis.call('RPUSH', KEYS[2], ARGV[3] .. ' ' .. ARGV[2])
        redis.call('EXPIRE', KEYS[2], 60)
      end
      return 1""", Long.class);
  static final DefaultRedisScript<String> TAKE = new DefaultRedisScript<>("""
      while true do
        local item = redis.call('LPOP', KEYS[1])
        if not item then return false end
        local at = string.find(item, ' ', 1, true)
        if tonumber(string.sub(item, 1, at - 1)) > tonumber(ARGV[1]) then
          local body = string.sub(item, at + 1)
          redis.call('SET', 'u:' .. cjson.decode(body).uuid, 'sent', 'EX', 86400)
          return body
        end
      end""", String.class);
  static final DefaultRedisScript<Long> RESULT = new DefaultRedisScript<>("""
      if redis.call('SET', KEYS[1], ARGV[1], 'NX', 'EX', 86400) then
        redis.call('SET', KEYS[2], 'done', 'EX', 86400)
        return 1
      end
      return redis.call('GET', KEYS[1]) == ARGV[1] and 1 or 0""", Long.class);

  private final StringRedisTemplate redis;
  Store(StringRedisTemplate redis) { this.redis = redis; }

  boolean accept(String uuid, String terminal, String state, String command, long expiresAtMs) {
    return redis.execute(ACCEPT, List.of("u:" + uuid, "q:" + terminal), state, command, Long.toString(expiresAtMs)) == 1;
  }
  String take(String terminal) { return redis.execute(TAKE, List.of("q:" + terminal), Long.toString(System.currentTimeMillis())); }
  boolean result(String uuid, String json) { return redis.execute(RESULT, List.of("r:" + uuid, "u:" + uuid), json) == 1; }
  String result(String uuid) { return redis.opsForValue().get("r:" + uuid); }
}
