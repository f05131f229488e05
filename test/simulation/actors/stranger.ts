import type { SimHttp } from "../world/sim-http.ts";
import type { World } from "../world/world.ts";

/**
 * A terminal posts a result under a uuid that is another terminal's, or will be: its clock is wrong, or it means ill. Nobody waits for it, and it must
 * keep nobody from anything.
 */
export async function postStrange(world: World, http: SimHttp, terminalId: string, uuid: string): Promise<void> {
  const name = `${terminalId}-s`;
  world.count("strange result posted");
  world.trace.note(name, `posts a strange result for ${uuid}`);
  const answer = await http.request(`strange receipt of ${uuid}`, (shard) =>
    shard.recordResult.byCaller({ type: "terminal", terminalId }, terminalId, { uuid, result: "OK", amount: 1, authCode: "strange" }),
  );
  world.trace.note(name, `is told ${answer.type === "answered" ? answer.value.type : "nothing"} for ${uuid}`);
}
