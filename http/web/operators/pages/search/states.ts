import { text } from "../../../portal/i18n/texts.ts";
import { words } from "../../i18n/texts.ts";

/** A state in words; one that the page does not know is shown as the relay names it. */
export function stateText(state: string): string {
  const states: Readonly<Record<string, string>> = words().search.states;
  return states[state.toLowerCase()] ?? state;
}

/** What happened in words: a word of its own, or something (`refund`) and what became of it (`done`). */
export function whatText(what: string): string {
  const { happened, states } = words().search;
  const [events, became]: Readonly<Record<string, string>>[] = [happened, states];
  const whole = events?.[what];
  if (whole !== undefined) return whole;
  const [subject = "", state] = what.split(" ");
  const name = events?.[subject];
  if (name === undefined) return stateText(what);
  return state === undefined ? name : `${name}: ${became?.[state] ?? state}`;
}

/** What is known of it beside: the method and outcome of a result, or a word of the relay's; codes and names stay as they are. */
export function detailText(detail: string): string {
  const methods: Readonly<Record<string, string>> = text().methods;
  const details: Readonly<Record<string, string>> = words().search.details;
  const [, method, status] = /^([A-Z_]+) (OK|KO)$/.exec(detail) ?? [];
  if (method !== undefined && status !== undefined) return `${methods[method] ?? method}: ${stateText(status)}`;
  const [, refund] = /^refund (\w+)$/.exec(detail) ?? [];
  return refund === undefined ? (details[detail] ?? detail) : whatText(detail);
}
