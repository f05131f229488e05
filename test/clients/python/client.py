"""The platform's library for Python. ../PROGRAMS.md has the protocol."""

import inspect
import itertools
import json
import os
import sys
import time
from urllib.parse import parse_qs, urlsplit

import stripe

CARD, POOR, LATE = "4000000000000002", "4000000000009995", "4000000000000069"


def verify(file, header, secret, now=None):
    # The library compares with the clock; moved by the tolerance it compares with `now`.
    tolerance = 300 if now is None else int(300 + time.time() - int(now)) or -1
    with open(file, "rb") as body:
        payload = body.read()
    try:
        event = stripe.Webhook.construct_event(payload, header, secret, tolerance)
    except stripe.SignatureVerificationError as error:
        print(json.dumps({"refused": str(error)}))
        return 1
    readable = isinstance(event.data.object["id"], str)
    print(json.dumps({"verified": event.id, "type": event.type, "object": readable}))
    return 0


def same(actual, expected, what=""):
    if actual != expected:
        raise AssertionError(f"{what or 'value'}: {actual!r}, not {expected!r}")


def step(name):
    print(json.dumps({"step": name}), flush=True)


def ask(**question):
    print(json.dumps(question), flush=True)
    return json.loads(sys.stdin.readline())


def refused(kind, call, **members):
    try:
        call()
    except stripe.StripeError as error:
        same(type(error).__name__, kind.__name__, str(error))
        for name, value in members.items():
            # Only some classes have the code as their own attribute.
            holder = error.error if name == "code" else error
            same(getattr(holder, name), value, f"{name} of {error}")
        same((error.request_id or "")[:4], "req_", "request id")
        return error
    raise AssertionError(f"was not refused: {members}")


