// The page that a buyer comes back to. What the address says is a hint; the relay is asked, and a shop's server would believe its webhooks.
const { key, global } = document.body.dataset;
const element = (id) => document.getElementById(id);
const parameters = new URLSearchParams(location.search);
const secret = parameters.get("payment_intent_client_secret") ?? "";

const POLL_MS = 2_000;
const LOOKS_MAX = 15;

const OUTCOMES = {
  succeeded: "Thank you: paid",
  requires_capture: "Thank you: reserved",
  processing: "The bank has not answered yet",
  requires_action: "Not paid yet",
  requires_payment_method: "Not paid",
  canceled: "Cancelled",
};

const client = window[global](key);

async function look(looks) {
  const { paymentIntent, error } = await client.retrievePaymentIntent(secret);
  element("intent").textContent = parameters.get("payment_intent") ?? "none";
  element("told").textContent = parameters.get("redirect_status") ?? "nothing";
  if (error !== undefined) {
    element("outcome").textContent = "The result is not known";
    element("detail").textContent = error.message;
    return;
  }
  const { status, amount, currency, last_payment_error: refused } = paymentIntent;
  const money = new Intl.NumberFormat("en", { style: "currency", currency }).format(amount / 100);
  element("outcome").textContent = OUTCOMES[status] ?? status;
  element("detail").textContent = status === "requires_payment_method" && refused !== null ? refused.message : money;
  element("status").textContent = status;
  if (status === "processing" && looks < LOOKS_MAX) setTimeout(() => look(looks + 1), POLL_MS);
}

look(1);
