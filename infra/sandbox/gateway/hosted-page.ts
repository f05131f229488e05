import { fromMinorUnits } from "../../../engine/kernel/money.ts";
import type { Paid, Payment } from "./payments.ts";
import { APPROVED, brandOf, CANCELLED, EXPIRED, isCardNumber, masked, type Outcome, outcomeOfCard, outcomeOfPhone } from "./test-cards.ts";

/** What a buyer sent from the page. */
export type Submission =
  | { type: "cancelled"; outcome: Outcome }
  | { type: "paid"; outcome: Outcome; paid: Omit<Paid, "tranId" | "authCode"> }
  /** By field; the entered values are not shown again, except the name. */
  | { type: "mistaken"; mistakes: { [field: string]: string }; holder: string };

/** Reads the page's form. The card's number and code leave this function only masked, or not at all. */
export function readSubmission(payment: Payment, form: URLSearchParams, nowMs: number): Submission {
  if (form.get("action") === "cancel") return { type: "cancelled", outcome: CANCELLED };
  return payment.order.instrument === "card" ? readCard(form, nowMs) : readPhone(form);
}

function readCard(form: URLSearchParams, nowMs: number): Submission {
  const number = (form.get("number") ?? "").replace(/[\s-]/g, "");
  const holder = (form.get("holder") ?? "").trim().slice(0, 64);
  const mistakes: { [field: string]: string } = {};
  if (!isCardNumber(number)) mistakes["number"] = "Enter the card number as it is on the card.";
  if (!isExpiryAhead(form.get("expiry") ?? "", nowMs))
    mistakes["expiry"] = "Enter the end of validity as month and year, such as 07/30; it must not have passed.";
  if (!/^\d{3,4}$/.test(form.get("code") ?? "")) mistakes["code"] = "Enter the three or four digits of the security code.";
  if (holder === "") mistakes["holder"] = "Enter the name on the card.";
  if (Object.keys(mistakes).length > 0) return { type: "mistaken", mistakes, holder };
  const [payerName = holder, ...rest] = holder.split(/\s+/);
  const paid = { maskedPan: masked(number), cardBrand: brandOf(number), payerName, payerLastName: rest.join(" ") || null };
  return { type: "paid", outcome: outcomeOfCard(number), paid };
}

function readPhone(form: URLSearchParams): Submission {
  const phone = (form.get("phone") ?? "").replace(/[\s-]/g, "");
  if (!/^\+?\d{8,15}$/.test(phone)) {
    return { type: "mistaken", mistakes: { phone: "Enter your phone number with 8 to 15 digits." }, holder: "" };
  }
  return {
    type: "paid",
    outcome: outcomeOfPhone(phone),
    paid: { maskedPan: null, cardBrand: "BANCOMAT_PAY", payerName: null, payerLastName: null },
  };
}

/** `07/30`, `07/2030` or `0730`. */
function isExpiryAhead(text: string, nowMs: number): boolean {
  const [, month, year] = /^\s*(0[1-9]|1[0-2])\s*\/?\s*(?:20)?(\d{2})\s*$/.exec(text) ?? [];
  return month !== undefined && Date.UTC(2000 + Number(year), Number(month), 1) > nowMs;
}

/** The page of a payment: its form while it waits, else its outcome. */
export function pageOf(payment: Payment, mistaken: { mistakes: { [field: string]: string }; holder: string } | null): string {
  const { outcome, order } = payment;
  if (outcome !== null) return document(titleOf(outcome), `${ended(outcome, order.returnURL)}${summaryOf(payment)}`);
  const mistakes = mistaken?.mistakes ?? {};
  const alert =
    mistaken === null
      ? ""
      : `<div class="alert" role="alert" id="mistakes" tabindex="-1"><h2>Please check what you entered</h2><ul>${Object.entries(mistakes)
          .map(([field, mistake]) => `<li><a href="#${field}">${escaped(mistake)}</a></li>`)
          .join("")}</ul></div>`;
  const fields = order.instrument === "card" ? cardFields(mistakes, mistaken?.holder ?? "") : phoneFields(mistakes);
  return document(
    "Payment",
    `<h1>Payment</h1>
${summaryOf(payment)}
${alert}
<form method="post" id="payment" novalidate>
${fields}
<div class="actions">
<button type="submit" name="action" value="pay" class="primary">Pay ${escaped(amountOf(payment))}</button>
<button type="submit" name="action" value="cancel">Cancel</button>
</div>
</form>
<p class="note">This is a sandbox: no money moves, and no real card belongs here. Test numbers are in the gateway's README.</p>`,
  );
}

