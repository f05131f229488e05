package peer;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.stereotype.Component;
import org.springframework.web.servlet.HandlerInterceptor;
import org.springframework.web.servlet.HandlerMapping;

/** API-Key against a map, terminals by Basic, and the limits of a node, before a handler. */
@Component
public class Access implements HandlerInterceptor {
  static final byte[] UNAUTHORIZED = "{\"status\":\"error\",\"error\":\"Unauthorized\"}".getBytes(StandardCharsets.UTF_8);
  static final byte[] LIMITED = "{\"status\":\"error\",\"error\":\"Rate limit exceeded\"}".getBytes(StandardCharsets.UTF_8);
  private final Map<String, Integer> keys;
  private final byte[] secret;
  private final ConcurrentHashMap<String, String> verified = new ConcurrentHashMap<>();
  private final Limit pay = new Limit(10), get = new Limit(100);

  Access(@Value("${peer.api-key}") String key, @Value("${peer.terminal-secret}") String secret) {
    keys = Map.of(key, 1);
    this.secret = secret.getBytes(StandardCharsets.UTF_8);
  }

  @Override
  public boolean preHandle(HttpServletRequest request, HttpServletResponse response, Object handler) throws Exception {
    String path = request.getRequestURI();
    boolean isPay = path.endsWith("/pay");
    if (isPay || path.endsWith("/uuid")) {
      String key = request.getHeader("API-Key");
      if (key == null || !keys.containsKey(key)) return refuse(response, 401, UNAUTHORIZED);
      if (isPay && !pay.take(request.getRemoteAddr())) return refuse(response, 429, LIMITED);
      return true;
    }
    String login = login(request.getHeader("Authorization"));
    @SuppressWarnings("unchecked")
    Map<String, String> variables = (Map<String, String>) request.getAttribute(HandlerMapping.URI_TEMPLATE_VARIABLES_ATTRIBUTE);
    if (login == null || !login.equals(variables.get("terminalId"))) return refuse(response, 401, UNAUTHORIZED);
    if (path.endsWith("/get") && !get.take(request.getRemoteAddr())) return refuse(response, 429, LIMITED);
    return true;
  }

  private boolean refuse(HttpServletResponse response, int status, byte[] body) throws Exception {
    response.setStatus(status);
    response.setContentType("application/json");
    response.setContentLength(body.length);
    response.getOutputStream().write(body);
    return false;
  }

  String login(String header) {
    if (header == null || !header.startsWith("Basic ")) return null;
    String known = verified.get(header);
    if (known != null) return known;
    String text = new String(Base64.getDecoder().decode(header.substring(6)), StandardCharsets.UTF_8);
    int colon = text.indexOf(':');
    if (colon == -1) return null;
    String login = text.substring(0, colon);
    if (!passes(login, text.substring(colon + 1))) return null;
    if (verified.size() > 200_000) verified.clear();
    verified.put(header, login);
    return login;
  }

  boolean passes(String login, String password) {
    if (login == null || password == null) return false;
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(secret, "HmacSHA256"));
      String right = Base64.getUrlEncoder().withoutPadding().encodeToString(mac.doFinal(login.getBytes(StandardCharsets.UTF_8)));
      return MessageDigest.isEqual(right.getBytes(StandardCharsets.UTF_8), password.getBytes(StandardCharsets.UTF_8));
    } catch (java.security.GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  /** A fixed window of one second an address. */
  static final class Limit {
    private record Window(long startedMs, int count) {}
    private final int max;
    private final ConcurrentHashMap<String, Window> windows = new ConcurrentHashMap<>();
    private volatile long sweptMs = System.currentTimeMillis();
    Limit(int max) { this.max = max; }
    boolean take(String address) {
      long now = System.currentTimeMillis();
      if (now - sweptMs > 10_000) { sweptMs = now; windows.values().removeIf(w -> now - w.startedMs > 1000); }
      return windows.compute(address, (k, w) -> w == null || now - w.startedMs >= 1000 ? new Window(now, 1) : new Window(w.startedMs, w.count + 1)).count <= max;
    }
  }
}
