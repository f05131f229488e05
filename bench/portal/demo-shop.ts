import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startAndWait } from "../load/child.ts";
import { type RunningRelay, startRelay } from "../load/relay.ts";
import { ADMIN } from "./person.ts";

/** Some 3,400 payments. */
const DAYS = 60;

/** The sandbox's shop with two months of payments, as `npm run demo-data` makes it. */
export interface DemoShop {
  /** A whole relay with a copy of it, which goes with `stop`. */
  start(): Promise<RunningRelay>;
  remove(): Promise<void>;
}

export async function makeDemoShop(say: (text: string) => void): Promise<DemoShop> {
  const work = await mkdtemp(join(tmpdir(), "relay-bench-portal-"));
  const made = join(work, "shop");
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith("RELAY_"));
  const { child, match } = await startAndWait("infra/cli/demo-data.ts", {
    environment: { ...Object.fromEntries(inherited), RELAY_DATA_DIR: made },
    arguments: ["--days", String(DAYS), "--customers", "100"],
    ready: /(\d+) payments of \d+ days are in/,
  });
  await child.stop();
  say(`the demo shop has ${match[1]} payments`);
  let started = 0;
  return {
    start: async () => {
      started += 1;
      const directory = join(work, `relay-${started}`);
      await cp(made, directory, { recursive: true });
      // With it the relay knows that its store is whole, though in another place.
      await cp(`${made}.witness`, `${directory}.witness`);
      const relay = await startRelay(directory, { RELAY_ADMIN_PASSWORD: ADMIN.password });
      return {
        ...relay,
        stop: async () => {
          await relay.stop();
          await rm(directory, { recursive: true, force: true });
        },
      };
    },
    remove: () => rm(work, { recursive: true, force: true }),
  };
}
