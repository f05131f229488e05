import type { Surfaces } from "../../infra/node/wiring/shared/endpoints.ts";
import type { Answer, HttpClient } from "../support/http/http-client.ts";
import type { Planted } from "./planted.ts";

/** What those have in common that plant card numbers in a relay. */

export type AnyEndpoint = Surfaces[keyof Surfaces][number];

/** A relay to put card numbers into. */
export interface PlantWorld {
  url: string;
  planted: Planted;
  /** A caller with these headers, at an address of its own. */
  caller(headers: { [name: string]: string }): HttpClient;
  /** The latest part of the log. */
  log(): string;
}

export interface PlantOutcome {
  /** Every answer and frame that is nobody's own text, by who gave it. */
  answers: { about: string; text: string }[];
  /** Endpoints that took at least one number, with a 2xx. */
  taken: Set<string>;
  /** Endpoints with a body that takes a text. */
  takesText: Set<string>;
}

/** What the portal's own page sends with every request. */
export const OWN_PAGE = { "sec-fetch-site": "same-origin", "x-relay-portal": "1" };

export function namesOf() {
  let count = 0;
  const next = (prefix: string): string => {
    count += 1;
    return `${prefix}${count}`;
  };
  return {
    next,
    number: () => {
      count += 1;
      return count;
    },
    terminal: () => next("TP"),
  };
}

export type Names = ReturnType<typeof namesOf>;

export async function must(status: number, answer: Promise<Answer>): Promise<Answer> {
  const found = await answer;
  if (found.status !== status) throw new Error(`${status} was expected, not ${found.status}: ${found.text}`);
  return found;
}
