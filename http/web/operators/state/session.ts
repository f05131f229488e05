import { computed, signal } from "@preact/signals";
import { type AdministratorRole, includesRole } from "../../../../engine/access/administrator-role.ts";
import type { AdminSessionStateJson } from "../../../surfaces/admin/session-schemas.ts";
import { call, callBelow, get, onCalls } from "../../portal/api/client.ts";
import { text } from "../../portal/i18n/texts.ts";
import { openDoor, type Person, takesPasskeys } from "../../portal/state/door.ts";
import { entering } from "../../portal/state/entering.ts";
import { keepFrame } from "../../portal/state/frame-hint.ts";
import { navigate } from "../../portal/state/navigation.ts";
import { askToReturn, endReturn, meaningOf, readyToCall, returnAs, returning, startOver } from "../../portal/state/returning.ts";
import { timeZone } from "../../portal/state/time-zone.ts";
import { closeToasts, toast } from "../../portal/state/toasts.ts";
import { SIGN_IN, START, signInAddress } from "./addresses.ts";

/** Which administrator is signed in, as the relay last said; null until it has said so. */
export const session = signal<AdminSessionStateJson | null>(null);

export const role = computed((): AdministratorRole | null => session.value?.role ?? null);

/** Whether the administrator's role includes this one. The relay decides; this is to show only what it would permit. */
export function may(needed: AdministratorRole): boolean {
  return role.value !== null && includesRole(role.value, needed);
}

/** Uses a session that the relay reports. A page that belongs to another administrator starts over. */
export function takeSession(state: AdminSessionStateJson): void {
  const { value: before } = session;
  const meaning = meaningOf(ownerOf(before), { stage: state.stage, id: state.username });
  if (meaning === "start over") {
    startOver("operators", START);
    return;
  }
  if (meaning === "go on") {
    void askToReturn(personOf(state));
    returnAs(personOf(state));
    return;
  }
  if (state.stage === "full" && before?.stage !== "full") closeToasts();
  timeZone.value = state.timeZone;
  session.value = asHere(state);
  endReturn(state.stage === "full");
}

const ownerOf = (state: AdminSessionStateJson | null) => state && { stage: state.stage, id: state.username };

function personOf(state: AdminSessionStateJson): Person {
  return { ...asHere(state), name: state.username ?? "" };
}

// The next load shows the frame at once to somebody who is signed in now.
session.subscribe((state) => {
  if (state !== null) keepFrame("operators", state.stage !== "full" ? null : state.mode === "sandbox" ? "strip" : "plain");
});

function asHere(state: AdminSessionStateJson): AdminSessionStateJson {
  return { ...state, passkeys: state.passkeys && takesPasskeys() };
}

/** The windows of one browser share the session: where one of them signs out, the others must not go on as before. */
const others = new BroadcastChannel("operators.session");
others.onmessage = () => {
  // A window that cannot ask learns of it by its next call.
  loadSession().catch(() => {});
};

export async function loadSession(): Promise<void> {
  takeSession(await get<AdminSessionStateJson>("/session"));
}

/**
 * Asks whether the session is still what the page knows, as an owner may have changed the role of this administrator. Where the relay does not answer the page
 * keeps what it knows: the next call says more.
 */
export async function refreshSession(): Promise<void> {
  const { value: before } = session;
  if (before?.stage !== "full" || returning.value !== null) return;
  const state = await get<AdminSessionStateJson>("/session").catch(() => null);
  // Something else has changed it meanwhile, and knows better.
  if (state === null || session.value !== before || returning.value !== null) return;
  if (state.stage === "none") void sessionLost();
  else if (JSON.stringify(asHere(state)) !== JSON.stringify(before)) takeSession(state);
}

export async function signOut(): Promise<void> {
  await call("DELETE", "/session");
  others.postMessage("changed");
  forget();
  navigate(SIGN_IN, { replace: true });
  toast(text().app.signedOut);
}

function forget(): void {
  const { value } = session;
  if (value === null) return;
  session.value = { ...value, stage: "none", methods: [], username: null, role: null };
}

const { sessionLost, enter } = entering<AdminSessionStateJson>({
  person: () => session.value && personOf(session.value),
  take: async (state) => takeSession(state),
  ...{ forget, signInAddress, tellOthers: () => others.postMessage("changed") },
});

export { enter };

/** Some of what administrators call is older than codes. */
callBelow("/admin", {
  400: "invalid_request",
  401: "unauthorized",
  403: "forbidden",
  404: "not_found",
  409: "conflict",
  429: "rate_limited",
});

openDoor({
  person: () => session.value && personOf(session.value),
  prove: enter,
  reload: loadSession,
  signOut,
  factors: "/factors",
});

onCalls({ ready: readyToCall, signedOut: sessionLost, roleRefused: () => void refreshSession() });
