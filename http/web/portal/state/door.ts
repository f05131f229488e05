/**
 * The operations on the signed-in person that merchants' users and administrators share: the second
 * factor and its enrolment. Each of the two apps sets its own at the start, in state/session.ts.
 */
export interface Door {
  /**
   * The person who is signed in or signing in; null until the relay answers. A component that calls
   * it renders again when it changes.
   */
  person(): Person | null;
  /** Sends the proof of identity, and uses the session of the answer. */
  prove(path: "/session/second-factor" | "/session/passkey" | "/session/step-up", proof: unknown): Promise<void>;
  /** Loads the person again after a change. */
  reload(): Promise<void>;
  signOut(): Promise<void>;
  /** The path under which second factors are enrolled. */
  factors: "/me" | "/factors";
}

export interface Person {
  stage: "none" | "factor" | "enrol" | "full";
  methods: readonly ("totp" | "passkey" | "recovery")[];
  /** The e-mail address or name; empty while it is unknown. */
  name: string;
  /** Whether the person can use passkeys here. */
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

/** Passkeys belong to a host name. Browsers offer none on a page with a numeric address. */
export function takesPasskeys(host: string = location.hostname): boolean {
  return !/^[\d.]+$|:/.test(host);
}
