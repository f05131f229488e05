// The platform's library for Go. ../PROGRAMS.md has the protocol.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/stripe/stripe-go/v85"
	"github.com/stripe/stripe-go/v85/webhook"
)

var (
	ctx     = context.Background()
	answers = bufio.NewReader(os.Stdin)
)

func main() {
	switch os.Args[1] {
	case "verify":
		verify(os.Args[2:])
	case "objects":
		objects()
	default:
		life()
	}
}

func verify(args []string) {
	payload, err := os.ReadFile(args[0])
	must(err)
	tolerance := webhook.DefaultTolerance
	if len(args) > 3 {
		// The library compares with the clock; moved by the tolerance it compares with the time that was given.
		seconds, err := strconv.ParseInt(args[3], 10, 64)
		must(err)
		tolerance += time.Since(time.Unix(seconds, 0))
	}
	event, err := webhook.ConstructEventWithTolerance(payload, args[1], args[2], tolerance)
	if err != nil {
		say(map[string]any{"refused": err.Error()})
		os.Exit(1)
	}
	_, readable := event.Data.Object["id"].(string)
	say(map[string]any{"verified": event.ID, "type": event.Type, "object": readable})
}

// client is set up as infra/docs/compat.md says it.
func client(key string) *stripe.Client {
	return stripe.NewClient(key, stripe.WithBackends(stripe.NewBackendsWithConfig(&stripe.BackendConfig{
		URL:               stripe.String(os.Getenv("CLIENT_BASE_URL")),
		MaxNetworkRetries: stripe.Int64(0),
		EnableTelemetry:   stripe.Bool(false),
		LeveledLogger:     &stripe.LeveledLogger{Level: stripe.LevelNull},
	})))
}

// objects calls every method of the services; objects themselves have none. Whatever the relay answers is fine; nobody else can be reached.
func objects() {
	sc := client(os.Getenv("CLIENT_SECRET_KEY"))
	for range 2 {
		_, err := sc.V1PaymentIntents.Create(ctx, &stripe.PaymentIntentCreateParams{Amount: stripe.Int64(1250), Currency: stripe.String("eur")})
		must(err)
	}
	services := reflect.ValueOf(*sc)
	for _, name := range []string{"V1PaymentIntents", "V1Charges", "V1Refunds", "V1Events", "V1WebhookEndpoints", "V1Accounts", "V1Files", "OAuth", "V2BillingMeterEventStreams"} {
		service := services.FieldByName(name)
		for index := range service.NumMethod() {
			call(name+"."+service.Type().Method(index).Name, service.Method(index))
		}
	}
}

func call(name string, method reflect.Value) {
	defer say(map[string]any{"called": name})
	given := []reflect.Value{}
	for index := range method.Type().NumIn() {
		kind := method.Type().In(index)
		switch {
		case kind.Implements(reflect.TypeFor[context.Context]()):
			given = append(given, reflect.ValueOf(ctx))
		case kind.Kind() == reflect.String:
			given = append(given, reflect.ValueOf("none").Convert(kind))
		case kind.Kind() == reflect.Pointer:
			given = append(given, reflect.New(kind.Elem()))
		default:
			given = append(given, reflect.Zero(kind))
		}
	}
	for _, answer := range answersOf(name, method, given) {
		if page := answer.MethodByName("All"); page.IsValid() {
			seen := 0
			each := page.Call([]reflect.Value{reflect.ValueOf(ctx)})[0]
			each.Call([]reflect.Value{reflect.MakeFunc(each.Type().In(0), func(args []reflect.Value) []reflect.Value {
				requireReached(name, args[1])
				seen++
				return []reflect.Value{reflect.ValueOf(seen < 12)}
			})})
		}
		requireReached(name, answer)
	}
}

// answersOf calls a method; one that panics does not take what is made up here.
func answersOf(name string, method reflect.Value, given []reflect.Value) (answers []reflect.Value) {
	defer func() { _ = recover() }()
	return method.Call(given)
}

