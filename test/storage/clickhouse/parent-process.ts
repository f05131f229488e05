/** A relay in miniature, for the test that kills it: starts ClickHouse in the folder given and prints the child's process id. */
import { startClickHouse } from "./clickhouse-world.ts";

const world = await startClickHouse(process.argv[2]);
console.log(world.clickhouse.pid());
