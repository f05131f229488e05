import type { TestContext } from "node:test";
import type { LogoFile, Shop } from "../../../../engine/branding/branding.ts";
import type { PortalLinkRecord } from "../../../../engine/portal-links/portal-link.ts";
import type { PortalLinks } from "../../../../engine/portal-links/portal-links.ts";
import { bind } from "../../../../http/endpoint/endpoint.ts";
import { linkPageEndpoints } from "../../../../http/surfaces/link-pages/endpoints.ts";
import { NOW_MS } from "../../../engine/portal-links/machine-world.ts";
import { startWorld } from "../../server/world.ts";

type Paid = NonNullable<Awaited<ReturnType<PortalLinks["pay"]>>>;

interface Branding {
  shop?: Partial<Shop>;
  file?: LogoFile;
  /** Browsers reach the relay at the address of the test's server. */
  isLocal?: boolean;
}

/** One link, and what pressing Pay comes to. */
export async function serve(
  t: TestContext,
  stored: PortalLinkRecord,
  pay: Paid | Error = { type: "not_yet", link: stored },
  branding: Branding = {},
) {
  const asked = { pay: 0 };
  const find = async (token: string) => (token === stored.token ? stored : null);
  const { url }: { url: string } = await startWorld(t, {
    endpoints: bind(linkPageEndpoints, {
      portalLinks: {
        byToken: find,
        verified: find,
        pay: async (token) => {
          asked.pay += 1;
          if (pay instanceof Error) throw pay;
          return token === stored.token ? pay : null;
        },
      },
      shops: { of: async () => ({ name: 'Bar <b>"Centrale"</b>', color: null, logo: null, ...branding.shop }) },
      shopBranding: { logo: async (id) => (id === branding.shop?.logo?.id ? (branding.file ?? null) : null) },
      linkPages: { gateway: "https://gateway.example", own: () => (branding.isLocal === true ? url : "https://relay.example") },
      localTime: { zone: "Europe/Rome" },
      clock: { nowMs: () => NOW_MS },
      timers: { set: () => ({ clear: () => {} }), every: () => ({ clear: () => {} }), soon: (work) => queueMicrotask(work) },
    }),
  });
  const send = async (method: "GET" | "POST", path = "", headers: { [name: string]: string } = {}) => {
    const response = await fetch(`${url}/l/${stored.token}${path}`, { method, redirect: "manual", headers });
    return { status: response.status, headers: response.headers, text: await response.text(), location: response.headers.get("location") };
  };
  return { url, send, asked };
}
