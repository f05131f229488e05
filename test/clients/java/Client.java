import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.stripe.Stripe;
import com.stripe.exception.*;
import com.stripe.model.*;
import com.stripe.net.ApiResource;
import com.stripe.net.OAuth;
import com.stripe.net.RequestOptions;
import com.stripe.net.StripeResponseGetter;
import com.stripe.net.Webhook;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.*;

/** The platform's library for Java. ../PROGRAMS.md has the protocol. */
public final class Client {
  private static final PrintStream OUT = new PrintStream(System.out, true, StandardCharsets.UTF_8);
  private static final BufferedReader IN = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
  private static final String RETURN_URL = env("CLIENT_RETURN_URL");

  public static void main(String[] args) throws Exception {
    if (args[0].equals("verify")) System.exit(verify(args));
    if (args[0].equals("objects")) objects();
    else life();
  }

  private static int verify(String[] args) throws Exception {
    String payload = Files.readString(Path.of(args[1]));
    Clock clock = args.length > 4 ? Clock.fixed(Instant.ofEpochSecond(Long.parseLong(args[4])), ZoneOffset.UTC) : Clock.systemUTC();
    try {
      Event event = Webhook.constructEvent(payload, args[2], args[3], Webhook.DEFAULT_TOLERANCE, clock);
      JsonObject line = new JsonObject();
      line.addProperty("verified", event.getId());
      line.addProperty("type", event.getType());
      line.addProperty("object", event.getDataObjectDeserializer().getObject().isPresent());
      OUT.println(line);
      return 0;
    } catch (SignatureVerificationException error) {
      JsonObject line = new JsonObject();
      line.addProperty("refused", error.getMessage());
      OUT.println(line);
      return 1;
    }
  }

  /** Calls every method that the objects offer. Whatever the relay answers is fine; nobody else can be reached. */
  private static void objects() throws Exception {
    String relay = env("CLIENT_BASE_URL");
    // As infra/docs/compat.md says it.
    Stripe.overrideApiBase(relay);
    Stripe.overrideConnectBase(relay);
    Stripe.overrideUploadBase(relay);
    Stripe.overrideMeterEventsBase(relay);
    Stripe.apiKey = env("CLIENT_SECRET_KEY");
    // Without one the library does not even try what belongs to connected accounts.
    Stripe.clientId = "ca_none";
    Stripe.setMaxNetworkRetries(0);
    for (int made = 0; made < 2; made++) PaymentIntent.create(Map.of("amount", 1250, "currency", "eur"));
    PaymentIntent intent = PaymentIntent.create(Map.of("amount", 1250, "currency", "eur"));
    WebhookEndpoint endpoint = WebhookEndpoint.create(Map.of("url", env("CLIENT_HOOK_URL"), "enabled_events", List.of("*")));
    Charge charge = ApiResource.GSON.fromJson("{\"id\": \"ch_none\", \"object\": \"charge\"}", Charge.class);
    Refund refund = ApiResource.GSON.fromJson("{\"id\": \"re_none\", \"object\": \"refund\"}", Refund.class);
    PaymentIntentCollection page = PaymentIntent.list(Map.of("limit", 1));
    for (Object offered : List.of(
        intent, charge, refund, Event.list(Map.of("limit", 1)).getData().get(0), page, Account.retrieve(), endpoint, new OAuthCalls())) {
      StripeResponseGetter getter = ApiResource.getGlobalResponseGetter();
      if (offered instanceof StripeActiveObject object) object.setResponseGetter(getter);
      for (Method method : methodsOf(offered)) call(offered, method);
    }
    call("PaymentIntentCollection.autoPagingIterable", () -> {
      int seen = 0;
      for (PaymentIntent each : page.autoPagingIterable()) if (++seen > 2) break;
    });
  }

  /** What belongs to connected accounts, whose host is another one. */
  private static final class OAuthCalls {
    public void deauthorize(Map<String, Object> params) throws StripeException {
      OAuth.deauthorize(Map.of("stripe_user_id", "acct_none"), null);
    }

    public void token(Map<String, Object> params) throws StripeException {
      OAuth.token(Map.of("grant_type", "authorization_code", "code", "none"), null);
    }
  }

  /** Those that send something and take only what can be made up here. */
  private static List<Method> methodsOf(Object offered) {
    Set<Class<?>> known = Set.of(String.class, Map.class, RequestOptions.class);
    return Arrays.stream(offered.getClass().getDeclaredMethods())
        .filter(each -> Modifier.isPublic(each.getModifiers()) && !each.isBridge())
        .filter(each -> Arrays.asList(each.getExceptionTypes()).contains(StripeException.class))
        .filter(each -> known.containsAll(Arrays.asList(each.getParameterTypes())))
        .sorted(Comparator.comparing(Method::toString))
        .toList();
  }

