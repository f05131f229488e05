import { computed, signal } from "@preact/signals";
import type { MerchantAct, MerchantRole } from "../../../../engine/access/merchant-user-grant.ts";
import { merchantRoleMay } from "../../../../engine/access/merchant-user-grant.ts";
import type { SessionStateJson } from "../../../surfaces/merchant/sign-in/schemas.ts";
import { call, get, onCalls, post } from "../api/client.ts";
import { likelyLocale } from "../i18n/likely-locale.ts";
import { showLocale, text } from "../i18n/texts.ts";
import { openDoor, takesPasskeys } from "./door.ts";
import { keepFrame } from "./frame-hint.ts";
import { navigate, signInAddress } from "./navigation.ts";
import { showTheme } from "./theme.ts";
import { timeZone } from "./time-zone.ts";
import { toast } from "./toasts.ts";

/** The session that the relay last reported; null before its first answer. */
export const session = signal<SessionStateJson | null>(null);

export const merchant = computed(() => session.value?.merchant ?? null);

export const role = computed((): MerchantRole | null => merchant.value?.role ?? null);

/**
 * Whether the person's role permits an action. The relay makes the decision; the page only hides
 * what the relay would reject.
 */
export function may(act: MerchantAct): boolean {
  return role.value !== null && merchantRoleMay(role.value, act);
}

/**
 * Uses a session, its language and its appearance. Before a person is known, the page keeps the
 * last ones of this browser.
 */
export async function takeSession(state: SessionStateJson): Promise<void> {
  if (state.stage === "none") await showLocale(likelyLocale());
  else {
    showTheme(state.theme);
    await showLocale(state.locale);
  }
  timeZone.value = state.timeZone;
  session.value = asHere(state);
}

// The next load shows the frame at once to somebody who is signed in now.
session.subscribe((state) => {
  if (state !== null) keepFrame("portal", state.stage !== "full" ? null : state.merchant?.environment === "TEST" ? "strip" : "plain");
});

function asHere(state: SessionStateJson): SessionStateJson {
  return { ...state, passkeys: state.passkeys && takesPasskeys() };
}

/**
 * The windows of one browser share the session, so each must follow a change in another. A window
 * that named another merchant would present its figures as those of the first.
 */
const others = new BroadcastChannel("portal.session");
others.onmessage = () => {
  // A window that cannot load the session now learns of the change with its next call.
  loadSession().catch(() => {});
};

function tellOthers(): void {
  others.postMessage("changed");
}

export async function loadSession(): Promise<void> {
  await takeSession(await get<SessionStateJson>("/session"));
}

/**
 * Loads the session again, because somebody else may change a person's role or merchant. Without an
 * answer the page keeps what it knows until the next call.
 */
export async function refreshSession(): Promise<void> {
  const { value: before } = session;
  if (before?.stage !== "full") return;
  const state = await get<SessionStateJson>("/session").catch(() => null);
  // A newer change of the session wins.
  if (state === null || session.value !== before) return;
  if (state.stage === "none") sessionLost();
  else if (JSON.stringify(asHere(state)) !== JSON.stringify(before)) await takeSession(state);
}

export async function signOut(): Promise<void> {
  await call("DELETE", "/session");
  tellOthers();
  forget();
  navigate("/portal/sign-in", { replace: true });
  toast(text().app.signedOut);
}

/**
 * Switches to another merchant of the person. The page starts over, because all shown data belongs
 * to the previous merchant.
 */
export async function switchMerchant(merchantId: string): Promise<void> {
  const state = await post<SessionStateJson>("/session/merchant", { merchantId });
  tellOthers();
  // Both change in one render, so that the page of an object does not ask the new merchant for it.
  navigate("/portal");
  session.value = asHere(state);
}

function forget(): void {
  const { value } = session;
  if (value === null) return;
  session.value = { ...value, stage: "none", methods: [], email: null, userId: null, merchant: null, merchants: [], steppedUpUntil: null };
}

function sessionLost(): void {
  // Several panels may receive this error at the same time.
  if (session.value === null || session.value.stage === "none") return;
  const address = signInAddress();
  forget();
  navigate(address, { replace: true });
  toast(text().app.sessionEnded);
}

openDoor({
  person: () => session.value && { ...session.value, name: session.value.email ?? "" },
  prove: async (path, proof) => takeSession(await post<SessionStateJson>(path, proof)),
  reload: loadSession,
  signOut,
  factors: "/me",
});

onCalls({ signedOut: sessionLost, roleRefused: () => void refreshSession() });
