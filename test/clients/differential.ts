import type { Exchange } from "./support/recording-proxy.ts";

/**
 * What the platform's objects have and ours have not, with the reason, by the name of the object. A name stands for all that is below it.
 */
export const MAY_LACK: { readonly [object: string]: { readonly [reason: string]: readonly string[] } } = {
  payment_intent: {
    "fees and money of other accounts are refused": ["application_fee_amount", "on_behalf_of"],
    "customers with accounts of their own are refused": ["customer_account"],
    "only cards are taken, on the gateway's page": [
      "allowed_payment_method_types",
      "excluded_payment_method_types",
      "managed_payments",
      "payment_method_configuration_details",
      "source",
    ],
    "there are no reviews": ["review"],
    "fields of one time only": [
      "next_action",
      "processing",
      "last_payment_error",
      "transfer_data",
      "shipping",
      "automatic_payment_methods",
    ],
  },
  charge: {
    "fees and money of other accounts are refused": [
      "application",
      "application_fee",
      "application_fee_amount",
      "on_behalf_of",
      "source_transfer",
      "transfer_data",
      "transfer_group",
    ],
    "there are no balances": ["balance_transaction", "failure_balance_transaction"],
    "the gateway tells nothing of the buyer but the name": ["billing_details", "payment_method", "shipping", "customer", "receipt_email"],
    "the gateway tells the brand and the last digits of a card only": ["payment_method_details.card"],
    "the platform makes its receipts and statements itself": [
      "receipt_number",
      "receipt_url",
      "calculated_statement_descriptor",
      "statement_descriptor",
      "statement_descriptor_suffix",
    ],
    "the platform's judgement of fraud": ["fraud_details", "review", "outcome"],
    "refunds have their own list": ["refunds"],
    "it is the intent's": ["description"],
  },
  refund: {
    "there are no balances and transfers": ["balance_transaction", "source_transfer_reversal", "transfer_reversal"],
    "customers are the intent's": ["customer", "customer_account", "payment_method"],
    "the gateway does not tell how it refunds": ["destination_details", "receipt_number"],
  },
  webhook_endpoint: {},
  event: { "the example is of another object": ["data"] },
  list: {},
};

/** Parameters that are not passed on: the mock is older than the libraries, and knows no version that came after it. */
const LEFT_OUT = ["api_version"];

/** How many calls of one kind are compared; all of them say the same soon. */
const CALLS_OF_A_KIND = 3;

/**
 * Sends what was recorded to the platform's own mock, and compares names and types of the answers' members. The mock knows no state: what it answers are
 * examples, so that only calls that succeeded can be compared. What it refuses, a client of the platform could not have sent.
 */
export async function differencesOf(exchanges: readonly Exchange[], mockUrl: string): Promise<{ compared: number; differences: string[] }> {
  const differences = new Set<string>();
  const kinds = new Map<string, number>();
  let compared = 0;
  for (const exchange of exchanges) {
    const { method, path, query, status, requestBody, body } = exchange;
    const kind = `${method} ${path.replace(/\b(pi|ch|re|evt|we)_\w+/, "$1_ID")} ${query.includes("expand") ? "expanded" : ""}`;
    const count = kinds.get(kind) ?? 0;
    if (status !== 200 || count >= CALLS_OF_A_KIND) continue;
    kinds.set(kind, count + 1);
    const form = new URLSearchParams(requestBody);
    for (const name of LEFT_OUT) form.delete(name);
    const theirs = await fetch(`${mockUrl}${path}${query}`, {
      method,
      headers: { authorization: "Bearer sk_test_123", "content-type": "application/x-www-form-urlencoded" },
      ...(requestBody === "" ? {} : { body: form }),
    });
    const text = await theirs.text();
    compared += 1;
    if (theirs.status !== 200) differences.add(`${kind.trim()}: the platform's mock refuses the call: ${text.replaceAll(/\s+/g, " ")}`);
    else for (const difference of compare(JSON.parse(body), JSON.parse(text), "", "")) differences.add(`${kind.trim()}: ${difference}`);
  }
  return { compared, differences: [...differences] };
}

/** `object` is the platform's name of what is compared, `place` the way from there. */
function compare(ours: unknown, theirs: unknown, object: string, place: string): string[] {
  const [one, other] = [typeOf(ours), typeOf(theirs)];
  // What may be null is said by the description, which is checked apart.
  if (one === "null" || other === "null") return [];
  // An id, where one has expanded the object.
  if (one !== other) return [`${object} ${place}: ours is ${one}, theirs ${other}`];
  if (Array.isArray(ours) && Array.isArray(theirs)) {
    return theirs.length === 0 ? [] : ours.flatMap((item) => compare(item, theirs[0], object, `${place}[]`));
  }
  if (one !== "object") return [];
  const named = String(Object(theirs).object ?? "");
  const [about, way] = named === "" ? [object, place] : [named, ""];
  return Object.entries<unknown>(Object(theirs)).flatMap(([name, member]) => {
    const inner = way === "" ? name : `${way}.${name}`;
    const mine: unknown = Object(ours)[name];
    if (mine === undefined) return mayLack(about, inner) ? [] : [`${about} ${inner} is missing`];
    // The mock's own metadata and the data of its events are another object's.
    return name === "metadata" || (about === "event" && name === "data") ? [] : compare(mine, member, about, inner);
  });
}

function mayLack(object: string, place: string): boolean {
  return Object.values(MAY_LACK[object] ?? {}).some((places) => places.some((each) => place === each || place.startsWith(`${each}.`)));
}

function typeOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "list" : typeof value;
}
