import { setTimeout as delay } from "node:timers/promises";
import { PARTNER_API_BASE } from "../../../http/surfaces/partner-v1/surface.ts";
import { startSimulatedTerminal } from "../../sandbox/terminal/terminal.ts";
import type { Config } from "../boot/config.ts";
import { POLLING_TERMINAL_ID, SANDBOX_MERCHANT, SANDBOX_OWNER, SANDBOX_PARTNER_API, SIMULATED_TERMINAL_ID } from "../boot/sandbox-names.ts";
import { VERSION } from "../boot/version.ts";
import type { Log } from "../observability/log.ts";
import type { RunningNode } from "./node.ts";
import type { SandboxGatewayProcess } from "./sandbox-gateway.ts";

const CLICKHOUSE_WAIT_MS = 5_000;

/** After this time the node is ready even if a service beside it did not start; the log says which one. */
const COMPANION_WAIT_MS = 10_000;

/**
 * Starts the services that the sandbox has beside the relay (a card gateway, two simulated terminals), reports the node as ready when both are
 * running, and prints how to try it.
 */
export async function startSandbox(
  config: Config,
  node: RunningNode,
  log: Log,
  gateway: SandboxGatewayProcess | null,
): Promise<{ stop(): Promise<void> }> {
  await gateway?.start();
  const missing = new Set(gateway === null ? ["simulated terminals"] : ["simulated terminals", "card gateway"]);
  const simulated = (terminalId: string, link: "websocket" | "poll") =>
    startSimulatedTerminal({
      terminalId,
      link,
      url: node.url,
      onEvent: (event) => log.terminalSimulated(event.type),
      ...(config.fleet === null ? {} : { username: config.fleet.username, password: config.fleet.password }),
    });
  const terminals = await Promise.all([simulated(SIMULATED_TERMINAL_ID, "websocket"), simulated(POLLING_TERMINAL_ID, "poll")]);
  const companions = [
    Promise.all(terminals.map(({ online }) => online)).then(() => missing.delete("simulated terminals")),
    gateway?.listening.then(() => missing.delete("card gateway")),
  ];
  await Promise.race([Promise.all(companions), delay(COMPANION_WAIT_MS, undefined, { ref: false })]);
  for (const name of missing) log.companionMissing(name);
  node.complete();
  // An external ClickHouse may be down for long; the greeting does not wait for it.
  const clickhouse = await Promise.race([node.clickhouse, delay(CLICKHOUSE_WAIT_MS, null)]);
  console.log(greeting(config, node, clickhouse));
  return {
    stop: async () => {
      await Promise.all(terminals.map((terminal) => terminal.stop()));
      await gateway?.stop();
    },
  };
}

/** A port that another program has is no reason not to start. */
function registersOf({ zvt: { ports, problem } }: RunningNode): string {
  const [port] = ports;
  if (port !== undefined) return `127.0.0.1:${port}   (cash registers, ZVT: npm run register -- --amount 1050)`;
  return `none: ${problem ?? "the ZVT listener is not enabled"}`;
}

function analyticsOf({ type }: Config["clickhouse"], url: string | null): string {
  if (type === "off") return "off (RELAY_ANALYTICS)";
  if (url === null) return "ClickHouse is not running (yet); see the log";
  return `${url}   (npm run sql -- "select * from relay.transactions_final")`;
}

function greeting(
  { sandboxApiKey, gatewayUrl, administrator, clickhouse }: Config,
  node: RunningNode,
  clickhouseUrl: string | null,
): string {
  const { url } = node;
  const key = `-H 'API-Key: ${sandboxApiKey}'`;
  return `
Terminal Relay ${VERSION}, sandbox: begin at ${url}

  API        ${url}
  Documents  ${url}/docs   (OpenAPI: ${url}/openapi.json)
  Partner    API-Key ${sandboxApiKey}
  Bearer     ${SANDBOX_PARTNER_API.apiKey}   (Partner API: ${url}${PARTNER_API_BASE}/me)
  Shop       ${SANDBOX_MERCHANT.merchantId}   (compatible API: ${url}/v1; guide: infra/docs/compat.md)
             ${SANDBOX_MERCHANT.keys.secret}
             ${SANDBOX_MERCHANT.keys.publishable}
  Portal     ${url.replace("//127.0.0.1:", "//localhost:")}/portal
             ${SANDBOX_OWNER.email} / ${SANDBOX_OWNER.password}, and the code of: npm run -s portal-code
  Operators  ${url.replace("//127.0.0.1:", "//localhost:")}/admin
             ${administrator.username} / ${administrator.password ?? "the generated password"}; the first sign-in enrols a second factor
  Demo       ${url}/demo/checkout  (a shop that pays; /demo/scan: a till)
  Terminals  ${SIMULATED_TERMINAL_ID} and ${POLLING_TERMINAL_ID} (polls), simulated: approve, unless the amount ends in 05 (declined), 51 (insufficient funds), ...
  Registers  ${registersOf(node)}
  Gateway    ${gatewayUrl ?? "none"}   (payment links; test cards in infra/sandbox/gateway/README.md)
  Analytics  ${analyticsOf(clickhouse, clickhouseUrl)}

Pay 10.50 on it:

  curl -s ${key} -H 'Content-Type: application/json' ${url}/api/v1/${SIMULATED_TERMINAL_ID}/pay -d '{"uuid":"'$(cat /proc/sys/kernel/random/uuid)'","amount":1050,"service":"PAYCC"}'

Read the result:

  curl -s ${key} '${url}/api/v1/${SIMULATED_TERMINAL_ID}/status?wait=10'

Let a buyer pay 10.50 on the gateway's page (redirect_to_url of the response; test cards in infra/docs/compat.md):

  curl -s -u ${SANDBOX_MERCHANT.keys.secret}: ${url}/v1/payment_intents -d amount=1050 -d currency=eur -d confirm=true -d return_url=${url}/demo/return
`;
}