def life():
    env = os.environ
    stripe.api_base = env["CLIENT_BASE_URL"]
    stripe.api_key = env["CLIENT_SECRET_KEY"]
    stripe.max_network_retries = 0
    stripe.enable_telemetry = False
    return_url = env["CLIENT_RETURN_URL"]

    def confirmed(**more):
        created = stripe.PaymentIntent.create(amount=1250, currency="eur", **more)
        intent = stripe.PaymentIntent.confirm(created.id, return_url=return_url)
        same(intent.status, "requires_action")
        same(intent.next_action.type, "redirect_to_url")
        return intent

    def paid(intent, card, redirect_status):
        returned = ask(ask="pay", url=intent.next_action.redirect_to_url.url, card=card)["returned"]
        query = parse_qs(urlsplit(returned).query)
        same(query["payment_intent"], [intent.id])
        same(query["payment_intent_client_secret"], [intent.client_secret])
        same(query["redirect_status"], [redirect_status])
        same(query["shop"], ["1"])
        return stripe.PaymentIntent.retrieve(intent.id)

    endpoint = stripe.WebhookEndpoint.create(
        url=env["CLIENT_HOOK_URL"],
        enabled_events=["payment_intent.succeeded", "payment_intent.payment_failed", "charge.refunded"],
        api_version=stripe.api_version,
    )
    same(endpoint.secret[:6], "whsec_")
    same(hasattr(stripe.WebhookEndpoint.retrieve(endpoint.id), "secret"), False, "secret after the creation")
    step("registers an endpoint")

    intent = stripe.PaymentIntent.create(
        amount=1250, currency="eur", description="Röstkaffee & more", metadata={"order": "A+1 50%"}
    )
    same(intent.status, "requires_payment_method")
    same(intent.livemode, False)
    same(intent.client_secret.startswith(f"{intent.id}_secret_"), True)
    step("creates an intent")
    retrieved = stripe.PaymentIntent.retrieve(intent.id)
    same(dict(retrieved.metadata.to_dict()), {"order": "A+1 50%"})
    same(retrieved.description, "Röstkaffee & more")
    step("retrieves it")
    updated = stripe.PaymentIntent.modify(intent.id, amount=1300, metadata={"order": "", "table": "7"})
    same(updated.amount, 1300)
    same(dict(updated.metadata.to_dict()), {"table": "7"})
    step("updates it")
    opened = stripe.PaymentIntent.confirm(intent.id, return_url=return_url)
    same(opened.status, "requires_action")
    same(opened.next_action.redirect_to_url.return_url, return_url)
    step("confirms it")
    succeeded = paid(opened, "4242424242424242", "succeeded")
    step("has it paid on the hosted page")

    hook = ask(ask="webhook", type="payment_intent.succeeded", object=intent.id)
    event = stripe.Webhook.construct_event(hook["payload"], hook["header"], endpoint.secret)
    same(type(event.data.object).__name__, "PaymentIntent")
    same(event.data.object.id, intent.id)
    same(event.data.object.status, "succeeded")
    step("verifies its event")
    changed = hook["payload"].replace("1300", "1301")
    try:
        stripe.Webhook.construct_event(changed, hook["header"], endpoint.secret)
    except stripe.SignatureVerificationError:
        step("does not verify an event that was changed")

    same(succeeded.status, "succeeded")
    same(succeeded.amount_received, 1300)
    step("sees that it succeeded")
    charge = stripe.Charge.retrieve(succeeded.latest_charge, expand=["payment_intent"])
    same(charge.payment_intent.id, intent.id)
    same(charge.payment_method_details.card.last4, "4242")
    same(charge.payment_method_details.card.brand, "visa")
    same(charge.amount_captured, 1300)
    same(stripe.PaymentIntent.retrieve(intent.id, expand=["latest_charge"]).latest_charge.id, charge.id)
    step("retrieves its charge, expanded")

    refund = stripe.Refund.create(payment_intent=intent.id, reason="requested_by_customer", metadata={"by": "till 2"})
    same(refund.status, "succeeded")
    same(refund.amount, 1300)
    same(refund.charge, charge.id)
    same(stripe.Refund.retrieve(refund.id).payment_intent, intent.id)
    same([found.id for found in stripe.Refund.list(payment_intent=intent.id).data], [refund.id])
    refunded = stripe.Charge.retrieve(charge.id)
    same(refunded.refunded, True)
    same(refunded.amount_refunded, 1300)
    same(stripe.PaymentIntent.retrieve(intent.id).status, "succeeded")
    step("refunds it")
    hook = ask(ask="webhook", type="charge.refunded", object=charge.id)
    same(stripe.Webhook.construct_event(hook["payload"], hook["header"], endpoint.secret).data.object.amount_refunded, 1300)
    step("verifies the event of the refund")

    listed = [stripe.PaymentIntent.create(amount=100 + n, currency="eur").id for n in range(1, 6)][::-1]
    pages = stripe.PaymentIntent.list(limit=2, created={"gte": intent.created})
    seen = [found.id for found in pages.auto_paging_iter()]
    same(len(set(seen)), len(seen), "no intent comes twice")
    same([found for found in seen if found in listed], listed, "newest first")
    same(intent.id in seen, True, "the first one is listed")
    step("lists several pages")
    events = stripe.Event.list(type="payment_intent.succeeded", limit=100)
    same(event.id in [found.id for found in events.data], True, "the event is listed")
    same(stripe.Event.retrieve(event.id).data.object.id, intent.id)
    step("lists events")

    held = paid(confirmed(capture_method="manual"), "5555555555554444", "succeeded")
    same(held.status, "requires_capture")
    same(held.amount_capturable, 1250)
    captured = stripe.PaymentIntent.capture(held.id, amount_to_capture=500)
    same([captured.status, captured.amount_received, captured.amount_capturable], ["succeeded", 500, 0])
    step("captures a part")
    canceled = stripe.PaymentIntent.cancel(listed[0], cancellation_reason="abandoned")
    same([canceled.status, canceled.cancellation_reason], ["canceled", "abandoned"])
    step("cancels")

    declined = paid(confirmed(), CARD, "failed")
    same(declined.status, "requires_payment_method")
    error = declined.last_payment_error
    same([error.type, error.code, error.decline_code], ["card_error", "card_declined", "generic_decline"])
    again = stripe.PaymentIntent.confirm(declined.id, return_url=return_url)
    same(paid(again, "4111111111111111", "succeeded").status, "succeeded")
    step("sees a declined card, and pays with another")
    same(paid(confirmed(), POOR, "failed").last_payment_error.decline_code, "insufficient_funds")
    step("sees insufficient funds")
    left = paid(confirmed(), "cancel", "canceled")
    same([left.status, left.last_payment_error.code], ["requires_payment_method", "payment_method_customer_decline"])
    step("sees that the buyer cancelled")
    same(paid(confirmed(), LATE, "failed").last_payment_error.code, "payment_intent_payment_attempt_expired")
    step("sees that the payment expired")

    intents = stripe.PaymentIntent
    refused(
        stripe.InvalidRequestError,
        lambda: intents.create(currency="eur"),
        http_status=400,
        code="parameter_missing",
        param="amount",
    )
    step("is told which parameter is missing")
    refused(
        stripe.InvalidRequestError,
        lambda: intents.retrieve("pi_000000000000000000000000"),
        http_status=404,
        code="resource_missing",
        param="intent",
    )
    step("is told what does not exist")
    state = refused(
        stripe.InvalidRequestError,
        lambda: intents.confirm(intent.id, return_url=return_url),
        http_status=400,
        code="payment_intent_unexpected_state",
    )
    same(state.error.payment_intent.id, intent.id)
    step("is told that the status does not allow it")
    refused(stripe.AuthenticationError, lambda: intents.list(api_key="sk_merchant_wrong"), http_status=401)
    step("is refused with a wrong key")
    refused(
        stripe.PermissionError,
        lambda: intents.create(amount=1, currency="eur", api_key=env["CLIENT_PUBLISHABLE_KEY"]),
        http_status=403,
        code="secret_key_required",
    )
    step("is refused with a publishable key")
    key = f"key-{intent.id}"
    once = intents.create(amount=700, currency="eur", idempotency_key=key)
    twice = intents.create(amount=700, currency="eur", idempotency_key=key)
    same(twice.id, once.id)
    same(twice.last_response.headers["idempotent-replayed"], "true")
    refused(
        stripe.IdempotencyError, lambda: intents.create(amount=701, currency="eur", idempotency_key=key), http_status=400
    )
    step("has a repeated key answered alike, and refused for another request")
    slow = env["CLIENT_SLOW_KEY"]
    refused(
        stripe.RateLimitError, lambda: [intents.list(api_key=slow) for _ in range(3)], http_status=429, code="rate_limit"
    )
    step("is told to wait")
    shut = env["CLIENT_REFUSED_KEY"]
    if shut != "":
        created = intents.create(amount=1250, currency="eur", api_key=shut)
        refused(
            stripe.CardError,
            lambda: intents.confirm(created.id, return_url=return_url, api_key=shut),
            http_status=402,
            code="card_declined",
        )
        step("has a card error where the payment is refused at once")
    same(stripe.WebhookEndpoint.delete(endpoint.id).deleted, True)
    refused(stripe.InvalidRequestError, lambda: stripe.WebhookEndpoint.retrieve(endpoint.id), code="resource_missing")
    step("removes the endpoint")
    return 0


