package peer;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import jakarta.validation.Valid;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.messaging.simp.SimpMessagingTemplate;
import org.springframework.web.bind.MethodArgumentNotValidException;
import org.springframework.web.bind.annotation.*;

@RestController
public class Api {
  private final Store store;
  private final ObjectMapper json;
  private final SimpMessagingTemplate push;
  private final Sessions sessions;
  private final ConcurrentHashMap<String, Long> lastSeen = new ConcurrentHashMap<>();

  Api(Store store, ObjectMapper json, SimpMessagingTemplate push, Sessions sessions) {
    this.store = store; this.json = json; this.push = push; this.sessions = sessions;
  }

  @PostMapping("/api/v1/{terminalId}/pay")
  public ResponseEntity<Object> pay(@PathVariable String terminalId, @Valid @RequestBody Payment body) throws JsonProcessingException {
    long expiresAtMs = System.currentTimeMillis() + 60_000;
    ObjectNode node = json.valueToTree(body);
    node.put("terminalId", terminalId);
    node.put("expiresAt", Instant.ofEpochMilli(expiresAtMs).toString());
    String command = json.writeValueAsString(node);
    boolean connected = sessions.isConnected(terminalId);
    boolean accepted = store.accept(body.uuid, terminalId, connected ? "sent" : "queued", command, expiresAtMs);
    if (!accepted) return refuse(400, "Duplicate payment request - UUID already processed");
    if (connected) push.convertAndSend("/topic/terminal/" + terminalId, command);
    Map<String, Object> data = new LinkedHashMap<>();
    data.put("terminalID", terminalId);
    data.put("received", body);
    Map<String, Object> answer = new LinkedHashMap<>();
    answer.put("status", "ok");
    answer.put("data", data);
    answer.put("message", connected ? "Payment request sent to the terminal" : "Payment request waits for the terminal");
    return ResponseEntity.ok(answer);
  }

  @GetMapping("/api/v1/{terminalId}/get")
  public ResponseEntity<String> get(@PathVariable String terminalId) {
    lastSeen.put(terminalId, System.currentTimeMillis());
    String next = store.take(terminalId);
    if (next == null) return ResponseEntity.noContent().build();
    return ResponseEntity.ok().contentType(MediaType.APPLICATION_JSON).body(next);
  }

  @PostMapping("/api/v1/{terminalId}/receipt")
  public ResponseEntity<Object> receipt(@PathVariable String terminalId, @RequestBody ObjectNode body) throws JsonProcessingException {
    if (!body.hasNonNull("uuid") || !body.hasNonNull("result")) return refuse(400, "uuid and result are needed");
    if (!store.result(body.get("uuid").asText(), json.writeValueAsString(body))) return refuse(409, "Another result is there");
    return ResponseEntity.ok(Map.of("status", "ok", "data", "Result recorded"));
  }

  @GetMapping("/api/v1/{uuid}/uuid")
  public ResponseEntity<Object> uuid(@PathVariable String uuid) throws JsonProcessingException {
    String result = store.result(uuid);
    Map<String, Object> answer = new LinkedHashMap<>();
    answer.put("status", "ok");
    answer.put("data", result == null ? null : json.readTree(result));
    answer.put("error", null);
    return ResponseEntity.ok(answer);
  }

  @ExceptionHandler(MethodArgumentNotValidException.class)
  public ResponseEntity<Object> invalid(MethodArgumentNotValidException e) { return refuse(400, e.getMessage()); }

  private static ResponseEntity<Object> refuse(int status, String error) { return ResponseEntity.status(status).body(Map.of("status", "error", "error", error)); }
}
