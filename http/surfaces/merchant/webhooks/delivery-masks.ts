import { MASKED } from "../../../../engine/kernel/mask.ts";
import { maskedEmail } from "../../parts/masking.ts";

/** Members of objects that contain people's names, addresses and telephone numbers. */
const OF_PEOPLE: ReadonlySet<string> = new Set(["shipping", "billing_details"]);

/** Masks people in a body, which is JSON that the relay wrote. */
export function withoutPeople(body: string): string {
  return JSON.stringify(JSON.parse(body, (name, value: unknown) => (OF_PEOPLE.has(name) ? withoutTexts(value) : value)));
}

/** Keeps the structure, because it helps to find a mistake in the body. */
function withoutTexts(value: unknown): unknown {
  if (typeof value === "string") return value === "" ? "" : MASKED;
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(withoutTexts);
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withoutTexts(member)]));
}

/** The lengths are the limits of an address's parts, so that one pass masks a long text. */
const ADDRESS = /[^\s"'<>(),;:[\]{}\\@]{1,64}@[A-Za-z0-9.-]{1,255}/g;

export function withoutAddresses(text: string): string {
  return text.replace(ADDRESS, maskedEmail);
}
