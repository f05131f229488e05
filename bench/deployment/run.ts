/** `npm run load`: a load test of a relay that runs (infra/docs/load.md). */
import { access, constants, mkdir, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { LoadRefused } from "./deployment.ts";
import { NotOnline } from "./fleet.ts";
import { type LoadOptions, readOptions } from "./options.ts";
import { pageOf } from "./page.ts";
import { progressLine } from "./progress.ts";
import { isFine, type LoadResult, summaryOf } from "./result.ts";
import { runLoad } from "./run-load.ts";

/** Exit codes: nothing was measured; something was lost, done twice or failed; stopped at once by a second Ctrl-C. */
const REFUSED = 1;
const NOT_FINE = 2;
const INTERRUPTED = 130;

/** A line of progress each second on a screen, each ten seconds in a log. */
const LOG_EVERY = 10;

async function main(options: LoadOptions): Promise<number> {
  const stopping = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.on(signal, () => {
      if (stopping.signal.aborted) process.exit(INTERRUPTED);
      stopping.abort();
      process.stderr.write("\nending: waiting for what is under way; again to end at once\n");
    });
  }
  await prepare(options.outDirectory);
  const onScreen = process.stderr.isTTY === true;
  let intervals = 0;
  const result = await runLoad(options, stopping.signal, {
    note: (text) => process.stderr.write(`${text}\n`),
    interval: (interval, underWay) => {
      intervals += 1;
      const line = progressLine(interval, { underWay, forMs: options.forMs });
      if (onScreen) process.stderr.write(`\r\x1b[2K${line}`);
      else if (intervals % LOG_EVERY === 0) process.stderr.write(`${line}\n`);
    },
  });
  if (onScreen) process.stderr.write("\n");
  console.log(summaryOf(result));
  console.log(`\nwritten to ${(await write(result, options.outDirectory)).join(" and ")}`);
  return isFine(result) ? 0 : NOT_FINE;
}

/** Before a run of hours, not after it. Throws LoadRefused where results could not be written. */
async function prepare(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true });
    await access(folder, constants.W_OK);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : String(error);
    throw new LoadRefused(`results cannot be written to ${folder} (--out): ${code}`);
  }
}

async function write(result: LoadResult, folder: string): Promise<string[]> {
  // A prefix ends with a dash.
  const file = join(folder, result.prefix.slice(0, -1));
  await writeFile(`${file}.json`, `${JSON.stringify(result, null, 1)}\n`);
  await writeFile(`${file}.html`, pageOf(result));
  return [`${file}.json`, `${file}.html`].map((path) => relative(process.cwd(), path));
}

try {
  process.exit(await main(readOptions(process.argv, process.env)));
} catch (error) {
  if (!(error instanceof LoadRefused) && !(error instanceof NotOnline)) throw error;
  console.error(`error: ${error.message}`);
  process.exit(REFUSED);
}
