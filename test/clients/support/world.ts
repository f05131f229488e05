import assert from "node:assert/strict";
import { SANDBOX_SECRET } from "../../../infra/sandbox/gateway/options.ts";
import { member, textMember } from "../../support/http/matches.ts";
import { TestGateway } from "../../support/node/gateway.ts";
import { Relay } from "../../support/node/relay.ts";
import { newPartnerApi } from "../../support/people/new-partner-api.ts";
import { DEFECTS, type Defect, FAKE_KEYS, startFakePlatform } from "./fake-platform.ts";
import type { LifeKeys } from "./program.ts";

/** What the programs run against. */
export interface World {
  readonly about: string;
  readonly baseUrl: string;
  /** Keys of merchants that no other program has where that can be had. */
  keys(): Promise<LifeKeys>;
  /** Lets time pass for it; null where its clock is not ours. */
  readonly advance: ((ms: number) => Promise<void>) | null;
  stop(): Promise<void>;
}

/** A sandbox relay of its own, with a gateway of its own and merchants made by the interface of partners. */
export async function startRelayWorld(): Promise<World> {
  const gateway = await TestGateway.start();
  const relay = new Relay({ shards: 1, environment: { RELAY_GATEWAY_URL: gateway.url } });
  try {
    await relay.start();
  } catch (error) {
    await gateway.stop();
    throw error;
  }

  async function merchant(
    gwSecretKey: string,
    settings: { [member: string]: unknown } = {},
  ): Promise<{ secretKey: string; publishableKey: string }> {
    const { call } = await newPartnerApi(relay, {}, gwSecretKey);
    const merchantId = `m-${relay.uuid()}`;
    const created = await call("POST", "/merchants", { merchantId });
    assert.equal(created.status, 201, created.text);
    const enabled = await call("POST", `/merchants/${merchantId}/services/IGFS/enable`);
    assert.equal(enabled.status, 200, enabled.text);
    if (Object.keys(settings).length > 0) {
      const changed = await call("PATCH", `/merchants/${merchantId}`, settings);
      assert.equal(changed.status, 200, changed.text);
    }
    const keys = member(created.body, "keys");
    return { secretKey: textMember(keys, "secretKey"), publishableKey: textMember(keys, "publishableKey") };
  }

  return {
    about: "a sandbox relay",
    baseUrl: relay.node.url,
    keys: async () => {
      const right = await merchant(SANDBOX_SECRET);
      const slow = await merchant(SANDBOX_SECRET, { compatRequestsPerMinute: 2 });
      const refused = await merchant("not what the gateway knows");
      return { ...right, slowKey: slow.secretKey, refusedKey: refused.secretKey };
    },
    advance: async (ms) => {
      relay.advance(ms);
      await gateway.advance(ms);
    },
    stop: async () => {
      await relay.stop();
      await gateway.stop();
    },
  };
}

/** The fake, with one of its defects: to see that checks fail. */
export async function startFakeWorld(defect: Defect = "none"): Promise<World> {
  const fake = await startFakePlatform(defect);
  return {
    about: `the fake platform, defect: ${defect}`,
    baseUrl: fake.url,
    keys: async () => FAKE_KEYS,
    advance: fake.advance,
    stop: fake.stop,
  };
}

/** The fake in the place of a relay, if `CLIENTS_FAKE` names a defect (or `none`). */
export async function givenFake(): Promise<World | null> {
  const name = process.env["CLIENTS_FAKE"];
  const defect = DEFECTS.find((each) => each === name);
  assert.ok(name === undefined || defect !== undefined, `CLIENTS_FAKE is one of: ${DEFECTS.join(", ")}`);
  return defect === undefined ? null : startFakeWorld(defect);
}

/** A relay that runs already, if `CLIENTS_BASE_URL` names one. */
export function givenWorld(): World | null {
  const baseUrl = process.env["CLIENTS_BASE_URL"];
  if (baseUrl === undefined) return null;
  const key = (name: string) => {
    const value = process.env[name];
    assert.ok(value, `with CLIENTS_BASE_URL, ${name} is wanted too`);
    return value;
  };
  const keys = {
    secretKey: key("CLIENTS_SECRET_KEY"),
    publishableKey: key("CLIENTS_PUBLISHABLE_KEY"),
    slowKey: key("CLIENTS_SLOW_KEY"),
    refusedKey: process.env["CLIENTS_REFUSED_KEY"] ?? null,
  };
  return { about: baseUrl, baseUrl, keys: async () => keys, advance: null, stop: async () => undefined };
}
