import { numberedMembers, parseNumbered } from "../kernel/json-members.ts";
import { OUTCOME_MEMBERS, PROVIDERS, WRAPPED_LEVELS_MAX, WRAPPERS } from "./result-outcome.ts";

const OUTCOME: ReadonlySet<string> = new Set([...OUTCOME_MEMBERS, "approved", "scanResult", "printResult"]);
const MONEY: ReadonlySet<string> = new Set([...OUTCOME, "uuid", "amount", "amountCents", "currency"]);
/** Objects whose words about the outcome are read as well (result-outcome.ts). */
const NESTED: ReadonlySet<string> = new Set([...WRAPPERS, ...PROVIDERS, "scan", "print"]);

/**
 * The member of a posting by which it says two things about one payment: a uuid, an amount, a currency or a word of the outcome that stands
 * in the JSON text twice, with different values. Null if there is none. Any other member that stands there twice changes nothing about the
 * payment: a result is not lost because of it, and its last value counts, as in every result.
 */
export function contradictedMember(text: string): string | null {
  return told(parseNumbered(text), MONEY, 0).contradicted;
}

interface Told {
  /** What an object says, as text, to compare it with what another object of the same name says. */
  said: string;
  contradicted: string | null;
}

function told(object: unknown, decisive: ReadonlySet<string>, level: number): Told {
  const values = new Map<string, Set<string>>();
  let contradicted: string | null = null;
  for (const [name, value] of typeof object === "object" && object !== null ? numberedMembers(object) : []) {
    const isObject = typeof value === "object" && value !== null;
    let said: string;
    if (isObject && NESTED.has(name) && level < WRAPPED_LEVELS_MAX) {
      const inner = told(value, OUTCOME, level + 1);
      if (inner.contradicted !== null) contradicted ??= `${name}.${inner.contradicted}`;
      said = inner.said;
    } else if (!decisive.has(name)) continue;
    // No object is a uuid, an amount or a word: two of them are never the same.
    else said = isObject ? `object ${values.get(name)?.size ?? 0}` : JSON.stringify(value);
    values.set(name, (values.get(name) ?? new Set()).add(said));
  }
  for (const [name, said] of values) if (said.size > 1) contradicted ??= name;
  return { said: JSON.stringify([...values].map(([name, said]) => [name, ...said]).sort()), contradicted };
}
