import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import kotlin.Unit;
import kotlin.coroutines.Continuation;
import kotlin.coroutines.EmptyCoroutineContext;
import kotlin.jvm.internal.DefaultConstructorMarker;
import kotlin.time.DurationKt;
import kotlin.time.DurationUnit;
import kotlinx.coroutines.BuildersKt;
import kotlinx.coroutines.flow.Flow;
import org.hildan.krossbow.stomp.StompClient;
import org.hildan.krossbow.stomp.StompErrorFrameReceived;
import org.hildan.krossbow.stomp.StompSession;
import org.hildan.krossbow.stomp.config.HeartBeat;
import org.hildan.krossbow.stomp.frame.FrameBody;
import org.hildan.krossbow.stomp.frame.StompFrame;
import org.hildan.krossbow.stomp.headers.AckMode;
import org.hildan.krossbow.stomp.headers.StompSendHeadersKt;
import org.hildan.krossbow.stomp.headers.StompSubscribeHeadersKt;
import org.hildan.krossbow.websocket.jdk.Jdk11WebSocketClient;

/** A terminal with Krossbow: url, login, passcode and a pause in seconds are its arguments; it prints what it met, as JSON. */
public final class Krossbow {
  private static final int WAIT_SECONDS = 50;
  private static final int DISCONNECTS = 20;
  private static final Pattern UUID = Pattern.compile("\"uuid\":\"([^\"]+)\"");
  private static String url;
  private static String login;

  interface Suspending {
    Object call(Continuation<Object> then);
  }

  public static void main(String[] arguments) throws Exception {
    url = arguments[0];
    login = arguments[1];
    String passcode = arguments[2];
    String refusal = "";
    try {
      connect("wrong");
    } catch (Exception refused) {
      refusal = reason(refused);
    }
    for (int turn = 0; turn < DISCONNECTS; turn += 1) disconnect(connect(passcode));
    StompSession first = connect(passcode);
    pay(first);
    disconnect(first);
    TimeUnit.SECONDS.sleep(Integer.parseInt(arguments[3]));
    StompSession second = connect(passcode);
    pay(second);
    StompFrame.Error error = null;
    try {
      send(second, "{}");
    } catch (Exception refused) {
      if (refused instanceof StompErrorFrameReceived) error = ((StompErrorFrameReceived) refused).getFrame();
      else if (refused.getCause() instanceof StompErrorFrameReceived) error = ((StompErrorFrameReceived) refused.getCause()).getFrame();
      else throw refused;
    }
    String code = String.valueOf(error.getHeaders().get("code"));
    String text = ((FrameBody.Text) error.getBody()).getText();
    System.out.println("{\"refusal\":" + quoted(refusal) + ",\"error\":" + quoted(code) + ",\"errorText\":" + quoted(text) + "}");
    System.exit(0);
  }

  /** Kotlin's `suspend` functions, called as others are. */
  @SuppressWarnings("unchecked")
  private static <T> T run(Suspending suspending) throws Exception {
    return (T) BuildersKt.runBlocking(EmptyCoroutineContext.INSTANCE, (scope, then) -> suspending.call((Continuation<Object>) then));
  }

  @SuppressWarnings({"unchecked", "rawtypes"})
  private static StompSession connect(String passcode) throws Exception {
    // Its duration is a class only for Kotlin.
    long period = DurationKt.toDuration(10, DurationUnit.SECONDS);
    HeartBeat heartBeat =
        HeartBeat.class.getConstructor(long.class, long.class, DefaultConstructorMarker.class).newInstance(period, period, null);
    StompClient client = new StompClient(new Jdk11WebSocketClient(), config -> {
      config.setAutoReceipt(true);
      config.setHeartBeat(heartBeat);
      return Unit.INSTANCE;
    });
    return run(then -> client.connect(url, login, passcode, "relay", Map.of(), EmptyCoroutineContext.INSTANCE, (Continuation) then));
  }

  @SuppressWarnings({"unchecked", "rawtypes"})
  private static void disconnect(StompSession session) throws Exception {
    run(then -> session.disconnect((Continuation) then));
  }

  @SuppressWarnings({"unchecked", "rawtypes"})
  private static void send(StompSession session, String body) throws Exception {
    var headers = StompSendHeadersKt.StompSendHeaders("/app/terminal/" + login + "/receipt", made -> {
      made.setContentType("application/json");
      return Unit.INSTANCE;
    });
    run(then -> session.send(headers, new FrameBody.Text(body), (Continuation) then));
  }

  @SuppressWarnings({"unchecked", "rawtypes"})
  private static void pay(StompSession session) throws Exception {
    var headers = StompSubscribeHeadersKt.StompSubscribeHeaders("/topic/terminal/" + login, made -> {
      made.setAck(AckMode.CLIENT_INDIVIDUAL);
      return Unit.INSTANCE;
    });
    Flow<StompFrame.Message> flow = run(then -> session.subscribe(headers, (Continuation) then));
    BlockingQueue<StompFrame.Message> commands = new LinkedBlockingQueue<>();
    // Whoever stops collecting unsubscribes: it goes on until the session ends.
    Thread collecting = new Thread(() -> {
      try {
        run(then -> flow.collect((message, next) -> {
          commands.add(message);
          return Unit.INSTANCE;
        }, (Continuation) then));
      } catch (Exception ended) {
        // With the session.
      }
    });
    collecting.setDaemon(true);
    collecting.start();
    StompFrame.Message command = commands.poll(WAIT_SECONDS, TimeUnit.SECONDS);
    if (command == null) throw new IllegalStateException("no command came");
    run(then -> session.ack(command.getHeaders().getAck(), null, (Continuation) then));
    Matcher uuid = UUID.matcher(((FrameBody.Text) command.getBody()).getText());
    if (!uuid.find()) throw new IllegalStateException("it has no uuid");
    send(session, "{\"uuid\":\"" + uuid.group(1) + "\",\"result\":\"OK\",\"amount\":1050}");
  }

  private static String reason(Throwable refused) {
    return refused.getCause() == null ? refused.getMessage() : refused.getMessage() + ": " + reason(refused.getCause());
  }

  private static String quoted(String text) {
    return "\"" + text.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n") + "\"";
  }
}