// requireReached fails for an error of the network: the call went elsewhere.
func requireReached(name string, answer reflect.Value) {
	var unreached *url.Error
	if err, isError := answer.Interface().(error); isError && errors.As(err, &unreached) {
		panic(name + ": " + err.Error())
	}
}

func life() {
	sc := client(os.Getenv("CLIENT_SECRET_KEY"))
	returnURL := os.Getenv("CLIENT_RETURN_URL")
	eur := stripe.String("eur")

	retrieve := func(id string) *stripe.PaymentIntent {
		intent, err := sc.V1PaymentIntents.Retrieve(ctx, id, nil)
		must(err)
		return intent
	}
	create := func(amount int64) *stripe.PaymentIntent {
		intent, err := sc.V1PaymentIntents.Create(ctx, &stripe.PaymentIntentCreateParams{Amount: &amount, Currency: eur})
		must(err)
		return intent
	}
	confirm := func(id string) *stripe.PaymentIntent {
		intent, err := sc.V1PaymentIntents.Confirm(ctx, id, &stripe.PaymentIntentConfirmParams{ReturnURL: &returnURL})
		must(err)
		same(intent.Status, stripe.PaymentIntentStatusRequiresAction)
		same(string(intent.NextAction.Type), "redirect_to_url")
		same(intent.NextAction.RedirectToURL.ReturnURL, returnURL)
		return intent
	}
	paid := func(intent *stripe.PaymentIntent, card string, redirectStatus string) *stripe.PaymentIntent {
		arrived, err := url.Parse(ask(map[string]any{"ask": "pay", "url": intent.NextAction.RedirectToURL.URL, "card": card})["returned"])
		must(err)
		query := arrived.Query()
		same(query.Get("payment_intent"), intent.ID)
		same(query.Get("payment_intent_client_secret"), intent.ClientSecret)
		same(query.Get("redirect_status"), redirectStatus)
		same(query.Get("shop"), "1")
		return retrieve(intent.ID)
	}

	endpoint, err := sc.V1WebhookEndpoints.Create(ctx, &stripe.WebhookEndpointCreateParams{
		URL:           stripe.String(os.Getenv("CLIENT_HOOK_URL")),
		EnabledEvents: stripe.StringSlice([]string{"payment_intent.succeeded", "payment_intent.payment_failed", "charge.refunded"}),
		APIVersion:    stripe.String(stripe.APIVersion),
	})
	must(err)
	same(strings.HasPrefix(endpoint.Secret, "whsec_"), true)
	shown, err := sc.V1WebhookEndpoints.Retrieve(ctx, endpoint.ID, nil)
	must(err)
	same(shown.Secret, "")
	step("registers an endpoint")

	intent, err := sc.V1PaymentIntents.Create(ctx, &stripe.PaymentIntentCreateParams{
		Amount: stripe.Int64(1250), Currency: eur, Description: stripe.String("Röstkaffee & more"), Metadata: map[string]string{"order": "A+1 50%"},
	})
	must(err)
	same(intent.Status, stripe.PaymentIntentStatusRequiresPaymentMethod)
	same(intent.Livemode, false)
	same(strings.HasPrefix(intent.ClientSecret, intent.ID+"_secret_"), true)
	step("creates an intent")
	retrieved := retrieve(intent.ID)
	same(retrieved.Metadata, map[string]string{"order": "A+1 50%"})
	same(retrieved.Description, "Röstkaffee & more")
	step("retrieves it")
	updated, err := sc.V1PaymentIntents.Update(ctx, intent.ID, &stripe.PaymentIntentUpdateParams{
		Amount: stripe.Int64(1300), Metadata: map[string]string{"order": "", "table": "7"},
	})
	must(err)
	same(updated.Amount, int64(1300))
	same(updated.Metadata, map[string]string{"table": "7"})
	step("updates it")
	open := confirm(intent.ID)
	step("confirms it")
	succeeded := paid(open, "4242424242424242", "succeeded")
	step("has it paid on the hosted page")

	hook := ask(map[string]any{"ask": "webhook", "type": "payment_intent.succeeded", "object": intent.ID})
	event, err := webhook.ConstructEvent([]byte(hook["payload"]), hook["header"], endpoint.Secret)
	must(err)
	var told stripe.PaymentIntent
	must(json.Unmarshal(event.Data.Raw, &told))
	same(told.ID, intent.ID)
	same(told.Status, stripe.PaymentIntentStatusSucceeded)
	step("verifies its event")
	_, err = webhook.ConstructEvent([]byte(strings.Replace(hook["payload"], "1300", "1301", 1)), hook["header"], endpoint.Secret)
	same(errors.Is(err, webhook.ErrNoValidSignature), true)
	step("does not verify an event that was changed")
	same(succeeded.Status, stripe.PaymentIntentStatusSucceeded)
	same(succeeded.AmountReceived, int64(1300))
	step("sees that it succeeded")

	retrieveCharge := &stripe.ChargeRetrieveParams{}
	retrieveCharge.AddExpand("payment_intent")
	charge, err := sc.V1Charges.Retrieve(ctx, succeeded.LatestCharge.ID, retrieveCharge)
	must(err)
	same(charge.PaymentIntent.Amount, int64(1300))
	same(charge.PaymentMethodDetails.Card.Last4, "4242")
	same(string(charge.PaymentMethodDetails.Card.Brand), "visa")
	same(charge.AmountCaptured, int64(1300))
	retrieveIntent := &stripe.PaymentIntentRetrieveParams{}
	retrieveIntent.AddExpand("latest_charge")
	expanded, err := sc.V1PaymentIntents.Retrieve(ctx, intent.ID, retrieveIntent)
	must(err)
	same(expanded.LatestCharge.Amount, int64(1300))
	step("retrieves its charge, expanded")

	refund, err := sc.V1Refunds.Create(ctx, &stripe.RefundCreateParams{
		PaymentIntent: &intent.ID, Reason: stripe.String("requested_by_customer"), Metadata: map[string]string{"by": "till 2"},
	})
	must(err)
	same(refund.Status, stripe.RefundStatusSucceeded)
	same(refund.Amount, int64(1300))
	same(refund.Charge.ID, charge.ID)
	found, err := sc.V1Refunds.Retrieve(ctx, refund.ID, nil)
	must(err)
	same(found.PaymentIntent.ID, intent.ID)
	var ofIntent []string
	sc.V1Refunds.List(ctx, &stripe.RefundListParams{PaymentIntent: &intent.ID}).All(ctx)(func(each *stripe.Refund, err error) bool {
		must(err)
		ofIntent = append(ofIntent, each.ID)
		return true
	})
	same(ofIntent, []string{refund.ID})
	refunded, err := sc.V1Charges.Retrieve(ctx, charge.ID, nil)
	must(err)
	same(refunded.Refunded, true)
	same(refunded.AmountRefunded, int64(1300))
	same(retrieve(intent.ID).Status, stripe.PaymentIntentStatusSucceeded)
	step("refunds it")
	hook = ask(map[string]any{"ask": "webhook", "type": "charge.refunded", "object": charge.ID})
	event, err = webhook.ConstructEvent([]byte(hook["payload"]), hook["header"], endpoint.Secret)
	must(err)
	var toldCharge stripe.Charge
	must(json.Unmarshal(event.Data.Raw, &toldCharge))
	same(toldCharge.AmountRefunded, int64(1300))
	step("verifies the event of the refund")

	var listed []string
	for n := int64(1); n <= 5; n++ {
		listed = append([]string{create(100 + n).ID}, listed...)
	}
	list := &stripe.PaymentIntentListParams{CreatedRange: &stripe.RangeQueryParams{GreaterThanOrEqual: intent.Created}}
	list.Limit = stripe.Int64(2)
	seen := map[string]bool{}
	var ours []string
	sc.V1PaymentIntents.List(ctx, list).All(ctx)(func(each *stripe.PaymentIntent, err error) bool {
		must(err)
		same(seen[each.ID], false)
		seen[each.ID] = true
		for _, id := range listed {
			if id == each.ID {
				ours = append(ours, id)
			}
		}
		return true
	})
	same(ours, listed)
	same(seen[intent.ID], true)
	step("lists several pages")
	events := &stripe.EventListParams{Type: stripe.String("payment_intent.succeeded")}
	events.Limit = stripe.Int64(100)
	first := firstEvent(sc, intent.ID, events)
	one, err := sc.V1Events.Retrieve(ctx, first, nil)
	must(err)
	same(one.Data.Object["id"], any(intent.ID))
	step("lists events")

	manual, err := sc.V1PaymentIntents.Create(ctx, &stripe.PaymentIntentCreateParams{
		Amount: stripe.Int64(1250), Currency: eur, CaptureMethod: stripe.String("manual"),
	})
	must(err)
	held := paid(confirm(manual.ID), "5555555555554444", "succeeded")
	same(held.Status, stripe.PaymentIntentStatusRequiresCapture)
	same(held.AmountCapturable, int64(1250))
	captured, err := sc.V1PaymentIntents.Capture(ctx, held.ID, &stripe.PaymentIntentCaptureParams{AmountToCapture: stripe.Int64(500)})
	must(err)
	same(captured.Status, stripe.PaymentIntentStatusSucceeded)
	same(captured.AmountReceived, int64(500))
	same(captured.AmountCapturable, int64(0))
	step("captures a part")
	canceled, err := sc.V1PaymentIntents.Cancel(ctx, listed[0], &stripe.PaymentIntentCancelParams{CancellationReason: stripe.String("abandoned")})
	must(err)
	same(canceled.Status, stripe.PaymentIntentStatusCanceled)
	same(string(canceled.CancellationReason), "abandoned")
	step("cancels")

	declined := paid(confirm(create(1250).ID), "4000000000000002", "failed")
	same(declined.Status, stripe.PaymentIntentStatusRequiresPaymentMethod)
	same(declined.LastPaymentError.Type, stripe.ErrorTypeCard)
	same(declined.LastPaymentError.Code, stripe.ErrorCodeCardDeclined)
	same(string(declined.LastPaymentError.DeclineCode), "generic_decline")
	again := confirm(declined.ID)
	same(paid(again, "4111111111111111", "succeeded").Status, stripe.PaymentIntentStatusSucceeded)
	step("sees a declined card, and pays with another")
	poor := paid(confirm(create(1250).ID), "4000000000009995", "failed")
	same(string(poor.LastPaymentError.DeclineCode), "insufficient_funds")
	step("sees insufficient funds")
	left := paid(confirm(create(1250).ID), "cancel", "canceled")
	same(left.Status, stripe.PaymentIntentStatusRequiresPaymentMethod)
	same(string(left.LastPaymentError.Code), "payment_method_customer_decline")
	step("sees that the buyer cancelled")
	late := paid(confirm(create(1250).ID), "4000000000000069", "failed")
	same(string(late.LastPaymentError.Code), "payment_intent_payment_attempt_expired")
	step("sees that the payment expired")

	_, err = sc.V1PaymentIntents.Create(ctx, &stripe.PaymentIntentCreateParams{Currency: eur})
	same(refused(err, 400, stripe.ErrorTypeInvalidRequest, "parameter_missing").Param, "amount")
	step("is told which parameter is missing")
	_, err = sc.V1PaymentIntents.Retrieve(ctx, "pi_000000000000000000000000", nil)
	same(refused(err, 404, stripe.ErrorTypeInvalidRequest, "resource_missing").Param, "intent")
	step("is told what does not exist")
	_, err = sc.V1PaymentIntents.Confirm(ctx, intent.ID, &stripe.PaymentIntentConfirmParams{ReturnURL: &returnURL})
	same(refused(err, 400, stripe.ErrorTypeInvalidRequest, "payment_intent_unexpected_state").PaymentIntent.ID, intent.ID)
	step("is told that the status does not allow it")
	_, err = client("sk_merchant_wrong").V1PaymentIntents.Retrieve(ctx, intent.ID, nil)
	refused(err, 401, stripe.ErrorTypeInvalidRequest, "")
	step("is refused with a wrong key")
	_, err = client(os.Getenv("CLIENT_PUBLISHABLE_KEY")).V1PaymentIntents.Create(ctx, &stripe.PaymentIntentCreateParams{Amount: stripe.Int64(1), Currency: eur})
	refused(err, 403, stripe.ErrorTypeInvalidRequest, "secret_key_required")
	step("is refused with a publishable key")

	keyed := func(amount int64) (*stripe.PaymentIntent, error) {
		params := &stripe.PaymentIntentCreateParams{Amount: &amount, Currency: eur}
		params.SetIdempotencyKey("key-" + intent.ID)
		return sc.V1PaymentIntents.Create(ctx, params)
	}
	once, err := keyed(700)
	must(err)
	twice, err := keyed(700)
	must(err)
	same(twice.ID, once.ID)
	same(twice.LastResponse.Header.Get("Idempotent-Replayed"), "true")
	_, err = keyed(701)
	refused(err, 400, stripe.ErrorTypeIdempotency, "")
	step("has a repeated key answered alike, and refused for another request")

	slow := client(os.Getenv("CLIENT_SLOW_KEY"))
	for n := 0; n < 3; n++ {
		_, err = slow.V1Charges.Retrieve(ctx, "ch_000000000000000000000000", nil)
	}
	refused(err, 429, stripe.ErrorTypeInvalidRequest, "rate_limit")
	step("is told to wait")

	if key := os.Getenv("CLIENT_REFUSED_KEY"); key != "" {
		shut := client(key)
		created, err := shut.V1PaymentIntents.Create(ctx, &stripe.PaymentIntentCreateParams{Amount: stripe.Int64(1250), Currency: eur})
		must(err)
		_, err = shut.V1PaymentIntents.Confirm(ctx, created.ID, &stripe.PaymentIntentConfirmParams{ReturnURL: &returnURL})
		refused(err, 402, stripe.ErrorTypeCard, "card_declined")
		var card *stripe.CardError
		same(errors.As(err, &card), true)
		step("has a card error where the payment is refused at once")
	}

	deleted, err := sc.V1WebhookEndpoints.Delete(ctx, endpoint.ID, nil)
	must(err)
	same(deleted.Deleted, true)
	_, err = sc.V1WebhookEndpoints.Retrieve(ctx, endpoint.ID, nil)
	refused(err, 404, stripe.ErrorTypeInvalidRequest, "resource_missing")
	step("removes the endpoint")
}

