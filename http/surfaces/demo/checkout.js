// A shop's page, as shops write it: the server creates the payment, the page confirms it, and the buyer pays at the payment page.
const { key, global, cup, shipping } = document.body.dataset;
const element = (id) => document.getElementById(id);
const [form, quantity, pay, error] = ["checkout", "quantity", "pay", "error"].map(element);

const money = (minor) => new Intl.NumberFormat("en", { style: "currency", currency: "EUR" }).format(minor / 100);
const totalMinor = () => Number(quantity.value) * Number(cup) + Number(shipping);

function show() {
  element("cups").textContent = money(Number(quantity.value) * Number(cup));
  element("shipping").textContent = money(Number(shipping));
  element("total").textContent = money(totalMinor());
  pay.textContent = `Pay ${money(totalMinor())}`;
}

const client = window[global](key);
const elements = client.elements({ mode: "payment", amount: totalMinor(), currency: "eur" });
const payment = elements.create("payment");
payment.on("change", ({ complete }) => {
  pay.disabled = !complete;
});
payment.mount("#payment");

async function createIntent() {
  const response = await fetch("/demo/intents", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ quantity: Number(quantity.value) }),
  });
  if (!response.ok) throw new Error("The order could not be created. Try again.");
  return response.json();
}

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  pay.disabled = true;
  error.textContent = "";
  try {
    const { clientSecret } = await createIntent();
    const result = await client.confirmPayment({
      elements,
      clientSecret,
      confirmParams: { return_url: new URL("/demo/return", location.href).href },
    });
    error.textContent = result.error.message;
  } catch (problem) {
    error.textContent = problem.message;
  }
  pay.disabled = false;
});

// A buyer who comes back by the browser's button finds the page as it was left.
window.addEventListener("pageshow", ({ persisted }) => {
  if (persisted) pay.disabled = false;
});
quantity.addEventListener("change", show);
show();
