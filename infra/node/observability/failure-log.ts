import type { Logger } from "pino";
import { type FailureFacts, failureFacts, type Service } from "./failure-facts.ts";

/** Where the services of a node are, host and port (or the folder), without credentials; for errors that do not say it themselves. */
export type ServiceAddresses = { readonly [service in Service]?: string };

export interface Failure {
  event: string;
  /** What of the event failed; failures of other keys are written beside each other. */
  key: string;
  error: unknown;
  /** Written with it. */
  facts?: object;
  /** The service that this event is about, where the error does not name another one. */
  service?: Service;
}

export interface FailureLogOptions {
  logger: Pick<Logger, "error">;
  addresses: ServiceAddresses;
  nowMs(): number;
}

/** Failures of one event and key within this time are counted, not written: an unavailable store fails thousands of requests a second. */
const REPEAT_MS = 1_000;

/** The same of one cause, wherever it is noticed: an outage is one line, and one a minute while it lasts. */
const CAUSE_REPEAT_MS = 60_000;

/** Causes and events that are remembered; at the bound all are forgotten, which writes some lines more. */
const REMEMBERED_MAX = 1_000;

interface Written {
  atMs: number;
  suppressed: number;
}

/**
 * Writes failures, an outage without a stack: one line with what is away, where it is and why. A fault of the program has its stack. `suppressed` is how many
 * the line stands for beside its own.
 */
export function createFailureLog({ logger, addresses, nowMs }: FailureLogOptions): (failure: Failure) => void {
  const written = new Map<string, Written>();

  function recent(last: Written | undefined, withinMs: number): Written | null {
    return last !== undefined && nowMs() - last.atMs < withinMs ? last : null;
  }

  return ({ event, key, error, facts = {}, service: about }) => {
    const known = failureFacts(error);
    const service = known.service ?? about ?? null;
    const isOutage = known.isOutage || (service !== null && !known.isFault);
    const address = known.address ?? (service === null ? null : (addresses[service] ?? null));
    // A fault is not held back by an outage that was written in the same second: an outage goes on and is written later, a fault may not come again.
    const eventName = `${event} ${key} ${isOutage}`;
    const causeName = isOutage ? causeOf(known, address) : `${eventName} ${known.madeAt} ${causeOf(known, null)}`;
    const [ofEvent, ofCause] = [written.get(eventName), written.get(causeName)];
    const repeated = recent(ofCause, CAUSE_REPEAT_MS) ?? recent(ofEvent, REPEAT_MS);
    if (repeated !== null) {
      repeated.suppressed += 1;
      return;
    }
    const suppressed = (ofEvent?.suppressed ?? 0) + (ofCause?.suppressed ?? 0);
    if (written.size >= REMEMBERED_MAX) written.clear();
    for (const name of [eventName, causeName]) written.set(name, { atMs: nowMs(), suppressed: 0 });
    const told = isOutage ? outageOf(known, service, address) : { err: error };
    logger.error({ event, ...told, ...facts, ...(suppressed === 0 ? {} : { suppressed }) }, isOutage ? `${event}: ${known.reason}` : event);
  };
}

function outageOf({ reason, code }: FailureFacts, service: Service | null, address: string | null): object {
  return {
    ...(service === null ? {} : { service }),
    ...(address === null ? {} : { address }),
    ...(code === null ? {} : { code }),
    reason,
  };
}

/** What one address fails with is one cause. Without a code, two failures with the same text have the same cause, numbers and ids aside. */
function causeOf({ name, code, cause }: FailureFacts, address: string | null): string {
  if (address !== null && code !== null) return `${address} ${code}`;
  return `${address ?? ""} ${name} ${cause.replace(/[0-9a-f-]{8,}|\d+/gi, "#")}`;
}