func firstEvent(sc *stripe.Client, intentID string, params *stripe.EventListParams) string {
	found := ""
	sc.V1Events.List(ctx, params).All(ctx)(func(each *stripe.Event, err error) bool {
		must(err)
		if each.Data.Object["id"] == intentID {
			found = each.ID
		}
		return found == ""
	})
	same(strings.HasPrefix(found, "evt_"), true)
	return found
}

func refused(err error, status int, kind stripe.ErrorType, code string) *stripe.Error {
	var refusal *stripe.Error
	if !errors.As(err, &refusal) {
		panic(fmt.Sprintf("was not refused with %d: %v", status, err))
	}
	same(refusal.HTTPStatusCode, status)
	same(refusal.Type, kind)
	if code != "" {
		same(string(refusal.Code), code)
	}
	same(strings.HasPrefix(refusal.RequestID, "req_"), true)
	return refusal
}

func same(actual any, expected any) {
	if !reflect.DeepEqual(actual, expected) {
		panic(fmt.Sprintf("%v, not %v", actual, expected))
	}
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func say(line map[string]any) {
	text, err := json.Marshal(line)
	must(err)
	fmt.Println(string(text))
}

func step(name string) {
	say(map[string]any{"step": name})
}

func ask(question map[string]any) map[string]string {
	say(question)
	line, err := answers.ReadString('\n')
	must(err)
	answer := map[string]string{}
	must(json.Unmarshal([]byte(line), &answer))
	return answer
}
