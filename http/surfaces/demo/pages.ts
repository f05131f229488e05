import { readFileSync } from "node:fs";
import { escaped } from "../../../engine/kernel/escaped.ts";
import { WIRE_NAMES } from "../../compat/wire-names.ts";
import { type ScriptAssets, versionedPath } from "../../web/script-files.ts";
import { CUP_MINOR, QUANTITY_MAX, SHIPPING_MINOR } from "./demo-intents.ts";
import type { DemoOperations } from "./surface.ts";

const read = (name: string) => readFileSync(new URL(name, import.meta.url), "utf8");

/** Files of the pages, by their name below `/demo/`. */
export const FILES = {
  "demo.css": { text: read("./demo.css"), contentType: "text/css; charset=utf-8" },
  "checkout.js": { text: read("./checkout.js"), contentType: "text/javascript; charset=utf-8" },
  "return.js": { text: read("./return.js"), contentType: "text/javascript; charset=utf-8" },
  "scan.js": { text: read("./scan.js"), contentType: "text/javascript; charset=utf-8" },
} as const;

export const PAGE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

export function checkoutPage({ scripts, demo }: DemoOperations): string {
  const quantities = Array.from({ length: QUANTITY_MAX }, (_, index) => `<option>${index + 1}</option>`).join("");
  return page(
    "Bottega Espresso",
    { script: scriptTag(scripts, "compat.js"), file: "checkout.js" },
    { key: demo.publishableKey, global: WIRE_NAMES.browserGlobal, cup: String(CUP_MINOR), shipping: String(SHIPPING_MINOR) },
    `<h1>Your order</h1>
<form id="checkout">
<div class="line"><span class="cup" aria-hidden="true">☕</span><label for="quantity">Espresso cups, hand made</label><select id="quantity">${quantities}</select></div>
<dl>
<div><dt>Cups</dt><dd id="cups"></dd></div>
<div><dt>Shipping</dt><dd id="shipping"></dd></div>
<div class="total"><dt>Total</dt><dd id="total"></dd></div>
</dl>
<div id="payment"></div>
<p class="mistake" id="error" role="alert"></p>
<button type="submit" id="pay" disabled>Pay</button>
</form>
<details><summary>Test cards</summary>
<dl>
<div><dt>4242 4242 4242 4242</dt><dd>paid</dd></div>
<div><dt>4000 0000 0000 0002</dt><dd>declined</dd></div>
<div><dt>4000 0000 0000 9995</dt><dd>insufficient funds</dd></div>
<div><dt>4000 0000 0000 0069</dt><dd>expired</dd></div>
</dl></details>`,
  );
}

export function returnPage({ scripts, demo }: DemoOperations): string {
  return page(
    "Bottega Espresso",
    { script: scriptTag(scripts, "compat.js"), file: "return.js" },
    { key: demo.publishableKey, global: WIRE_NAMES.browserGlobal },
    `<div role="status">
<h1 id="outcome">Checking the payment…</h1>
<p id="detail"></p>
</div>
<dl>
<div><dt>Payment</dt><dd id="intent"></dd></div>
<div><dt>Status from the relay</dt><dd id="status"></dd></div>
<div><dt>What the address says</dt><dd id="told"></dd></div>
</dl>
<p><a class="button" href="/demo/checkout">Order again</a></p>`,
  );
}

export function scanPage({ scripts, demo }: DemoOperations): string {
  return page(
    "Till",
    { script: scriptTag(scripts, "scan.js"), file: "scan.js" },
    { key: demo.apiKey, terminal: demo.terminalId },
    `<h1>Scan on ${demo.terminalId}</h1>
<div class="actions"><button type="button" id="scan">Scan</button><button type="button" id="cancel" class="plain" disabled>Cancel</button></div>
<p id="state" role="status">Ready.</p>
<h2>Scanned</h2>
<ol id="scanned"></ol>`,
  );
}

/** The five ways into a sandbox. `host` is what the browser has asked for. */
export function startPage({ sandbox: { version, owner, administrator } }: DemoOperations, host: string): string {
  // Passkeys belong to a name, and a session to the host that it began at; the start prints this address, too.
  const named = /^127\.0\.0\.1(:\d{1,5})?$/.exec(host);
  const base = named === null ? "" : `http://localhost${named[1] ?? ""}`;
  const ways = [
    {
      address: `${base}/portal`,
      name: "Merchant portal",
      says: `The merchant portal of a shop. Sign in as <code>${owner.email}</code> with <code>${owner.password}</code>, and the code that <code>npm run -s portal-code</code> prints.`,
    },
    {
      address: `${base}/admin`,
      name: "Administration",
      says:
        administrator === null
          ? "Terminals, payments that need attention, partners. Sign in with the login that you have configured."
          : `Terminals, payments that need attention, partners. Sign in as <code>${escaped(administrator.username)}</code> with <code>${administrator.password}</code>; the first time you enrol a second factor.`,
    },
    { address: "/docs", name: "Documentation", says: "Every call of the API, to try on a simulated terminal." },
    { address: "/demo/checkout", name: "Demo shop", says: "A web shop where customers pay by card." },
    { address: "/demo/scan", name: "Till", says: "A page that lets a terminal scan a code." },
  ];
  const items = ways.map(({ address, name, says }) => `<li><a href="${address}">${name}</a><p>${says}</p></li>`);
  return documentOf(
    "Terminal Relay",
    "",
    "",
    `<h1>Five ways in</h1>
<ul class="ways">
${items.join("\n")}
</ul>`,
    `<p>Version ${version}. Payments by program: <code>README.md</code>, “Five minutes”.</p>`,
  );
}

/** As the guide shows it: the version that never changes, with its integrity. */
function scriptTag(scripts: ScriptAssets, file: string): string {
  const asset = scripts.get(file);
  if (asset === undefined) throw new Error(`there is no script ${file}`);
  return `<script src="${versionedPath(asset)}" integrity="${asset.integrity}" crossorigin="anonymous"></script>`;
}

function page(
  title: string,
  { script, file }: { script: string; file: keyof typeof FILES },
  data: { [name: string]: string },
  main: string,
): string {
  const attributes = Object.entries(data).map(([name, value]) => ` data-${name}="${value}"`);
  return documentOf(
    title,
    `${script}\n<script type="module" src="/demo/${file}"></script>\n`,
    attributes.join(""),
    main,
    `<nav aria-label="Demo pages"><a href="/">Start</a> <a href="/demo/checkout">Shop</a> <a href="/demo/scan">Till</a> <a href="/docs">Documentation</a></nav>`,
  );
}

function documentOf(title: string, head: string, attributes: string, main: string, footer: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title} (sandbox)</title>
<link rel="stylesheet" href="/demo/demo.css">
${head}</head>
<body${attributes}>
<header><p class="brand">${title}</p><p class="note">Sandbox: no money moves, and no real card belongs here.</p></header>
<main>
${main}
</main>
<footer>${footer}</footer>
</body>
</html>
`;
}