export function missingPage(): string {
  return document("No such payment", "<h1>No such payment</h1><p>The address is not complete, or the payment is too old.</p>");
}

function cardFields(mistakes: { [field: string]: string }, holder: string): string {
  return [
    field({ id: "number", label: "Card number", autocomplete: "cc-number", inputmode: "numeric", maxlength: 23, mistakes }),
    field({
      id: "expiry",
      label: "Valid until",
      hint: "Month and year, such as 07/30",
      autocomplete: "cc-exp",
      inputmode: "numeric",
      maxlength: 7,
      mistakes,
    }),
    field({
      id: "code",
      label: "Security code",
      hint: "Three or four digits",
      autocomplete: "cc-csc",
      inputmode: "numeric",
      maxlength: 4,
      mistakes,
    }),
    field({ id: "holder", label: "Name on the card", autocomplete: "cc-name", inputmode: "text", maxlength: 64, mistakes, value: holder }),
  ].join("\n");
}

function phoneFields(mistakes: { [field: string]: string }): string {
  return field({
    id: "phone",
    label: "Phone number for BANCOMAT Pay",
    hint: "You confirm the payment in your bank's app; in the sandbox it confirms itself",
    autocomplete: "tel",
    inputmode: "tel",
    maxlength: 20,
    mistakes,
  });
}

interface Field {
  id: string;
  label: string;
  hint?: string;
  autocomplete: string;
  inputmode: string;
  maxlength: number;
  value?: string;
  mistakes: { [field: string]: string };
}

function field({ id, label, hint, autocomplete, inputmode, maxlength, value = "", mistakes }: Field): string {
  const mistake = mistakes[id];
  const described = [...(hint === undefined ? [] : [`${id}-hint`]), `${id}-mistake`].join(" ");
  return `<div class="field">
<label for="${id}">${label}</label>
${hint === undefined ? "" : `<span class="hint" id="${id}-hint">${hint}</span>`}
<input id="${id}" name="${id}" required autocomplete="${autocomplete}" inputmode="${inputmode}" maxlength="${maxlength}" value="${escaped(value)}" aria-describedby="${described}"${mistake === undefined ? "" : ' aria-invalid="true"'}>
<span class="mistake" id="${id}-mistake">${escaped(mistake ?? "")}</span>
</div>`;
}

function summaryOf(payment: Payment): string {
  const { description, merchantReference } = payment.order;
  const rows: [string, string][] = [["Amount", amountOf(payment)]];
  if (description !== "") rows.push(["Reason", description]);
  if (merchantReference !== null) rows.push(["Reference", merchantReference]);
  return `<dl>${rows.map(([name, value]) => `<div><dt>${name}</dt><dd>${escaped(value)}</dd></div>`).join("")}</dl>`;
}

function ended({ resultCode, description }: Outcome, returnUrl: string | null): string {
  const back = returnUrl === null ? "<p>You can close this page.</p>" : `<p><a href="${escaped(returnUrl)}">Back to the shop</a></p>`;
  return `<h1 id="outcome" data-result-code="${escaped(resultCode)}">${titleOf({ resultCode, description })}</h1><p role="status">${escaped(description)} (${escaped(resultCode)})</p>${back}`;
}

function titleOf({ resultCode }: Outcome): string {
  if (resultCode === APPROVED.resultCode) return "Paid";
  if (resultCode === CANCELLED.resultCode) return "Cancelled";
  return resultCode === EXPIRED.resultCode ? "Expired" : "Not paid";
}

function amountOf({ order: { amount } }: Payment): string {
  return `${fromMinorUnits(amount.value, amount.currency)} ${amount.currency}`;
}

function document(title: string, main: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)} – sandbox gateway</title>
<link rel="stylesheet" href="/hosted-page.css">
<script type="module" src="/hosted-page.js"></script>
</head>
<body>
<main>
${main}
</main>
</body>
</html>
`;
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
