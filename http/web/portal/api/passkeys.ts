import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from "@simplewebauthn/browser";
import { atDoor } from "../state/door.ts";
import { post } from "./client.ts";

/** The library is loaded when a passkey is first needed. */
const library = () => import("@simplewebauthn/browser");

/** Proves the identity with a passkey, for sign-in, as a second factor or for a step-up. */
export async function answerWithPasskey(path: "/session/passkey" | "/session/step-up"): Promise<void> {
  await atDoor().prove(path, { response: await askForPasskey() });
}

async function askForPasskey(): Promise<AuthenticationResponseJSON> {
  const { startAuthentication } = await library();
  const optionsJSON = await post<PublicKeyCredentialRequestOptionsJSON>("/session/passkey/options");
  return await startAuthentication({ optionsJSON });
}

/** Creates a passkey in the browser and adds it to the account. */
export async function addPasskey<Enrolled>(name: string): Promise<Enrolled> {
  const { startRegistration } = await library();
  const path = `${atDoor().factors}/passkeys`;
  const optionsJSON = await post<PublicKeyCredentialCreationOptionsJSON>(`${path}/options`);
  return await post<Enrolled>(path, { name, response: await startRegistration({ optionsJSON }) });
}

/** Whether the browser or the person ended the attempt before anything was sent. */
export function isPasskeyGivenUp(error: unknown): boolean {
  return error instanceof Error && ["NotAllowedError", "AbortError", "InvalidStateError", "SecurityError"].includes(error.name);
}
