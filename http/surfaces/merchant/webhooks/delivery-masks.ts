import { MASKED } from "../../../../engine/kernel/mask.ts";
import { maskedEmail } from "../../parts/masking.ts";

/** Members of the events' objects that say who somebody is, where they live and how to call them. */
const OF_PEOPLE: ReadonlySet<string> = new Set(["shipping", "billing_details"]);

/** `body`: JSON of our own. */
export function withoutPeople(body: string): string {
  return JSON.stringify(JSON.parse(body, (name, value: unknown) => (OF_PEOPLE.has(name) ? withoutTexts(value) : value)));
}

/** The form stays, for who looks for a fault in what was sent. */
function withoutTexts(value: unknown): unknown {
  if (typeof value === "string") return value === "" ? "" : MASKED;
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(withoutTexts);
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withoutTexts(member)]));
}

/** As long as the parts of an address may be: a text of a page is masked in one pass. */
const ADDRESS = /[^\s"'<>(),;:[\]{}\\@]{1,64}@[A-Za-z0-9.-]{1,255}/g;

export function withoutAddresses(text: string): string {
  return text.replace(ADDRESS, maskedEmail);
}