  private static void call(Object offered, Method method) throws Exception {
    Object[] given = Arrays.stream(method.getParameterTypes())
        .map(type -> type == Map.class ? Map.of() : type == String.class ? "none" : null)
        .toArray();
    call(offered.getClass().getSimpleName() + "." + method.getName() + "/" + given.length, () -> {
      try {
        method.setAccessible(true);
        method.invoke(Modifier.isStatic(method.getModifiers()) ? null : offered, given);
      } catch (InvocationTargetException error) {
        if (error.getCause() instanceof StripeException refusal) throw refusal;
        // An argument that the library itself does not take.
      } catch (IllegalAccessException error) {
        throw new AssertionError(error);
      }
    });
  }

  private static void call(String name, Call call) {
    try {
      call.run();
    } catch (ApiConnectionException error) {
      throw new AssertionError(name, error);
    } catch (StripeException error) {
      // The relay's refusal.
    }
    JsonObject line = new JsonObject();
    line.addProperty("called", name);
    OUT.println(line);
  }

  private static void life() throws Exception {
    Stripe.overrideApiBase(env("CLIENT_BASE_URL"));
    Stripe.apiKey = env("CLIENT_SECRET_KEY");
    Stripe.setMaxNetworkRetries(0);
    Stripe.enableTelemetry = false;

    WebhookEndpoint endpoint = WebhookEndpoint.create(Map.of(
        "url", env("CLIENT_HOOK_URL"),
        "enabled_events", List.of("payment_intent.succeeded", "payment_intent.payment_failed", "charge.refunded"),
        "api_version", Stripe.API_VERSION));
    same(endpoint.getSecret().startsWith("whsec_"), true);
    same(WebhookEndpoint.retrieve(endpoint.getId()).getSecret(), null);
    step("registers an endpoint");

    PaymentIntent intent = PaymentIntent.create(Map.of(
        "amount", 1250, "currency", "eur", "description", "Röstkaffee & more", "metadata", Map.of("order", "A+1 50%")));
    same(intent.getStatus(), "requires_payment_method");
    same(intent.getLivemode(), false);
    same(intent.getClientSecret().startsWith(intent.getId() + "_secret_"), true);
    step("creates an intent");
    PaymentIntent retrieved = PaymentIntent.retrieve(intent.getId());
    same(retrieved.getMetadata(), Map.of("order", "A+1 50%"));
    same(retrieved.getDescription(), "Röstkaffee & more");
    step("retrieves it");
    PaymentIntent updated = retrieved.update(Map.of("amount", 1300, "metadata", Map.of("order", "", "table", "7")));
    same(updated.getAmount(), 1300L);
    same(updated.getMetadata(), Map.of("table", "7"));
    step("updates it");
    PaymentIntent open = confirm(intent.getId());
    step("confirms it");
    PaymentIntent succeeded = paid(open, "4242424242424242", "succeeded");
    step("has it paid on the hosted page");

    JsonObject hook = ask("webhook", "type", "payment_intent.succeeded", "object", intent.getId());
    Event event = Webhook.constructEvent(text(hook, "payload"), text(hook, "header"), endpoint.getSecret());
    same(event.getDataObjectDeserializer().getObject().isPresent(), true);
    PaymentIntent told = (PaymentIntent) event.getDataObjectDeserializer().getObject().get();
    same(told.getId(), intent.getId());
    same(told.getStatus(), "succeeded");
    step("verifies its event");
    String changed = text(hook, "payload").replace("1300", "1301");
    try {
      Webhook.constructEvent(changed, text(hook, "header"), endpoint.getSecret());
    } catch (SignatureVerificationException expected) {
      step("does not verify an event that was changed");
    }
    same(succeeded.getStatus(), "succeeded");
    same(succeeded.getAmountReceived(), 1300L);
    step("sees that it succeeded");

    Charge charge = Charge.retrieve(succeeded.getLatestCharge(), Map.of("expand", List.of("payment_intent")), null);
    same(charge.getPaymentIntentObject().getId(), intent.getId());
    same(charge.getPaymentMethodDetails().getCard().getLast4(), "4242");
    same(charge.getPaymentMethodDetails().getCard().getBrand(), "visa");
    same(charge.getAmountCaptured(), 1300L);
    PaymentIntent expanded = PaymentIntent.retrieve(intent.getId(), Map.of("expand", List.of("latest_charge")), null);
    same(expanded.getLatestChargeObject().getId(), charge.getId());
    step("retrieves its charge, expanded");

    Refund refund = Refund.create(Map.of(
        "payment_intent", intent.getId(), "reason", "requested_by_customer", "metadata", Map.of("by", "till 2")));
    same(refund.getStatus(), "succeeded");
    same(refund.getAmount(), 1300L);
    same(refund.getCharge(), charge.getId());
    same(Refund.retrieve(refund.getId()).getPaymentIntent(), intent.getId());
    same(Refund.list(Map.of("payment_intent", intent.getId())).getData().stream().map(Refund::getId).toList(), List.of(refund.getId()));
    Charge refunded = Charge.retrieve(charge.getId());
    same(refunded.getRefunded(), true);
    same(refunded.getAmountRefunded(), 1300L);
    same(PaymentIntent.retrieve(intent.getId()).getStatus(), "succeeded");
    step("refunds it");
    hook = ask("webhook", "type", "charge.refunded", "object", charge.getId());
    Event eventOfRefund = Webhook.constructEvent(text(hook, "payload"), text(hook, "header"), endpoint.getSecret());
    same(((Charge) eventOfRefund.getDataObjectDeserializer().getObject().get()).getAmountRefunded(), 1300L);
    step("verifies the event of the refund");

    LinkedList<String> listed = new LinkedList<>();
    for (int n = 1; n <= 5; n += 1) listed.addFirst(create(100 + n).getId());
    List<String> seen = new ArrayList<>();
    Map<String, Object> query = Map.of("limit", 2, "created", Map.of("gte", intent.getCreated()));
    for (PaymentIntent each : PaymentIntent.list(query).autoPagingIterable()) seen.add(each.getId());
    same(new HashSet<>(seen).size(), seen.size());
    same(seen.stream().filter(listed::contains).toList(), listed);
    same(seen.contains(intent.getId()), true);
    step("lists several pages");
    EventCollection events = Event.list(Map.of("type", "payment_intent.succeeded", "limit", 100));
    same(events.getData().stream().anyMatch(each -> each.getId().equals(event.getId())), true);
    same(Event.retrieve(event.getId()).getDataObjectDeserializer().getRawJson().contains(intent.getId()), true);
    step("lists events");

    PaymentIntent manual = PaymentIntent.create(Map.of("amount", 1250, "currency", "eur", "capture_method", "manual"));
    PaymentIntent held = paid(confirm(manual.getId()), "5555555555554444", "succeeded");
    same(held.getStatus(), "requires_capture");
    same(held.getAmountCapturable(), 1250L);
    PaymentIntent captured = held.capture(Map.of("amount_to_capture", 500));
    same(captured.getStatus(), "succeeded");
    same(captured.getAmountReceived(), 500L);
    same(captured.getAmountCapturable(), 0L);
    step("captures a part");
    PaymentIntent canceled = PaymentIntent.retrieve(listed.getFirst()).cancel(Map.of("cancellation_reason", "abandoned"));
    same(canceled.getStatus(), "canceled");
    same(canceled.getCancellationReason(), "abandoned");
    step("cancels");

    PaymentIntent declined = paid(confirm(create(1250).getId()), "4000000000000002", "failed");
    same(declined.getStatus(), "requires_payment_method");
    same(declined.getLastPaymentError().getType(), "card_error");
    same(declined.getLastPaymentError().getCode(), "card_declined");
    same(declined.getLastPaymentError().getDeclineCode(), "generic_decline");
    PaymentIntent again = confirm(declined.getId());
    same(paid(again, "4111111111111111", "succeeded").getStatus(), "succeeded");
    step("sees a declined card, and pays with another");
    PaymentIntent poor = paid(confirm(create(1250).getId()), "4000000000009995", "failed");
    same(poor.getLastPaymentError().getDeclineCode(), "insufficient_funds");
    step("sees insufficient funds");
    PaymentIntent left = paid(confirm(create(1250).getId()), "cancel", "canceled");
    same(left.getStatus(), "requires_payment_method");
    same(left.getLastPaymentError().getCode(), "payment_method_customer_decline");
    step("sees that the buyer cancelled");
    PaymentIntent late = paid(confirm(create(1250).getId()), "4000000000000069", "failed");
    same(late.getLastPaymentError().getCode(), "payment_intent_payment_attempt_expired");
    step("sees that the payment expired");

    StripeException missing = refused(InvalidRequestException.class, 400, "parameter_missing", () -> PaymentIntent.create(Map.of("currency", "eur")));
    same(((InvalidRequestException) missing).getParam(), "amount");
    step("is told which parameter is missing");
    StripeException absent =
        refused(InvalidRequestException.class, 404, "resource_missing", () -> PaymentIntent.retrieve("pi_000000000000000000000000"));
    same(((InvalidRequestException) absent).getParam(), "intent");
    step("is told what does not exist");
    StripeException state =
        refused(InvalidRequestException.class, 400, "payment_intent_unexpected_state", () -> succeeded.confirm(Map.of("return_url", RETURN_URL)));
    same(state.getStripeError().getPaymentIntent().getId(), intent.getId());
    step("is told that the status does not allow it");
    refused(AuthenticationException.class, 401, null, () -> PaymentIntent.list(Map.of(), key("sk_merchant_wrong")));
    step("is refused with a wrong key");
    refused(PermissionException.class, 403, "secret_key_required",
        () -> PaymentIntent.create(Map.of("amount", 1, "currency", "eur"), key(env("CLIENT_PUBLISHABLE_KEY"))));
    step("is refused with a publishable key");

    RequestOptions keyed = RequestOptions.builder().setIdempotencyKey("key-" + intent.getId()).build();
    PaymentIntent once = PaymentIntent.create(Map.of("amount", 700, "currency", "eur"), keyed);
    PaymentIntent twice = PaymentIntent.create(Map.of("amount", 700, "currency", "eur"), keyed);
    same(twice.getId(), once.getId());
    same(twice.getLastResponse().headers().firstValue("Idempotent-Replayed").orElse(""), "true");
    refused(IdempotencyException.class, 400, null, () -> PaymentIntent.create(Map.of("amount", 701, "currency", "eur"), keyed));
    step("has a repeated key answered alike, and refused for another request");
    refused(RateLimitException.class, 429, "rate_limit", () -> {
      for (int n = 0; n < 3; n += 1) PaymentIntent.list(Map.of(), key(env("CLIENT_SLOW_KEY")));
    });
    step("is told to wait");

    if (!env("CLIENT_REFUSED_KEY").isEmpty()) {
      RequestOptions shut = key(env("CLIENT_REFUSED_KEY"));
      PaymentIntent created = PaymentIntent.create(Map.of("amount", 1250, "currency", "eur"), shut);
      refused(CardException.class, 402, "card_declined", () -> created.confirm(Map.of("return_url", RETURN_URL), shut));
      step("has a card error where the payment is refused at once");
    }
    same(endpoint.delete().getDeleted(), true);
    refused(InvalidRequestException.class, 404, "resource_missing", () -> WebhookEndpoint.retrieve(endpoint.getId()));
    step("removes the endpoint");
  }

