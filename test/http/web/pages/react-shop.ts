/** A shop's bundle that uses the platform's wrapper for React, as its users write it. */
import { CardElement, Elements, PaymentElement, useElements, useStripe } from "@stripe/react-stripe-js";
import { loadStripe } from "@stripe/stripe-js";
import { createElement, type FormEvent, StrictMode, useState } from "react";
import { createRoot } from "react-dom/client";

const parameters = new URLSearchParams(location.search);
const clientSecret = parameters.get("secret") ?? "";
const stripePromise = loadStripe(parameters.get("key") ?? "");

function Checkout() {
  const stripe = useStripe();
  const elements = useElements();
  const [complete, setComplete] = useState(false);
  const [message, setMessage] = useState("");
  const pay = async (event: FormEvent) => {
    event.preventDefault();
    if (stripe === null || elements === null) return;
    if (elements.getElement(PaymentElement) === null) throw new Error("the element is not found by its component");
    if (elements.getElement(CardElement) !== null) throw new Error("an element is found that was not made");
    const { error } = await stripe.confirmPayment({ elements, confirmParams: { return_url: `${location.origin}/done` } });
    setMessage(error.message ?? "");
  };
  return createElement(
    "form",
    { onSubmit: pay },
    createElement(PaymentElement, { onChange: (event) => setComplete(event.complete) }),
    createElement("button", { type: "submit", disabled: stripe === null || !complete }, "Pay"),
    createElement("p", { id: "error" }, message),
  );
}

const place = document.createElement("div");
document.body.append(place);
const shop = createElement(Elements, { stripe: stripePromise, options: { clientSecret } }, createElement(Checkout));
createRoot(place).render(createElement(StrictMode, null, shop));
