import assert from "node:assert/strict";
import { surfacesOf } from "../../infra/node/wiring/shared/endpoints.ts";
import { CREDENTIALS, type HttpClient } from "../support/http/http-client.ts";
import { plantOverStomp } from "./plant-over-stomp.ts";
import { type AnyEndpoint, namesOf, type PlantOutcome, type PlantWorld } from "./plant-world.ts";
import type { Planted } from "./planted.ts";
import { createPlanter } from "./planter.ts";
import { prepare } from "./prepared.ts";

/** Endpoints that take a text and are not made to succeed here: what they would act on is a paid link, a package, or a deployment in another state. */
const NOT_TAKEN = [
  "finalizePayment",
  "cancelPayment",
  "refundPayment",
  "adapterCapture",
  "adapterReversal",
  "adapterRefund",
  "pauseDeployment",
  "resumeDeployment",
  "rollBackDeployment",
  "startNextRing",
  // No terminal matches, and no action has the id.
  "createFleetAction",
  "stopFleetAction",
  "compatConfirmPaymentIntent",
  "compatCapturePaymentIntent",
  "compatCreateRefund",
  "compatUpdateRefund",
  "compatUpdateCharge",
  "compatRetryEvent",
  "refundMerchantTransaction",
  // Passwords, codes and answers of authenticators: what is planted is a wrong one.
  "portalSignIn",
  "portalSecondFactor",
  "portalPasskeySignIn",
  "portalStepUp",
  "changeOwnPortalPassword",
  "confirmPortalTotp",
  "addPortalPasskey",
  "adminSignIn",
  "adminSecondFactor",
  "adminPasskeySignIn",
  "adminStepUp",
  "confirmAdminTotp",
  "addAdminPasskey",
  "portalAcceptInvitation",
  "portalConfirmKeys",
  "portalResetPassword",
  // Of a person who is not there.
  "resetPortalFactors",
];
/** After some wrong codes they end the session. */
const STEP_UPS = new Set(["portalStepUp", "adminStepUp"]);

/** Sends numbers into every endpoint that is declared and over STOMP, ends the commands that came of it, and reads what can be read. */
export async function plantEverywhere(world: PlantWorld): Promise<PlantOutcome> {
  const outcome: PlantOutcome = { answers: [], taken: new Set(), takesText: new Set() };
  const names = namesOf();
  const ids = await prepare(world, names);
  const endpoints: readonly AnyEndpoint[] = Object.values(surfacesOf({ openTerminalLogs: true, packageBytesMax: 1_000_000 })).flat();
  const planter = createPlanter(world, outcome, names, ids);
  // What removes things comes last.
  const plant = async (endpoint: AnyEndpoint): Promise<void> => {
    await planter.plant(endpoint);
    await planter.endCommands();
    outcome.answers.push({ about: "the log", text: world.log() });
  };
  // After some wrong codes the person's session ends, and with new keys those that others are called with.
  const endings = ["portalReplaceKeys", ...STEP_UPS];
  const ending = endings.flatMap((wanted) => endpoints.filter(({ name }) => name === wanted));
  const others = endpoints.filter(({ name }) => !endings.includes(name));
  for (const endpoint of [...others, ...ending].filter(({ method }) => method !== "DELETE")) await plant(endpoint);
  await plantOverStomp(world, outcome, names);
  await readEverything(world, outcome, endpoints, planter.touched());
  for (const endpoint of endpoints.filter(({ method }) => method === "DELETE")) await plant(endpoint);
  return outcome;
}

/** Asserts that nobody was told one, and that every endpoint which takes a text took some. */
export function assertNotAnswered(planted: Planted, { answers, taken, takesText }: PlantOutcome): void {
  const found = answers.flatMap(({ about, text }) => planted.foundIn(text).map((where) => `${where}, in ${about}`));
  assert.deepEqual([...new Set(found)].sort(), []);
  assert.deepEqual([...takesText].filter((name) => !taken.has(name)).sort(), NOT_TAKEN.toSorted());
}

export function assertNotIn(planted: Planted, place: string, bytes: Buffer | string): void {
  assert.deepEqual(planted.foundIn(bytes), [], `found in ${place}`);
}

async function readEverything(
  world: PlantWorld,
  outcome: PlantOutcome,
  endpoints: readonly AnyEndpoint[],
  terminalIds: Iterable<string>,
): Promise<void> {
  const read = async (caller: HttpClient, path: string): Promise<void> => {
    const answer = await caller.get(path);
    outcome.answers.push({ about: `reading ${path}`, text: answer.text });
  };
  const readable = endpoints.filter(({ method, path }) => method === "GET" && !path.includes("{"));
  for (const credentials of [CREDENTIALS.administrator, CREDENTIALS.partnerByPassword, CREDENTIALS.partner]) {
    for (const { path } of readable) await read(world.caller(credentials), path);
  }
  for (const list of ["attention", "audit", "terminals", "cloud-configs", "api/partners"]) {
    await read(world.caller(CREDENTIALS.administrator), `/admin/${list}?limit=500`);
  }
  for (const terminalId of terminalIds) {
    for (const path of ["status", "connection", "settings", "logs"]) {
      const caller = world.caller(path === "settings" ? CREDENTIALS.fleet : CREDENTIALS.partnerByPassword);
      outcome.answers.push({ about: `reading ${path}`, text: (await caller.get(`/api/v1/${terminalId}/${path}`)).text });
    }
    outcome.answers.push({
      about: "reading a terminal",
      text: (await world.caller(CREDENTIALS.administrator).get(`/admin/terminals/${terminalId}`)).text,
    });
  }
}