  private static PaymentIntent create(int amount) throws StripeException {
    return PaymentIntent.create(Map.of("amount", amount, "currency", "eur"));
  }

  private static PaymentIntent confirm(String id) throws StripeException {
    PaymentIntent intent = PaymentIntent.retrieve(id).confirm(Map.of("return_url", RETURN_URL));
    same(intent.getStatus(), "requires_action");
    same(intent.getNextAction().getType(), "redirect_to_url");
    same(intent.getNextAction().getRedirectToUrl().getReturnUrl(), RETURN_URL);
    return intent;
  }

  private static String pageOf(PaymentIntent intent) {
    return intent.getNextAction().getRedirectToUrl().getUrl();
  }

  private static PaymentIntent paid(PaymentIntent intent, String card, String redirectStatus) throws Exception {
    String query = "&" + URI.create(text(ask("pay", "url", pageOf(intent), "card", card), "returned")).getQuery() + "&";
    same(query.contains("&payment_intent=" + intent.getId() + "&"), true);
    same(query.contains("&payment_intent_client_secret=" + intent.getClientSecret() + "&"), true);
    same(query.contains("&redirect_status=" + redirectStatus + "&"), true);
    same(query.contains("&shop=1&"), true);
    return PaymentIntent.retrieve(intent.getId());
  }

