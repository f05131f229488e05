package peer;

import java.security.Principal;
import org.springframework.context.annotation.Configuration;
import org.springframework.messaging.Message;
import org.springframework.messaging.MessageChannel;
import org.springframework.messaging.MessageHandler;
import org.springframework.messaging.MessagingException;
import org.springframework.messaging.simp.broker.SimpleBrokerMessageHandler;
import org.springframework.messaging.simp.config.ChannelRegistration;
import org.springframework.messaging.simp.config.MessageBrokerRegistry;
import org.springframework.messaging.simp.stomp.StompCommand;
import org.springframework.messaging.simp.stomp.StompHeaderAccessor;
import org.springframework.messaging.support.ExecutorChannelInterceptor;
import org.springframework.messaging.support.MessageHeaderAccessor;
import org.springframework.web.socket.config.annotation.EnableWebSocketMessageBroker;
import org.springframework.web.socket.config.annotation.StompEndpointRegistry;
import org.springframework.web.socket.config.annotation.WebSocketMessageBrokerConfigurer;

@Configuration
@EnableWebSocketMessageBroker
public class Sockets implements WebSocketMessageBrokerConfigurer {
  private final Access access;
  private final Sessions sessions;
  private final Confirmations confirmations;
  Sockets(Access access, Sessions sessions, Confirmations confirmations) { this.access = access; this.sessions = sessions; this.confirmations = confirmations; }

  @Override public void registerStompEndpoints(StompEndpointRegistry registry) { registry.addEndpoint("/ws").setAllowedOriginPatterns("*"); }
  @Override public void configureMessageBroker(MessageBrokerRegistry registry) { registry.enableSimpleBroker("/topic"); registry.setApplicationDestinationPrefixes("/app"); }

  @Override
  public void configureClientInboundChannel(ChannelRegistration registration) {
    registration.interceptors(new ExecutorChannelInterceptor() {
      @Override
      public Message<?> preSend(Message<?> message, MessageChannel channel) {
        StompHeaderAccessor headers = MessageHeaderAccessor.getAccessor(message, StompHeaderAccessor.class);
        if (headers == null || headers.getCommand() == null) return message;
        if (headers.getCommand() == StompCommand.CONNECT || headers.getCommand() == StompCommand.STOMP) {
          if (!access.passes(headers.getLogin(), headers.getPasscode())) throw new MessagingException("Unauthorized");
          String login = headers.getLogin();
          headers.setUser(new Principal() { @Override public String getName() { return login; } });
        } else if (headers.getCommand() == StompCommand.SUBSCRIBE) {
          requireDestination(headers, "/topic/terminal/", "");
        } else if (headers.getCommand() == StompCommand.SEND) {
          requireDestination(headers, "/app/terminal/", "/receipt");
        }
        return message;
      }

      @Override
      public void afterMessageHandled(Message<?> message, MessageChannel channel, MessageHandler handler, Exception e) {
        StompHeaderAccessor in = MessageHeaderAccessor.getAccessor(message, StompHeaderAccessor.class);
        if (e != null || in == null || in.getCommand() != StompCommand.SUBSCRIBE || !(handler instanceof SimpleBrokerMessageHandler)) return;
        sessions.subscribed(in.getSessionId(), in.getUser().getName());
        confirmations.confirm(in.getSessionId(), in.getReceipt());
      }
    });
  }

  private static void requireDestination(StompHeaderAccessor headers, String before, String after) {
    if (headers.getUser() == null || !(before + headers.getUser().getName() + after).equals(headers.getDestination())) throw new MessagingException("Forbidden");
  }
}
