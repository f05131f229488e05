/**
 * Who is at the page, for what is the same for the people of merchants and for administrators: the second factor and its enrolment. Each of the two apps opens
 * its own door when it begins (state/session.ts of each).
 */
export interface Door {
  /** Whoever is signed in, or on the way; null before the relay has said so. A component that calls it is shown again when it changes. */
  person(): Person | null;
  /** Sends what proves who it is, and takes over the session of the answer. */
  prove(path: "/session/second-factor" | "/session/passkey" | "/session/step-up", proof: unknown): Promise<void>;
  /** Asks again who is here, after something of the person has changed. */
  reload(): Promise<void>;
  signOut(): Promise<void>;
  /** Where its factors are enrolled. */
  factors: "/me" | "/factors";
}

export interface Person {
  stage: "none" | "factor" | "enrol" | "full";
  methods: readonly ("totp" | "passkey" | "recovery")[];
  /** E-mail address or name; empty where it is not known yet. */
  name: string;
  /** Whether passkeys can be used here. */
  passkeys: boolean;
}

let opened: Door | null = null;

export function openDoor(door: Door): void {
  opened = door;
}

export function atDoor(): Door {
  if (opened === null) throw new Error("no app has begun");
  return opened;
}

/** Passkeys belong to a name: where the page was opened by an address in numbers, the browser offers none. */
export function takesPasskeys(host: string = location.hostname): boolean {
  return !/^[\d.]+$|:/.test(host);
}
