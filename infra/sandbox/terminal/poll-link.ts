import type { CommandRunner } from "./command-runner.ts";
import type { Settings } from "./options.ts";
import type { Pace } from "./pace.ts";
import { type RelayClient, reasonOf } from "./relay-client.ts";

/** Polls for commands until the signal aborts: again at once after a command, else after the interval, or with back-off after a failure. */
export async function poll(
  settings: Settings,
  parts: { client: Pick<RelayClient, "get">; runner: Pick<CommandRunner, "full" | "receive">; pace: Pace; signal: AbortSignal },
): Promise<void> {
  const { client, runner, pace, signal } = parts;
  let online = false;
  let failures = 0;
  while (!signal.aborted) {
    if (runner.full) {
      await pace.sleep(settings.pollIntervalMs, signal);
      continue;
    }
    const answer = await client.get(signal).catch(reasonOf);
    if (typeof answer !== "string" && (answer.status === 200 || answer.status === 204)) {
      if (!online) settings.onEvent({ type: "online", link: "poll" });
      online = true;
      failures = 0;
      if (answer.status === 200) runner.receive(answer.text);
      else await pace.sleep(settings.pollIntervalMs, signal);
      continue;
    }
    if (signal.aborted) return;
    online = false;
    const retryMs = (typeof answer === "string" ? null : answer.retryAfterMs) ?? pace.backOffMs(failures);
    failures += 1;
    settings.onEvent({ type: "offline", reason: typeof answer === "string" ? answer : `status ${answer.status}`, retryMs });
    await pace.sleep(retryMs, signal);
  }
}
