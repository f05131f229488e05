import type { Exchange } from "./support/recording-proxy.ts";

/**
 * What the platform's objects have and ours have not, with the reason, by the name of the object. A name stands for all that is below it. What is listed here and
 * lacks nowhere fails, too.
 */
export const MAY_LACK: { readonly [object: string]: { readonly [reason: string]: readonly string[] } } = {
  charge: {
    "the gateway's authorizations are neither prolonged nor raised, and captured once": [
      "payment_method_details.card.amount_authorized",
      "payment_method_details.card.extended_authorization",
      "payment_method_details.card.incremental_authorization",
      "payment_method_details.card.multicapture",
      "payment_method_details.card.overcapture",
    ],
    "the gateway tells nothing of the card networks": [
      "payment_method_details.card.network_token",
      "payment_method_details.card.network_transaction_id",
      "payment_method_details.card.regulated_status",
      "payment_method_details.card.transaction_link_id",
    ],
    "the platform gives them only where they are expanded; they have their own list": ["refunds"],
  },
  refund: { "the gateway does not tell how it refunds": ["destination_details"] },
};

/** Parameters that are not passed on: the mock is older than the libraries, and knows no version that came after it. */
const LEFT_OUT = ["api_version"];

/** How many calls of one kind are compared; all of them say the same soon. */
const CALLS_OF_A_KIND = 3;

/**
 * Sends what was recorded to the platform's own mock, and compares names and types of the answers' members. The mock knows no state: what it answers are
 * examples, so that only calls that succeeded can be compared. What it refuses, a client of the platform could not have sent.
 */
export async function differencesOf(
  exchanges: readonly Exchange[],
  mockUrl: string,
): Promise<{ compared: number; differences: string[]; unneeded: string[] }> {
  const differences = new Set<string>();
  const lacking = new Set<string>();
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
    const found =
      theirs.status === 200
        ? compare(JSON.parse(body), JSON.parse(text), "", "")
        : [{ member: null, text: `the platform's mock refuses the call: ${text.replaceAll(/\s+/g, " ")}` }];
    for (const difference of found) {
      if (difference.member !== null && MAY_LACK_MEMBERS.has(difference.member)) lacking.add(difference.member);
      else differences.add(`${kind.trim()}: ${difference.text}`);
    }
  }
  return { compared, differences: [...differences], unneeded: [...MAY_LACK_MEMBERS].filter((member) => !lacking.has(member)) };
}

/** `charge refunds`, as comparing names a member that is missing. */
const MAY_LACK_MEMBERS: ReadonlySet<string> = new Set(
  Object.entries(MAY_LACK).flatMap(([object, reasons]) =>
    Object.values(reasons).flatMap((places) => places.map((place) => `${object} ${place}`)),
  ),
);

interface Difference {
  /** The member that is missing; null where it is something else. */
  readonly member: string | null;
  readonly text: string;
}

/** `object` is the platform's name of what is compared, `place` the way from there. */
function compare(ours: unknown, theirs: unknown, object: string, place: string): Difference[] {
  const [one, other] = [typeOf(ours), typeOf(theirs)];
  // What may be null is said by the description, which is checked apart.
  if (one === "null" || other === "null") return [];
  if (one !== other) return [{ member: null, text: `${object} ${place}: ours is ${one}, theirs ${other}` }];
  if (Array.isArray(ours) && Array.isArray(theirs)) {
    return theirs.length === 0 ? [] : ours.flatMap((item) => compare(item, theirs[0], object, `${place}[]`));
  }
  if (one !== "object") return [];
  const named = String(Object(theirs).object ?? "");
  const [about, way] = named === "" ? [object, place] : [named, ""];
  return Object.entries<unknown>(Object(theirs)).flatMap(([name, member]) => {
    const inner = way === "" ? name : `${way}.${name}`;
    const mine: unknown = Object(ours)[name];
    if (mine === undefined) return [{ member: `${about} ${inner}`, text: `${about} ${inner} is missing` }];
    // Metadata is everybody's own, and the mock's example of an event is about another object.
    return name === "metadata" || (about === "event" && name === "data") ? [] : compare(mine, member, about, inner);
  });
}

function typeOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "list" : typeof value;
}
