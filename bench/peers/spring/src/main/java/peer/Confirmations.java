package peer;

import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.context.annotation.Lazy;
import org.springframework.messaging.MessageChannel;
import org.springframework.messaging.simp.stomp.StompCommand;
import org.springframework.messaging.simp.stomp.StompHeaderAccessor;
import org.springframework.messaging.support.MessageBuilder;
import org.springframework.stereotype.Component;

/** RECEIPT frames, which the simple broker does not send. */
@Component
public class Confirmations {
  private final MessageChannel outbound;
  Confirmations(@Lazy @Qualifier("clientOutboundChannel") MessageChannel outbound) { this.outbound = outbound; }

  void confirm(String session, String receiptId) {
    if (receiptId == null) return;
    StompHeaderAccessor receipt = StompHeaderAccessor.create(StompCommand.RECEIPT);
    receipt.setReceiptId(receiptId);
    receipt.setSessionId(session);
    outbound.send(MessageBuilder.createMessage(new byte[0], receipt.getMessageHeaders()));
  }
}
