import java.lang.reflect.Type;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.springframework.messaging.converter.StringMessageConverter;
import org.springframework.messaging.simp.stomp.StompCommand;
import org.springframework.messaging.simp.stomp.StompFrameHandler;
import org.springframework.messaging.simp.stomp.StompHeaders;
import org.springframework.messaging.simp.stomp.StompSession;
import org.springframework.messaging.simp.stomp.StompSessionHandlerAdapter;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;
import org.springframework.util.MimeTypeUtils;
import org.springframework.web.socket.WebSocketHttpHeaders;
import org.springframework.web.socket.client.standard.StandardWebSocketClient;
import org.springframework.web.socket.messaging.WebSocketStompClient;

/** A terminal with Spring's WebSocketStompClient: url, login, passcode and a pause in seconds are its arguments; it prints what it met, as JSON. */
public final class Spring {
  private static final int WAIT_SECONDS = 50;
  private static final Pattern UUID = Pattern.compile("\"uuid\":\"([^\"]+)\"");
  private static final ThreadPoolTaskScheduler SCHEDULER = new ThreadPoolTaskScheduler();
  private static String url;
  private static String login;

  public static void main(String[] arguments) throws Exception {
    url = arguments[0];
    login = arguments[1];
    SCHEDULER.initialize();
    Terminal refused = new Terminal();
    try {
      refused.connect("wrong", textAndJson());
    } catch (ExecutionException | IllegalStateException expected) {
      // The ERROR frame says more.
    }
    String[] refusal = refused.errors();
    Terminal first = new Terminal();
    StompSession session = first.connect(arguments[2], textAndJson());
    first.pay(session);
    session.setAutoReceipt(true);
    session.disconnect();
    TimeUnit.SECONDS.sleep(Integer.parseInt(arguments[3]));
    Terminal second = new Terminal();
    session = second.connect(arguments[2], textAndJson());
    second.pay(session);
    session.send(results(), "{}");
    String[] error = second.errors();
    System.out.println("{\"refusal\":" + quoted(refusal[0]) + ",\"error\":" + quoted(error[1]) + ",\"errorText\":" + quoted(error[2]) + "}");
    System.exit(0);
  }

  /** The plain StringMessageConverter takes no body whose type is application/json; this one takes that and the text/plain of an ERROR. */
  private static StringMessageConverter textAndJson() {
    return new StringMessageConverter(StandardCharsets.UTF_8) {
      {
        addSupportedMimeTypes(MimeTypeUtils.APPLICATION_JSON);
      }
    };
  }

  private static StompHeaders results() {
    StompHeaders headers = new StompHeaders();
    headers.setDestination("/app/terminal/" + login + "/receipt");
    headers.setContentType(MimeTypeUtils.APPLICATION_JSON);
    return headers;
  }

  private static String quoted(String text) {
    return "\"" + text.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n") + "\"";
  }

  /** What one session met. */
  private static final class Terminal extends StompSessionHandlerAdapter {
    private final BlockingQueue<String[]> errors = new LinkedBlockingQueue<>();
    private final BlockingQueue<String[]> commands = new LinkedBlockingQueue<>();
    private final BlockingQueue<Boolean> receipts = new LinkedBlockingQueue<>();

    StompSession connect(String passcode, StringMessageConverter converter) throws Exception {
      WebSocketStompClient client = new WebSocketStompClient(new StandardWebSocketClient());
      client.setMessageConverter(converter);
      client.setTaskScheduler(SCHEDULER);
      client.setDefaultHeartbeat(new long[] {10_000, 10_000});
      StompHeaders headers = new StompHeaders();
      headers.setLogin(login);
      headers.setPasscode(passcode);
      return client.connectAsync(URI.create(url), new WebSocketHttpHeaders(), headers, this).get(WAIT_SECONDS, TimeUnit.SECONDS);
    }

    void pay(StompSession session) throws Exception {
      session.setAutoReceipt(true);
      StompHeaders topic = new StompHeaders();
      topic.setDestination("/topic/terminal/" + login);
      topic.setAck("client-individual");
      confirmed(session.subscribe(topic, this.new Commands()));
      String[] command = commands.poll(WAIT_SECONDS, TimeUnit.SECONDS);
      if (command == null) throw new IllegalStateException("no command came");
      // In STOMP 1.2 it is the header `ack` that names the message.
      confirmed(session.acknowledge(command[0], true));
      Matcher uuid = UUID.matcher(command[1]);
      if (!uuid.find()) throw new IllegalStateException(command[1]);
      confirmed(session.send(results(), "{\"uuid\":\"" + uuid.group(1) + "\",\"result\":\"OK\",\"amount\":1050}"));
    }

    private void confirmed(StompSession.Receiptable asked) throws Exception {
      asked.addReceiptTask(() -> receipts.add(true));
      asked.addReceiptLostTask(() -> receipts.add(false));
      if (!Boolean.TRUE.equals(receipts.poll(WAIT_SECONDS, TimeUnit.SECONDS))) throw new IllegalStateException("no receipt");
    }

    String[] errors() throws InterruptedException {
      String[] error = errors.poll(WAIT_SECONDS, TimeUnit.SECONDS);
      if (error == null) throw new IllegalStateException("no ERROR came");
      return error;
    }

    @Override
    public Type getPayloadType(StompHeaders headers) {
      return String.class;
    }

    /** Only ERROR frames come here. */
    @Override
    public void handleFrame(StompHeaders headers, Object payload) {
      errors.add(new String[] {headers.getFirst("message"), headers.getFirst("code"), String.valueOf(payload)});
    }

    @Override
    public void handleException(StompSession session, StompCommand command, StompHeaders headers, byte[] payload, Throwable exception) {
      System.err.println(command + ": " + exception);
    }

    private final class Commands implements StompFrameHandler {
      @Override
      public Type getPayloadType(StompHeaders headers) {
        return String.class;
      }

      @Override
      public void handleFrame(StompHeaders headers, Object payload) {
        commands.add(new String[] {headers.getAck(), String.valueOf(payload)});
      }
    }
  }
}
