// Reads the task, and prints what came of it; beside the program that was compiled, which knows of no Node.
import { text } from "node:stream/consumers";
import { payAndLookUp } from "./built/client.mjs";

console.log(JSON.stringify(await payAndLookUp(JSON.parse(await text(process.stdin)))));
