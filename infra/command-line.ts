import { Command } from "commander";
import { VERSION } from "./node/boot/version.ts";

/** A program that is started by hand: it says how it is used and of which version it is when it is asked, and refuses arguments that it does not know. */
export function commandLine(name: string): Command {
  return new Command(name).version(VERSION);
}
