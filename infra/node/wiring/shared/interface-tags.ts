import type { Audience } from "../../../../http/web/docs-files.ts";

/**
 * The tags of the OpenAPI document by caller, in the order of most readers' interest, with the
 * audience whose document has their operations. It contains every tag of an endpoint
 * (test/golden/openapi.test.ts).
 */
export const INTERFACE_TAGS: readonly { name: string; audience: Audience; description: string }[] = [
  {
    name: "Payments",
    audience: "partner",
    description: "For partners: send payments, scans and prints to a terminal, and read their results.",
  },
  { name: "Terminals", audience: "terminal", description: "For the app on a terminal: take commands, store results, and update the app." },
  { name: "Payment links", audience: "partner", description: "For partners: links and gateway payments that a buyer pays in a browser." },
  {
    name: "Partner account",
    audience: "partner",
    description: "For partners: their API key, its origins and their account at the card gateway.",
  },
  {
    name: "Partner API",
    audience: "partner",
    description: "For partners' back ends: merchants, their services and webhook endpoints. Its key is a bearer token.",
  },
  {
    name: "Compatible API",
    audience: "compatible",
    description: "For shops whose software speaks a common payment API: payment intents, refunds, charges and events.",
  },
  {
    name: "Gateway-protocol adapter",
    audience: "partner",
    description: "For software that speaks the card gateway's own protocol. Requests are signed.",
  },
  {
    name: "Merchant portal",
    audience: "merchant",
    description: "For merchants: the calls of the portal's pages, and of programs with the merchant's secret key.",
  },
  {
    name: "AI agents",
    audience: "merchant",
    description: "For merchants' AI agents: payment links and payments, as tools of the Model Context Protocol.",
  },
  {
    name: "Administration",
    audience: "administration",
    description: "For operators: terminals, partners, merchants, deliveries, and the settings of the installation.",
  },
  {
    name: "Administrator accounts",
    audience: "administration",
    description: "For operators: administrators, their sessions and their second factors.",
  },
  {
    name: "App releases",
    audience: "administration",
    description: "For operators: versions of the terminal app, their packages and deployments.",
  },
  { name: "Monitoring", audience: "administration", description: "For operators of the relay: liveness, readiness and metrics." },
];
