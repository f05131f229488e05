import type { Answer, HttpClient } from "../../support/http/http-client.ts";
import type { TestGateway } from "../../support/node/gateway.ts";
import type { Relay } from "../../support/node/relay.ts";

/** A relay with a gateway of its own, and what is done to links in it. */
export interface LinkWorld {
  relay: Relay;
  /** Once it has started. */
  gateway(): TestGateway;
  /** Time passes for the relay and for the gateway. */
  advance(ms: number): Promise<void>;
  /** A new link's txId. */
  create(caller?: HttpClient, members?: object): Promise<string>;
  status(txId: string, caller?: HttpClient): Promise<Answer>;
  becomes(txId: string, expected: object): Promise<void>;
  /** Lets time pass in steps of half a minute until the link stands so. */
  becomesIn(txId: string, expected: object, steps: number): Promise<void>;
  paidLink(caller?: HttpClient, members?: object): Promise<string>;
}
