import { it } from "node:test";

/** Registers a test that gets a world of its own, which is closed with it. */
export type OwnWorldTest<World> = (title: string, body: (world: World) => Promise<void>) => void;

export function ownWorldTest<World extends { close(): Promise<void> }>(open: () => Promise<World>): OwnWorldTest<World> {
  return (title, body) => {
    it(title, async () => {
      const world = await open();
      try {
        await body(world);
      } finally {
        await world.close();
      }
    });
  };
}
