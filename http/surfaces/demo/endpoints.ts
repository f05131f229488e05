import { Type } from "@sinclair/typebox";
import type { Endpoint } from "../../endpoint/endpoint.ts";
import { QUANTITY_MAX } from "./demo-intents.ts";
import { checkoutPage, FILES, PAGE_POLICY, returnPage, scanPage, startPage } from "./pages.ts";
import { type DemoOperations, demo } from "./surface.ts";

const page = (name: string, path: string, summary: string, html: (operations: DemoOperations, host: string) => string) =>
  demo.endpoint({
    name,
    method: "GET",
    path,
    summary,
    auth: "none",
    headers: Type.Object({ host: Type.Optional(Type.String({ maxLength: 1_024 })) }),
    responses: {
      200: {
        description: summary,
        body: Type.String(),
        contentType: "text/html; charset=utf-8",
        headers: {
          "Content-Security-Policy": { description: "The page loads nothing from other origins." },
          "Referrer-Policy": { description: "The address of the page after a payment contains its secret." },
        },
      },
    },
    handle: (operations, { headers: { host = "" } }) => ({
      status: 200,
      text: html(operations, host),
      headers: { "Content-Security-Policy": PAGE_POLICY, "Referrer-Policy": "no-referrer" },
    }),
  });

const file = (name: string, fileName: keyof typeof FILES) => {
  const { text, contentType } = FILES[fileName];
  return demo.endpoint({
    name,
    method: "GET",
    path: `/demo/${fileName}`,
    summary: `Get ${fileName} of the demo pages`,
    auth: "none",
    responses: {
      200: { description: "The file.", body: Type.String(), contentType, headers: { "Cache-Control": { description: "no-cache" } } },
    },
    handle: () => ({ status: 200, text, headers: { "Cache-Control": "no-cache" } }),
  });
};

const createIntent = demo.endpoint({
  name: "demoIntent",
  refusesUnknown: "money",
  method: "POST",
  path: "/demo/intents",
  summary: "Create the payment of an order in the demo shop",
  auth: "none",
  rateLimit: { bucket: "demo", perSecond: 5 },
  body: Type.Object({ quantity: Type.Integer({ minimum: 1, maximum: QUANTITY_MAX }) }),
  responses: {
    200: { description: "Created.", body: Type.Object({ clientSecret: Type.String() }) },
    ...demo.errors(400, 413, 415, 429, 503),
  },
  handle: async ({ createDemoIntent }, { body }) => ({ status: 200, body: await createDemoIntent(body.quantity) }),
});

/** Where the sandbox begins, a shop that pays and a till that scans. */
export const demoEndpoints: Endpoint<DemoOperations>[] = [
  page("sandboxStart", "/", "Get the start page of the sandbox", startPage),
  page("demoCheckout", "/demo/checkout", "Get the checkout page of the demo shop", checkoutPage),
  page("demoReturn", "/demo/return", "Get the page to which the demo shop's buyers return", returnPage),
  page("demoScan", "/demo/scan", "Get the page of a till that scans", scanPage),
  createIntent,
  file("demoStyle", "demo.css"),
  file("demoCheckoutScript", "checkout.js"),
  file("demoReturnScript", "return.js"),
  file("demoScanScript", "scan.js"),
];
