import { surface } from "../../endpoint/surface.ts";
import type { ScriptOperations } from "../../web/script-endpoints.ts";
import { relayEnvelope } from "../parts/relay-envelope.ts";
import type { CreateDemoIntent } from "./demo-intents.ts";

/** What the demo pages use. All of it is of the sandbox, and known to everyone. */
export interface DemoOperations extends ScriptOperations {
  createDemoIntent: CreateDemoIntent;
  demo: {
    /** Of the sandbox's merchant. */
    readonly publishableKey: string;
    /** Of the sandbox's partner: a till of one's own would have a proxy before it. */
    readonly apiKey: string;
    /** The sandbox's simulated terminal. */
    readonly terminalId: string;
  };
  /** What the page at the root says. */
  sandbox: {
    /** Of the relay. */
    readonly version: string;
    /** Of the demo shop's owner in the portal; the second factor's code comes from a command. */
    readonly owner: { readonly email: string; readonly password: string };
    /** The administrator whom everyone knows; null where another login was configured. */
    readonly administrator: { readonly username: string; readonly password: string } | null;
  };
}

/** Served in the sandbox only. */
export const demo = surface<DemoOperations>()({ name: "demo", tags: ["Demo"], envelope: relayEnvelope });
