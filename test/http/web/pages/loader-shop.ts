/** A shop's bundle that uses the platform's loader, as its users write it. What happens is put into `window.seen`. */
import { loadStripe, type Stripe, type StripeElements } from "@stripe/stripe-js";

interface Seen {
  stripe: Stripe | null;
  elements: StripeElements;
  events: string[];
}

const parameters = new URLSearchParams(location.search);
const clientSecret = parameters.get("secret") ?? "";
const stripe = await loadStripe(parameters.get("key") ?? "");
if (stripe === null) throw new Error("there is no script");
const elements = stripe.elements({ clientSecret });
const events: string[] = [];
const payment = elements.create("payment");
payment.on("ready", () => events.push("ready"));
payment.on("change", ({ complete, empty, value }) => {
  events.push(`change ${complete} ${empty} ${value.type}`);
  button.disabled = !complete;
});
const button = document.createElement("button");
button.textContent = "Pay";
button.disabled = true;
const error = document.createElement("p");
error.id = "error";
const place = document.createElement("div");
place.id = "payment";
document.body.append(place, button, error);
payment.mount("#payment");
button.addEventListener("click", async () => {
  const submitted = await elements.submit();
  if (submitted.error !== undefined) throw new Error("there is nothing to submit");
  const result = await stripe.confirmPayment({ elements, confirmParams: { return_url: `${location.origin}/done` } });
  error.textContent = JSON.stringify(result.error);
});
const seen: Seen = { stripe, elements, events };
Object.assign(window, { seen });
