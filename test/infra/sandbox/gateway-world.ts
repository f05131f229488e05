import { once } from "node:events";
import { createServer } from "node:http";
import type { TestContext } from "node:test";
import type { GatewayOrder } from "../../../engine/gateway/gateway.ts";
import { createGatewayClient, type GatewayClient } from "../../../http/gateway/client.ts";
import type { GatewayEvent, SandboxGatewayOptions } from "../../../infra/sandbox/gateway/options.ts";
import { startSandboxGateway } from "../../../infra/sandbox/gateway/server.ts";
import { Inbox } from "../../support/within.ts";

export const CREDENTIALS = { terminalId: "TML1", merchantId: "M1", secret: "s3cret" };

/** Longer than a busy machine stands still. */
const PATIENT_MS = 30_000;

export interface GatewayWorld {
  url: string;
  client: GatewayClient;
  events: GatewayEvent[];
  /** Notifications that arrived, by their query. */
  notifications: Inbox<URLSearchParams>;
  /** Status that notifications are answered with. */
  answerNotificationsWith(status: number): void;
  order(members?: Partial<GatewayOrder>): GatewayOrder;
  control(method: string, path: string, body?: object): Promise<{ status: number; body: unknown }>;
  /** A buyer's form, sent without a browser. */
  submit(redirectUrl: string, fields: { [name: string]: string }): Promise<Response>;
  stop(): Promise<void>;
}

let orders = 0;

/** A sandbox gateway, its client and a receiver of notifications; all stopped after the test. */
export async function startGatewayWorld(test: TestContext, options: SandboxGatewayOptions = {}): Promise<GatewayWorld> {
  const events: GatewayEvent[] = [];
  const gateway = await startSandboxGateway({ merchants: { M1: CREDENTIALS.secret }, onEvent: (event) => events.push(event), ...options });
  const client = createGatewayClient({ url: gateway.url, nowMs: Date.now, limits: { pauseMs: 1, restMs: 50, deadlineMs: PATIENT_MS } });
  const notifications = new Inbox<URLSearchParams>("notification");
  let status = 200;
  const receiver = createServer((request, response) => {
    notifications.add(new URL(request.url ?? "/", "http://receiver").searchParams);
    response.writeHead(status).end();
  }).listen(0, "127.0.0.1");
  await once(receiver, "listening");
  const address = receiver.address();
  if (address === null || typeof address === "string") throw new Error("a listening server has a port");
  let stopped = false;
  const stop = async (): Promise<void> => {
    if (stopped) return;
    stopped = true;
    client.close();
    await gateway.stop();
    receiver.closeAllConnections();
    receiver.close();
  };
  test.after(stop);
  return {
    url: gateway.url,
    client,
    events,
    notifications,
    answerNotificationsWith: (code) => {
      status = code;
    },
    order: (members = {}) => {
      orders += 1;
      return {
        txId: `tx-${orders}`,
        amount: "12.30",
        currency: "EUR",
        description: "Order <7> & café",
        merchantReference: "R7",
        customerEmail: null,
        instrument: "card",
        capture: "now",
        notifyUrl: `http://127.0.0.1:${address.port}/api/v1/gw/notify`,
        returnUrl: null,
        expiresAtMs: Date.now() + 3_600_000,
        ...members,
      };
    },
    control: async (method, path, body) => {
      const response = await fetch(`${gateway.url}${path}`, {
        method,
        headers: { "content-type": "application/json" },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      return { status: response.status, body: await response.json() };
    },
    submit: (redirectUrl, fields) => fetch(redirectUrl, { method: "POST", redirect: "manual", body: new URLSearchParams(fields) }),
    stop,
  };
}

export const CARD = { number: "4111 1111 1111 1111", expiry: "12/40", code: "123", holder: "Ada Lovelace", action: "pay" };
