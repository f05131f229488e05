package peer;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import org.springframework.messaging.handler.annotation.DestinationVariable;
import org.springframework.messaging.handler.annotation.MessageMapping;
import org.springframework.messaging.simp.SimpMessageHeaderAccessor;
import org.springframework.stereotype.Controller;

/** Results that come by a session. Confirmed once they are stored; one that is refused is not. */
@Controller
public class Receipts {
  private final Store store;
  private final ObjectMapper json;
  private final Confirmations confirmations;
  Receipts(Store store, ObjectMapper json, Confirmations confirmations) { this.store = store; this.json = json; this.confirmations = confirmations; }

  @MessageMapping("/terminal/{id}/receipt")
  public void receipt(@DestinationVariable String id, JsonNode body, SimpMessageHeaderAccessor headers) throws JsonProcessingException {
    if (!store.result(body.get("uuid").asText(), json.writeValueAsString(body))) throw new IllegalStateException("Another result is there");
    confirmations.confirm(headers.getSessionId(), headers.getFirstNativeHeader("receipt"));
  }
}