  private interface Call {
    void run() throws StripeException;
  }

  private static StripeException refused(Class<? extends StripeException> kind, int status, String code, Call call) {
    try {
      call.run();
    } catch (StripeException error) {
      same(error.getClass(), kind);
      same(error.getStatusCode(), status);
      if (code != null) same(error.getStripeError().getCode(), code);
      same(error.getRequestId().startsWith("req_"), true);
      return error;
    }
    throw new AssertionError("was not refused with " + status);
  }

  private static RequestOptions key(String apiKey) {
    return RequestOptions.builder().setApiKey(apiKey).build();
  }

  private static void same(Object actual, Object expected) {
    if (!Objects.equals(actual, expected)) throw new AssertionError(actual + ", not " + expected);
  }

  private static void step(String name) {
    JsonObject line = new JsonObject();
    line.addProperty("step", name);
    OUT.println(line);
  }

  private static JsonObject ask(String question, String... members) throws Exception {
    JsonObject line = new JsonObject();
    line.addProperty("ask", question);
    for (int at = 0; at < members.length; at += 2) line.addProperty(members[at], members[at + 1]);
    OUT.println(line);
    return JsonParser.parseString(IN.readLine()).getAsJsonObject();
  }

  private static String text(JsonObject answer, String name) {
    return answer.get(name).getAsString();
  }

  private static String env(String name) {
    return Objects.requireNonNullElse(System.getenv(name), "");
  }
}
