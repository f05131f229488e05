import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { loadScripts } from "../../../http/web/script-files.ts";

export const KEY = "pk_merchant_sandbox_0000000000000000";
export const ID = "pi_0123456789abcdefghijklmn";
export const SECRET = `${ID}_secret_abcdefghijklmnopqrstuvwx`;

/** What the relay answers to one of the two requests: an intent, or an error, or no answer at all. */
export type Answer = { status: number; body: unknown } | "cut off";

export interface Received {
  method: string;
  path: string;
  query: { [name: string]: string };
  form: { [name: string]: string };
  headers: IncomingMessage["headers"];
}

export interface ShopSite {
  /** The shop's page, with the bundle in it, that has these members in its address. */
  page(members?: { [name: string]: string }): string;
  /** Where the scripts come from. */
  relay: string;
  shop: string;
  received: Received[];
  /** Replaces the answer from now on. */
  answers: Answer;
}

/** A payment intent as a publishable key sees it. */
export function intent(members: { [name: string]: unknown } = {}) {
  return {
    id: ID,
    object: "payment_intent",
    amount: 1_050,
    currency: "eur",
    client_secret: SECRET,
    status: "requires_payment_method",
    next_action: null,
    ...members,
  };
}

export const waiting = (url: string) =>
  intent({ status: "requires_action", next_action: { type: "redirect_to_url", redirect_to_url: { url, return_url: null } } });

/**
 * A shop at one origin and the relay's script and its two routes at another, as they are in the world. The page loads the script first, and then the shop's
 * bundle.
 */
export async function startShopSite(t: TestContext, bundle: "loader-shop" | "react-shop" | null, attributes = ""): Promise<ShopSite> {
  const script = (await loadScripts()).get("compat.js");
  assert.ok(script !== undefined);
  const received: Received[] = [];
  const relay = await listen(t, async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://relay");
    const headers = { "access-control-allow-origin": "*", "cross-origin-resource-policy": "cross-origin" };
    if (pathname === "/js/compat.js") {
      response.writeHead(200, { ...headers, "content-type": "text/javascript" }).end(script.bytes.identity);
      return;
    }
    if (pathname === "/pay") {
      response.writeHead(200, { "content-type": "text/html" }).end("<!doctype html><title>The payment page</title>");
      return;
    }
    const { method = "", headers: sent } = request;
    const body = await text(request);
    received.push({
      method,
      path: pathname,
      query: Object.fromEntries(searchParams),
      form: Object.fromEntries(new URLSearchParams(body)),
      headers: sent,
    });
    if (site.answers === "cut off") request.destroy();
    else response.writeHead(site.answers.status, { ...headers, "content-type": "application/json" }).end(JSON.stringify(site.answers.body));
  });
  const bundled = bundle === null ? "" : await bundleOf(bundle);
  const shop = await listen(t, async (request, response) => {
    if (request.url === "/bundle.js") response.setHeader("content-type", "text/javascript").end(bundled);
    else {
      const scripts = `<script src="${relay}/js/compat.js" ${attributes}></script>${bundle === null ? "" : '<script type="module" src="/bundle.js"></script>'}`;
      response
        .setHeader("content-type", "text/html")
        .end(`<!doctype html><html lang="en"><title>Shop</title><body>${scripts}</body></html>`);
    }
  });
  const site: ShopSite = {
    page: (members = {}) => `${shop}/?${new URLSearchParams({ key: KEY, secret: SECRET, ...members })}`,
    relay,
    shop,
    received,
    answers: { status: 200, body: intent() },
  };
  return site;
}

async function bundleOf(name: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL(`./pages/${name}.ts`, import.meta.url))],
    bundle: true,
    write: false,
    format: "esm",
    platform: "browser",
    target: "es2022",
    define: { "process.env.NODE_ENV": '"development"' },
    logLevel: "silent",
  });
  return outputFiles[0]?.text ?? "";
}

async function listen(t: TestContext, handle: (request: IncomingMessage, response: ServerResponse) => Promise<void>): Promise<string> {
  const server = createServer((request, response) => void handle(request, response));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  assert.ok(address !== null && typeof address === "object");
  return `http://127.0.0.1:${address.port}`;
}

async function text(request: IncomingMessage): Promise<string> {
  const parts: string[] = [];
  request.setEncoding("utf8");
  for await (const part of request) parts.push(String(part));
  return parts.join("");
}
