import { commandLine } from "../../command-line.ts";

/** Says how a node is started, or of which version it is, and ends; refuses everything else, since a node reads its configuration from variables. */
export function readArguments(): void {
  commandLine("terminal-relay")
    .description(
      "Starts a node of Terminal Relay: without any variable it starts a sandbox on http://127.0.0.1:8080. It has no other options: environment variables that begin with RELAY_ configure it (infra/docs/configuration.md).",
    )
    .parse();
}
