import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, test } from "node:test";
import type { Method } from "../../http/endpoint/endpoint.ts";
import { isAdminSessionAuth, isPortalAuth, isSessionOptional } from "../../http/endpoint/portal-auth.ts";
import { demoEndpoints } from "../../http/surfaces/demo/endpoints.ts";
import { rootEndpoints } from "../../http/surfaces/system/endpoints.ts";
import { UNDOCUMENTED } from "../../infra/node/wiring/shared/endpoints.ts";
import type { Answer } from "../support/http/http-client.ts";
import { member } from "../support/http/matches.ts";
import { type Caller, callersIn, type Headers } from "./callers.ts";
import { ask, each, refusalsOf } from "./refusals.ts";
import type { ValidRequest } from "./requests.ts";
import { type AnyEndpoint, isOpen, missingRule, OPEN, outcomeOf, type PortalShown, type Shown } from "./rules.ts";
import { askWebSocket } from "./web-socket.ts";
import { DoorWorld, type Mode, SERVICE_PREFIX } from "./world.ts";

/**
 * Every endpoint that a node serves is asked by every wrong caller (callers.ts), and what it has to answer is decided by its declaration
 * (rules.ts). Nothing here names endpoints, but the exceptions below, each with its reason.
 */

/** What the right caller gets other than a 2xx here. An exception that is no longer needed fails the test. */
const NOT_SUCCEEDING: { readonly [endpoint: string]: { status: number; why: string; only?: Mode } } = {
  changeOwnAdministratorPassword: { status: 409, why: "the administrator of the configuration is changed there", only: "sandbox" },
  drainNode: { status: 404, why: "no node has the name, and draining this one would end the test" },
  uploadAppPackage: { status: 409, why: "the version is deployed" },
  metrics: { status: 401, why: "nothing says who reads them, neither RELAY_METRICS_TOKEN nor RELAY_METRICS_PORT", only: "production" },
  listTransactions: { status: 503, why: "there is no ClickHouse here" },
  ...Object.fromEntries(
    [
      ...["merchantTransactions", "merchantTransactionsCsv", "merchantTransaction", "merchantTransactionReceipt"],
      ...["merchantWorkflowLog", "merchantCallLog"],
      ...["paymentsReport", "methodsReport", "terminalsReport", "heatmapReport"],
      ...["linksReport", "disputesReport", "subscriptionsReport", "agentsReport"],
    ].map((name) => [name, { status: 503, why: "the same" }]),
  ),
  createFleetAction: { status: 400, why: "no terminal matches the declared example" },
  showFleetAction: { status: 404, why: "no action has the id" },
  stopFleetAction: { status: 404, why: "the same" },
  startDeployment: { status: 409, why: "the deployment is active" },
  startNextRing: { status: 409, why: "the deployment has no rings" },
  cancelCommand: { status: 409, why: "the command has its result" },
  finalizePayment: { status: 409, why: "the payment was captured at once" },
  refundPayment: { status: 409, why: "the payment was reversed by the request before" },
  adapterCapture: { status: 409, why: "the payment was captured at once" },
  adapterReversal: { status: 409, why: "the payment was reversed before" },
  adapterRefund: { status: 400, why: "the declared example asks for a part of this payment" },
  refundAlert: { status: 409, why: "it is not known which payment it is about" },
  removeDisputeEvidence: { status: 409, why: "the file was submitted" },
  adminRefuseResponse: { status: 409, why: "the network has asked for evidence in the request before" },
  adminInvalidateAlert: { status: 409, why: "the network has resolved it in the request before" },
  resendCallback: { status: 404, why: "there is no callback" },
  showMail: { status: 404, why: "it is about a mail that nobody wrote" },
  showWebhookDelivery: { status: 404, why: "nothing was delivered" },
  resendWebhookDelivery: { status: 404, why: "nothing was delivered" },
  partnerApiInvitePortalUser: { status: 409, why: "the declared example invites an owner, and one is active" },
  partnerApiResendWebhookDelivery: { status: 404, why: "nothing was delivered" },
  portalFindWebhookDelivery: { status: 404, why: "the same" },
  portalResendWebhookDelivery: { status: 404, why: "the same" },
  releaseZvtRoute: { status: 404, why: "no cash register has a route" },
  compatConfirmPaymentIntent: { status: 400, why: "it is paid" },
  compatCancelPaymentIntent: { status: 400, why: "it is paid" },
  compatCapturePaymentIntent: { status: 400, why: "it was captured at once" },
  compatRetryEvent: { status: 404, why: "no endpoint gets it" },
  payPage: { status: 404, why: "a wrong token names no payment" },
  returnPage: { status: 404, why: "the same" },
  returnState: { status: 404, why: "the same" },
  linkPage: { status: 404, why: "a wrong token names no link" },
  payLink: { status: 404, why: "the same" },
  linkReturn: { status: 404, why: "the same" },
  linkReturnState: { status: 404, why: "the same" },
  shopLogo: { status: 404, why: "no shop has this logo" },
  removePlan: { status: 409, why: "it has a subscription" },
  pauseSubscription: { status: 409, why: "it was cancelled by the request before" },
  resumeSubscription: { status: 409, why: "the same" },
  retrySubscription: { status: 409, why: "the same" },
  subscriptionPage: { status: 404, why: "a wrong token names no subscription" },
  subscriptionCancelPage: { status: 404, why: "the same" },
  paySubscription: { status: 404, why: "the same" },
  cancelOwnSubscription: { status: 404, why: "the same" },
  scriptVersion: { status: 404, why: "there is no such version" },
  resetPortalFactors: { status: 404, why: "it is about an account that nobody has" },
  portalSignIn: { status: 401, why: "the same" },
  portalSecondFactor: { status: 400, why: "the session is signed in" },
  portalStepUp: { status: 401, why: "the declared example is nobody's code" },
  portalConfirmKeys: { status: 409, why: "no keys wait" },
  portalRefuseKeys: { status: 409, why: "the same" },
  confirmPortalTotp: { status: 400, why: "the same" },
  changeOwnPortalPassword: { status: 403, why: "the declared example is nobody's password" },
  portalChooseMerchant: { status: 404, why: "the person is at one merchant only" },
  portalPasskeyOptions: { status: 400, why: "there are no passkeys at an address without a domain name", only: "production" },
  portalPasskeySignIn: { status: 401, why: "the same" },
  beginPortalPasskey: { status: 400, why: "the same", only: "production" },
  addPortalPasskey: { status: 400, why: "the same" },
  removePortalPasskey: { status: 404, why: "the same" },
  removePortalTotp: { status: 409, why: "it is the only second factor" },
  endPortalSession: { status: 404, why: "it is about a session that nobody has" },
  removePortalUser: { status: 404, why: "an owner of the merchant removed the user before" },
  portalResendInvitation: { status: 409, why: "the user has joined" },
  portalShowInvitation: { status: 410, why: "a wrong token opens nothing" },
  portalAcceptInvitation: { status: 410, why: "the same" },
  portalResetPassword: { status: 410, why: "the same" },
  removeAttention: { status: 404, why: "it is about an item that is not there" },
  adminSignIn: { status: 401, why: "it is about an administrator that nobody has" },
  adminSecondFactor: { status: 400, why: "the session is signed in" },
  adminStepUp: { status: 401, why: "the declared example is nobody's code" },
  adminPasskeyOptions: { status: 400, why: "there are no passkeys at an address without a domain name", only: "production" },
  adminPasskeySignIn: { status: 401, why: "the same" },
  confirmAdminTotp: { status: 400, why: "the declared example is nobody's code" },
  beginAdminPasskey: { status: 400, why: "there are no passkeys at an address without a domain name", only: "production" },
  addAdminPasskey: { status: 400, why: "the same" },
  removeAdminPasskey: { status: 404, why: "the same" },
  portalAsset: { status: 404, why: "there is no such file" },
  operatorsAsset: { status: 404, why: "there is no such file" },
  docsAsset: { status: 404, why: "there is no such file" },
  showReconciliation: { status: 409, why: "the day is not closed yet" },
  reconciliationFile: { status: 409, why: "the same" },
  rollBackDeployment: { status: 409, why: "there is no earlier deployment" },
};

