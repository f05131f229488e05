/** The acceptance of the merchant portal: a real node, and a real browser. Run by run.ts, which builds the node and prints the list. */
import { after, afterEach, before, describe } from "node:test";
import { entry } from "./entry.ts";
import { lists } from "./lists.ts";
import { PortalWorld } from "./portal-world.ts";
import { team } from "./team.ts";

describe("the merchant portal", () => {
  const world = new PortalWorld();
  before(() => world.start(0));
  afterEach(() => world.visitors.leave());
  after(() => world.stop());

  entry(world);
  team(world);
  lists(world);
});
