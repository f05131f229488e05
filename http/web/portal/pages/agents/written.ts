import { AGENT_ADDRESSES_MAX, AGENT_DAYS_MAX, AGENT_LINKS_PER_HOUR_MAX } from "../../../../../engine/agents/words.ts";
import type { CreateAgentCredentialJson } from "../../../../surfaces/merchant/agent-credentials/schemas.ts";
import { amountProblem, minorOf } from "../../i18n/amounts.ts";
import { addDays, type Day, today } from "../../i18n/days.ts";
import { text } from "../../i18n/texts.ts";
import type { Limits, Scope } from "./words.ts";

export const LIFETIMES = ["1", "7", "30", "60", "90"] as const;
export type Lifetime = (typeof LIFETIMES)[number] | "other";

/** The contents of the wizard. */
export interface Written {
  name: string;
  scopes: readonly Scope[];
  currency: string;
  perLink: string;
  perDay: string;
  total: string;
  linksPerHour: string;
  lifetime: Lifetime;
  days: string;
  addresses: string;
}

export const NEW: Written = {
  ...{ name: "", scopes: ["links:create", "links:read"], currency: "EUR", perLink: "", perDay: "", total: "", linksPerHour: "20" },
  ...{ lifetime: "30", days: "45", addresses: "" },
};

const EXAMPLE_MINOR = 5_000;

export const STEPS = ["scopes", "limits", "validity", "review"] as const;
export type Step = (typeof STEPS)[number];

/** A credential that cannot create links has no step for limits. */
export function stepsOf(written: Written): readonly Step[] {
  return makesLinks(written) ? STEPS : STEPS.filter((step) => step !== "limits");
}

export function makesLinks({ scopes }: Pick<Written, "scopes">): boolean {
  return scopes.includes("links:create");
}

type Problems<Name extends string> = Record<Name, string | null>;

export function scopeProblems({ name, scopes }: Written): Problems<"name" | "scopes"> {
  const { agents, fields } = text();
  return { name: name.trim() === "" ? fields.required : null, scopes: scopes.length === 0 ? agents.wizard.noScopes : null };
}

/** Rejects a limit above a wider one, because it would have no effect and is probably a mistake. */
export function limitProblems(written: Written): Problems<"perLink" | "perDay" | "total" | "linksPerHour"> {
  const { wizard: words } = text().agents;
  const [perLink, perDay, total] = [minorIn(written, "perLink"), minorIn(written, "perDay"), minorIn(written, "total")];
  const amount = (member: "perLink" | "perDay" | "total") => amountProblem(written[member], written.currency, EXAMPLE_MINOR);
  const beyondTotal = (minor: number | null) => (minor !== null && total !== null && minor > total ? words.moreThanTotal : null);
  const beyondDay = perLink !== null && perDay !== null && perLink > perDay ? words.moreThanDay : null;
  return {
    perLink: amount("perLink") ?? beyondTotal(perLink) ?? beyondDay,
    perDay: amount("perDay") ?? beyondTotal(perDay),
    total: amount("total"),
    linksPerHour: isWhole(written.linksPerHour, AGENT_LINKS_PER_HOUR_MAX) ? null : words.linksForm(AGENT_LINKS_PER_HOUR_MAX),
  };
}

export function validityProblems(written: Written): Problems<"days" | "addresses"> {
  const { wizard: words } = text().agents;
  const addresses = addressesOf(written);
  const wrong = addresses.find((address) => !isAddress(address));
  return {
    days: written.lifetime !== "other" || isWhole(written.days, AGENT_DAYS_MAX) ? null : words.daysForm(AGENT_DAYS_MAX),
    addresses:
      wrong !== undefined
        ? words.addressForm(wrong.slice(0, 64))
        : addresses.length > AGENT_ADDRESSES_MAX
          ? words.tooMany(AGENT_ADDRESSES_MAX)
          : null,
  };
}

/** Returns the limits; null if the credential cannot create links or an amount is missing. */
export function limitsOf(written: Written): Limits | null {
  const [perLinkMaxMinor, perDayMinor, totalMinor] = [minorIn(written, "perLink"), minorIn(written, "perDay"), minorIn(written, "total")];
  if (!makesLinks(written) || perLinkMaxMinor === null || perDayMinor === null || totalMinor === null) return null;
  return { currency: written.currency, perLinkMaxMinor, perDayMinor, totalMinor, linksPerHour: Number(written.linksPerHour.trim()) };
}

function minorIn(written: Written, member: "perLink" | "perDay" | "total"): number | null {
  return minorOf(written[member], written.currency);
}

export function daysOf({ lifetime, days }: Pick<Written, "lifetime" | "days">): number {
  return Number(lifetime === "other" ? days.trim() : lifetime);
}

/** Returns the last valid day; null if the number of days is not valid. */
export function lastDayOf(written: Pick<Written, "lifetime" | "days">): Day | null {
  const days = daysOf(written);
  return Number.isInteger(days) && days >= 1 && days <= AGENT_DAYS_MAX ? addDays(today(), days) : null;
}

/** Splits the addresses at line breaks and commas. */
export function addressesOf({ addresses }: Pick<Written, "addresses">): string[] {
  const written = addresses.split(/[\s,;]+/).filter((address) => address !== "");
  return [...new Set(written)];
}

export function bodyOf(written: Written): CreateAgentCredentialJson {
  const { name, scopes } = written;
  const limits = limitsOf(written);
  const ipAllow = addressesOf(written);
  return {
    ...{ name: name.trim(), scopes: [...scopes], expiresInDays: daysOf(written) },
    ...(limits === null ? {} : { limits }),
    ...(ipAllow.length === 0 ? {} : { ipAllow }),
  };
}

function isWhole(written: string, max: number): boolean {
  return /^\d{1,4}$/.test(written.trim()) && Number(written) >= 1 && Number(written) <= max;
}

/** Finds mistakes while the person types. The relay makes the decision. */
function isAddress(address: string): boolean {
  const [host = "", bits, ...more] = address.split("/");
  if (more.length > 0) return false;
  const isV4 = /^\d{1,3}(?:\.\d{1,3}){3}$/.test(host) && host.split(".").every((part) => Number(part) <= 255);
  const isV6 = /^[0-9a-f:.]{2,45}$/i.test(host) && host.includes(":");
  if (!isV4 && !isV6) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (isV4 ? 32 : 128));
}
