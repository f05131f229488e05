import { computed, signal } from "@preact/signals";
import type { MerchantAct, MerchantRole } from "../../../../engine/access/merchant-user-grant.ts";
import { merchantRoleMay } from "../../../../engine/access/merchant-user-grant.ts";
import type { SessionStateJson } from "../../../surfaces/merchant/sign-in/schemas.ts";
import { call, get, onCalls, post } from "../api/client.ts";
import { likelyLocale, showLocale, text } from "../i18n/texts.ts";
import { openDoor, takesPasskeys } from "./door.ts";
import { navigate, signInAddress } from "./navigation.ts";
import { showTheme } from "./theme.ts";
import { timeZone } from "./time-zone.ts";
import { toast } from "./toasts.ts";

/** Who is signed in, as the relay last said; null until it has said so. */
export const session = signal<SessionStateJson | null>(null);

export const merchant = computed(() => session.value?.merchant ?? null);

export const role = computed((): MerchantRole | null => merchant.value?.role ?? null);

/** Whether the person may do something here. The relay decides; this is to show only what it would permit. */
export function may(act: MerchantAct): boolean {
  return role.value !== null && merchantRoleMay(role.value, act);
}

/**
 * Takes over what the relay says of the session, its language and its appearance. Before a person is known the page keeps those that this browser had last.
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

function asHere(state: SessionStateJson): SessionStateJson {
  return { ...state, passkeys: state.passkeys && takesPasskeys() };
}

/**
 * The windows of one browser share the session: what one of them changes, the others must not show as before. With another merchant's name above, its
 * figures would be taken for those of the first.
 */
const others = new BroadcastChannel("portal.session");
others.onmessage = () => {
  // A window that cannot ask learns of it by its next call.
  loadSession().catch(() => {});
};

function tellOthers(): void {
  others.postMessage("changed");
}

export async function loadSession(): Promise<void> {
  await takeSession(await get<SessionStateJson>("/session"));
}

/**
 * Asks whether the session is still what the page knows, as the role and the merchant of a person may be changed by somebody else. Where the relay does not
 * answer the page keeps what it knows: the next call says more.
 */
export async function refreshSession(): Promise<void> {
  const { value: before } = session;
  if (before?.stage !== "full") return;
  const state = await get<SessionStateJson>("/session").catch(() => null);
  // Something else has changed it meanwhile, and knows better.
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

/** Goes to another merchant of the person. All that was shown belongs to the one before, so the page begins anew. */
export async function switchMerchant(merchantId: string): Promise<void> {
  const state = await post<SessionStateJson>("/session/merchant", { merchantId });
  tellOthers();
  // In one step: the page of an object of the one before must not ask for it at the other.
  navigate("/portal");
  session.value = asHere(state);
}

function forget(): void {
  const { value } = session;
  if (value === null) return;
  session.value = { ...value, stage: "none", methods: [], email: null, userId: null, merchant: null, merchants: [], steppedUpUntil: null };
}

function sessionLost(): void {
  // Several panels may learn of it at the same time.
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
