/** A command as the terminal reads it; `members` are all its members. */
export interface ReceivedCommand {
  uuid: string;
  service: string;
  amountCents: number;
  cancels: string | null;
  members: { readonly [member: string]: unknown };
  /** The text as received. */
  text: string;
}

/** Reads a pushed or polled command; null for any other text. */
export function readCommand(text: string): ReceivedCommand | null {
  const members = parse(text);
  if (members === null) return null;
  const { uuid, service, amount, cancels } = members;
  if (typeof uuid !== "string" || typeof service !== "string") return null;
  return {
    uuid,
    service,
    amountCents: typeof amount === "number" ? amount : 0,
    cancels: typeof cancels === "string" ? cancels : null,
    members,
    text,
  };
}

function parse(text: string): { readonly [member: string]: unknown } | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? Object.fromEntries(Object.entries(value)) : null;
  } catch {
    return null;
  }
}