/** What a refused call may leave in the store, by the prefix of its key; nothing else may differ afterwards. */
const TRACES: readonly { prefix: string; why: string }[] = [
  { prefix: "p/DOOR-ONLINE", why: "the terminal that is connected meanwhile was seen" },
  { prefix: "partner-calls/", why: "a call with a right key counts, whatever it is answered" },
  { prefix: "usual-login/", why: "an address where a right login came from is remembered" },
  { prefix: "portal-session/", why: "a right session was used, whatever its request is answered" },
  { prefix: "administrator-session/", why: "the same" },
  { prefix: "um/", why: "what a merchant's own people are refused stands in its audit log" },
  { prefix: "signature/", why: "a right signature is taken once, whatever its request is answered" },
];

const METHODS: readonly Method[] = ["GET", "POST", "PUT", "PATCH", "DELETE"];

/** Who shows that an endpoint works: of those who are admitted, the first. */
const RIGHT: readonly (Shown | PortalShown | undefined)[] = [
  ...(["terminal", "partner", "administrator", "merchant"] as const),
  // Where nobody has to be signed in, a session that has ended signs in and out as well, and no other one is lost by it.
  "wrong",
  "owner",
];

/** Registers the tests of a node in this mode. */
export function wrongCallers(mode: Mode): void {
  describe(`the doors in ${mode}`, () => {
    const callers = callersIn(mode);
    let world: DoorWorld;
    before(async () => {
      world = await DoorWorld.start(mode);
    });
    after(() => world.stop());

    test("the declarations are what the node serves", async () => {
      const { body } = await world.ask({}, "GET", "/openapi.json");
      const served = Object.entries(member(body, "paths") as object).flatMap(([path, methods]) =>
        Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
      );
      const documented = world.endpoints.filter(({ surface }) => !UNDOCUMENTED.has(surface.name));
      assert.deepEqual(documented.map(({ method, path }) => `${method} ${path}`).sort(), served.sort());
    });

    test("there is a rule for every endpoint", () => {
      const missing = world.endpoints.flatMap((endpoint) => {
        const why = missingRule(endpoint);
        return why === null ? [] : [`${endpoint.name}: ${why}`];
      });
      assert.deepEqual(missing, []);
      const names = new Set(world.endpoints.map(({ name }) => name));
      const elsewhere = new Set((mode === "production" ? demoEndpoints : rootEndpoints).map(({ name }) => name));
      for (const name of [...Object.keys(OPEN), ...Object.keys(NOT_SUCCEEDING)]) {
        assert.ok(names.has(name) || elsewhere.has(name), `there is no ${name} any more`);
      }
    });

    test("every caller is refused somewhere, and everything but what is open refuses most of them", () => {
      const refusals = refusalsOf(world.endpoints, callers, mode);
      for (const caller of callers)
        assert.ok(
          refusals.some((refusal) => refusal.caller === caller),
          `${caller.who} is refused nowhere`,
        );
      for (const endpoint of world.endpoints) {
        const refused = refusals.filter((refusal) => refusal.endpoint === endpoint).length;
        assert.ok(isOpen(endpoint) ? refused === 0 : refused > callers.length / 2, `${endpoint.name} refuses ${refused}`);
      }
    });

    test("wrong callers are refused, are told nothing and change nothing", async (t) => {
      const refusals = refusalsOf(world.endpoints, callers, mode);
      const before = await world.stored();
      const session = await world.online("DOOR-ONLINE");
      const found = await ask(world, refusals);
      t.diagnostic(`${refusals.length} requests`);
      assert.deepEqual(found, []);
      assert.deepEqual([session.commands.waiting, session.errors.waiting, session.closes.waiting], [[], [], []]);
      await session.client.deactivate();
      const changed = differences(before, await world.stored());
      const untold = changed.filter(({ key }) => !TRACES.some(({ prefix }) => key.startsWith(prefix)));
      assert.deepEqual(untold, []);
      for (const { prefix } of TRACES)
        assert.ok(
          changed.some(({ key }) => key.startsWith(prefix)),
          `nothing leaves ${prefix} any more`,
        );
    });

    test("what is handed out once is still there after them", async () => {
      const { terminalId } = world.things;
      const handsOut = world.endpoints.filter((endpoint) => endpoint.handsOut === true);
      assert.ok(handsOut.length > 0);
      for (const endpoint of handsOut) {
        const uuid = randomUUID();
        const key = { "api-key": world.keys.partner.apiKey };
        const paid = await world.ask(key, "POST", `/api/v1/${terminalId}/pay`, { uuid, amount: 1, service: "PAYCC" });
        assert.equal(paid.status, 200, paid.text);
        assert.deepEqual(await ask(world, refusalsOf([endpoint], callers, mode)), []);
        // HEAD would take it and throw it away.
        const head = await sendRightly(endpoint, { ...world.request(endpoint), method: "HEAD" });
        assert.equal(head.status, 405);
        const taken = await sendRightly(endpoint, world.request(endpoint));
        assert.equal(member(taken.body, "uuid"), uuid);
      }
    });

    test("another spelling of the path, another method or a prefix opens nothing", async () => {
      const closed = world.endpoints.filter((endpoint) => !isOpen(endpoint));
      const found = await each(closed, async (endpoint) => {
        const request = world.request(endpoint);
        const answers = await Promise.all(
          spellings(request.path).map(async (path) => ({ path, status: (await world.send({ ...request, path }, {})).status })),
        );
        return (
          answers
            // What signs in is refused to everything but the portal's own page, without a look at who asks.
            .filter(
              ({ status }) => status !== 401 && status !== 404 && status !== 400 && !(status === 403 && isSessionOptional(endpoint.auth)),
            )
            .map(({ path, status }) => `${endpoint.method} ${path}: ${status}`)
        );
      });
      assert.deepEqual(found.flat(), []);
    });

    test("a method that a path does not have is refused to everyone, and HEAD is as GET", async () => {
      const found = await each(world.endpoints, async (endpoint) => {
        const request = world.request(endpoint);
        const declared = world.endpoints.filter(({ path }) => matches(path, request.path)).map(({ method }) => method);
        const others = METHODS.filter((method) => !declared.includes(method));
        const statuses = await Promise.all(
          others.map(async (method) => ({ method, status: (await sendRightly(endpoint, { ...request, method })).status })),
        );
        const wrong = statuses.filter(({ status }) => status !== 405).map(({ method, status }) => `${method} ${endpoint.path}: ${status}`);
        if (endpoint.method !== "GET" || endpoint.handsOut === true || isOpen(endpoint)) return wrong;
        const head = await world.send({ ...request, method: "HEAD" }, {});
        return head.status === 401 ? wrong : [...wrong, `HEAD ${endpoint.path}: ${head.status}`];
      });
      assert.deepEqual(found.flat(), []);
    });

    test("a WebSocket is only for terminals, each for its own topic and those that it manages", async () => {
      assert.deepEqual(await askWebSocket(world, callers, mode), []);
    });

    // Last, since it changes and deletes what there is.
    test("the right caller is admitted everywhere", async () => {
      const found: string[] = [];
      for (const [index, endpoint] of [...world.endpoints].sort(byHarm).entries()) {
        const request = world.request(endpoint);
        const headers = headersOf(rightCaller(endpoint), request);
        // From more than one address: there are more endpoints than one may ask in a second.
        const answer = await world.send(request, headers, `${rightCaller(endpoint)?.who} ${Math.floor(index / ASKED_BY_ONE_MAX)}`);
        const exception = NOT_SUCCEEDING[endpoint.name];
        const expected = exception === undefined || (exception.only ?? mode) !== mode ? undefined : exception.status;
        const asExpected = expected === undefined ? answer.status < 300 : answer.status === expected;
        if (!asExpected) found.push(`${endpoint.name}: ${answer.status} ${answer.text}`);
        if (endpoint.auth !== "signature") continue;
        const replayed = await world.send(request, headers);
        if (replayed.status !== 401) found.push(`${endpoint.name} takes a signature twice: ${replayed.status}`);
      }
      assert.deepEqual(found, []);
    });

    /** Null where nobody needs anything. */
    function rightCaller(endpoint: AnyEndpoint): Caller | null {
      if (isOpen(endpoint)) return null;
      const admitted = callers.filter(({ shows }) => outcomeOf(endpoint, shows, mode) === "admitted");
      const [caller] = admitted.sort((one, other) => rank(one) - rank(other));
      assert.ok(caller, `${endpoint.name} admits nobody`);
      return caller;
    }

    function headersOf(caller: Caller | null, request: ValidRequest): Headers {
      return caller === null ? {} : caller.headers(world.keys, request, world.host);
    }

    function sendRightly(endpoint: AnyEndpoint, request: Parameters<DoorWorld["send"]>[0]): Promise<Answer> {
      const caller = rightCaller(endpoint);
      return world.send(request, headersOf(caller, world.request(endpoint)), caller?.who);
    }
  });
}