def objects():
    """Calls every method that the objects offer. Whatever the relay answers is fine; nobody else can be reached."""
    # As infra/docs/compat.md says it.
    stripe.api_base = stripe.connect_api_base = os.environ["CLIENT_BASE_URL"]
    stripe.upload_api_base = stripe.meter_events_api_base = os.environ["CLIENT_BASE_URL"]
    stripe.api_key = os.environ["CLIENT_SECRET_KEY"]
    # Without one the library does not even try what belongs to connected accounts.
    stripe.client_id = "ca_none"
    stripe.max_network_retries = 0
    intents = [stripe.PaymentIntent.create(amount=1250, currency="eur") for _ in range(3)]
    endpoint = stripe.WebhookEndpoint.create(url=os.environ["CLIENT_HOOK_URL"], enabled_events=["*"])
    offered = [
        intents[0],
        stripe.Charge.construct_from({"id": "ch_none", "object": "charge"}, stripe.api_key),
        stripe.Refund.construct_from({"id": "re_none", "object": "refund"}, stripe.api_key),
        stripe.Event.list(limit=1).data[0],
        stripe.PaymentIntent.list(limit=1),
        stripe.Account.retrieve(),
        endpoint,
    ]
    plain = set(dir(stripe.StripeObject))
    for each in offered:
        for name in [*sorted(set(dir(type(each))) - plain), "refresh"]:
            method = getattr(each, name, None)
            if callable(method) and not inspect.isclass(method) and not name.startswith("_") and not name.endswith(("_async", "_url", "_request")):
                call(f"{type(each).__name__}.{name}", method, each)
    return 0


def call(name, method, each):
    required = [
        parameter
        for parameter in inspect.signature(method).parameters.values()
        if parameter.default is inspect.Parameter.empty and parameter.kind is parameter.POSITIONAL_OR_KEYWORD
    ]
    try:
        answer = method(*(getattr(each, "id", "none") if parameter.name == "id" else "none" for parameter in required))
        # The next page is fetched by iterating beyond the first.
        if inspect.isgenerator(answer):
            list(itertools.islice(answer, 3))
    except stripe.APIConnectionError as error:
        raise AssertionError(f"{name}: {error}") from error
    except (stripe.StripeError, TypeError, ValueError, KeyError, AttributeError):
        pass  # The relay's refusal, or an argument that the library itself does not take.
    print(json.dumps({"called": name}), flush=True)


MODES = {"verify": verify, "life": life, "objects": objects}
sys.exit(MODES[sys.argv[1]](*sys.argv[2:]))
