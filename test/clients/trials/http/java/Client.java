import com.google.gson.Gson;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * java.net.http.HttpClient, of the JDK: sends the calls of ../http-call.ts and prints the answers. The arguments are the version of HTTP that it is to try, and for how
 * many seconds it waits for an answer; one that does not come has the status 0, and the version of Java as its text.
 */
public class Client {
  record Answer(int status, Map<String, String> headers, String text) {}

  static final int RATE_LIMITED = 429;

  public static void main(String[] args) throws Exception {
    var gson = new Gson();
    var calls = gson.fromJson(new String(System.in.readAllBytes(), "UTF-8"), Call[].class);
    var patience = Duration.ofSeconds(Long.parseLong(args[1]));
    var client = HttpClient.newBuilder().version(HttpClient.Version.valueOf(args[0])).connectTimeout(Duration.ofSeconds(10)).build();
    List<Map<String, Object>> answers = new ArrayList<>();
    for (var asked : calls) {
      var answer = send(client, asked, patience);
      for (int sent = 1; sent < asked.times && answer.status != RATE_LIMITED; sent++) answer = send(client, asked, patience);
      answers.add(Map.of("status", answer.status, "headers", answer.headers, "text", answer.text));
    }
    System.out.println(gson.toJson(answers));
  }

  /** Gson fills no records. */
  static class Call {
    String method;
    String url;
    Map<String, String> headers;
    String body;
    boolean expect;
    int times;
  }

  static Answer send(HttpClient client, Call asked, Duration patience) throws Exception {
    var body = asked.body.isEmpty() ? HttpRequest.BodyPublishers.noBody() : HttpRequest.BodyPublishers.ofString(asked.body);
    var request = HttpRequest.newBuilder(URI.create(asked.url)).method(asked.method, body).timeout(patience);
    if (asked.expect) request.expectContinue(true);
    asked.headers.forEach(request::header);
    var sent = client.sendAsync(request.build(), HttpResponse.BodyHandlers.ofString());
    HttpResponse<String> response;
    try {
      // The request's own timeout ends with the head of an answer.
      response = sent.get(patience.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException silence) {
      return new Answer(0, Map.of(), Runtime.version().toString());
    }
    var headers = new TreeMap<String, String>();
    response.headers().map().forEach((name, values) -> headers.put(name.toLowerCase(), values.get(0)));
    return new Answer(response.statusCode(), headers, response.body());
  }
}
