import { randomBytes } from "node:crypto";
import { isTerminalId } from "../../engine/kernel/identifiers.ts";
import { terminalPassword } from "../../http/auth/terminal-password.ts";
import { commandLine } from "../command-line.ts";
import { readConfig } from "../node/boot/config.ts";
import { ConfigRefused } from "../node/boot/config-reader.ts";

/**
 * `npm run terminal-password -- ID`: the derived password of a terminal, to be put into its settings. Needs the same RELAY_TERMINAL_SECRET
 * as the relay.
 */
const program = commandLine("terminal-password")
  .description("Prints the login and password of a terminal, derived from RELAY_TERMINAL_SECRET (in the sandbox from its fixed secret).")
  .argument("<id...>", "terminal ids")
  .action((ids: string[]) => {
    const { mode, terminalSecret } = readConfig({
      RELAY_MODE: process.env["RELAY_MODE"],
      RELAY_TERMINAL_SECRET: process.env["RELAY_TERMINAL_SECRET"],
      // The listener's address and the key of stored secrets do not matter here.
      RELAY_SECRET_KEY: randomBytes(32).toString("hex"),
      RELAY_HOST: "127.0.0.1",
    });
    if (mode === "sandbox" && process.env["RELAY_TERMINAL_SECRET"] === undefined)
      console.error("(sandbox secret; production sets RELAY_TERMINAL_SECRET)");
    const odd = ids.find((id) => !isTerminalId(id));
    if (odd !== undefined) program.error(`${JSON.stringify(odd)} is not a terminal id: 1 to 64 of A-Z a-z 0-9 . _ -`);
    for (const id of ids) {
      console.log(`${id}  ${terminalPassword(terminalSecret, id)}`);
    }
  });

try {
  program.parse();
} catch (error) {
  if (!(error instanceof ConfigRefused)) throw error;
  program.error(error.message);
}