/** The strictest limit of portal and administration is 50 a second. */
const ASKED_BY_ONE_MAX = 25;

function rank({ shows }: Caller): number {
  const [only, more] = Object.values(shows);
  const index = RIGHT.indexOf(only);
  return index === -1 || more !== undefined ? RIGHT.length : index;
}

/** What deletes comes last, what belongs to something before the thing itself; and before what changes merchants and their keys comes what is called with them. */
function byHarm(one: AnyEndpoint, other: AnyEndpoint): number {
  const harm = harmOf(one) - harmOf(other);
  return harm !== 0 || one.method !== "DELETE" ? harm : other.path.split("/").length - one.path.split("/").length;
}

function harmOf({ auth, method, may, path }: AnyEndpoint): number {
  // It ends the session by which an administrator asks for the rest.
  if (path === "/admin/administrators/me/password") return 4;
  if (may === "administer keys" && method !== "GET") return 2;
  const isOfMerchants =
    auth === "merchantKey" || auth === "optionalMerchantKey" || auth === "agent" || isPortalAuth(auth) || isAdminSessionAuth(auth);
  return (isOfMerchants ? 0 : 2) + (method === "DELETE" ? 1 : 0);
}

function matches(template: string, path: string): boolean {
  const [asked = ""] = path.split("?");
  const pattern = template.split("/").map((segment) => (segment.startsWith("{") ? "[^/]+" : segment.replaceAll(".", "\\.")));
  return new RegExp(`^${pattern.join("/")}$`).test(asked);
}

function spellings(path: string): string[] {
  const [, first = "", rest = ""] = /^\/([^/?]+)(.*)$/.exec(path) ?? [];
  return [
    `/${first.toUpperCase()}${rest}`,
    `/%${first.charCodeAt(0).toString(16)}${first.slice(1)}${rest}`,
    `/${first};a=b${rest}`,
    `//${first}${rest}`,
    `/./${first}${rest}`,
    `/other/../${first}${rest}`,
    `/health/live/../../${first}${rest}`,
    `/${first}${rest.replace(/(\?|$)/, "/$1")}`,
    `/other${path}`,
    `/${SERVICE_PREFIX}${path}`,
    `/${SERVICE_PREFIX}/${SERVICE_PREFIX}${path}`,
  ];
}

interface Change {
  key: string;
  before: string | undefined;
  now: string | undefined;
}

function differences(before: ReadonlyMap<string, string>, now: ReadonlyMap<string, string>): Change[] {
  const keys = [...new Set([...before.keys(), ...now.keys()])];
  return keys.map((key) => ({ key, before: before.get(key), now: now.get(key) })).filter((change) => change.before !== change.now);
}
