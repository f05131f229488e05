import { after, before, describe } from "node:test";
import { Relay } from "../support/relay.ts";
import { portalSignIn } from "./portal-sign-in.ts";

describe("signing in", () => {
  const relay = new Relay({ shards: 2, environment: {} });
  before(() => relay.start());
  after(() => relay.stop());
  portalSignIn(relay);
});
