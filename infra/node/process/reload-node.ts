import type { ThreadBus } from "../../../storage/bus/thread-bus.ts";
import type { Config } from "../boot/config.ts";
import type { NodeProtocol } from "../boot/node-protocol.ts";
import { StartRefused } from "../boot/start-refused.ts";
import type { Log } from "../observability/log.ts";
import { type Certificates, readCertificates } from "./certificates.ts";

/** How long a shard has to take a configuration over. */
const RELOAD_MS = 10_000;

export interface ReloadParts {
  config: Config;
  /** Those with which the node has started. */
  certificates: Certificates;
  bus: Pick<ThreadBus<NodeProtocol>, "shards" | "request">;
  log: Pick<Log, "setLevel">;
}

export interface Reloading {
  /** Those with which the node listens now. */
  certificates(): Certificates;
  /**
   * Takes over what a running node can of a configuration that was read again: one after the other, never two at once. Throws StartRefused with the reason
   * where the files of TLS cannot be used, and then nothing has changed; or with the threads that could not take it over, which go on as they were.
   */
  reload(next: Config): Promise<Certificates & { changed: boolean }>;
}

export function createReloading({ config: started, certificates: first, bus, log }: ReloadParts): Reloading {
  let certificates = first;
  let files: Pick<Config, "tls" | "tlsClientCaFile"> = started;
  let last: Promise<unknown> = Promise.resolve();

  async function reload(next: Config): Promise<Certificates & { changed: boolean }> {
    // With TLS or without it is decided at the start: who listens for the one does not for the other. So is whether clients need certificates.
    const tls = files.tls === null ? null : (next.tls ?? files.tls);
    const tlsClientCaFile = files.tlsClientCaFile === null ? null : (next.tlsClientCaFile ?? files.tlsClientCaFile);
    const found = await readCertificates({ tls, tlsClientCaFile });
    const changed = found.digest !== certificates.digest;
    const { logLevel, openMax, downloadBytesPerSecond } = next;
    const config = { logLevel, tls, tlsClientCaFile, openMax, downloadBytesPerSecond };
    log.setLevel(logLevel);
    const answers = await Promise.all(
      bus.shards.map((shard) => bus.request(shard, "shard.reload", { config, certificatesChanged: changed }, RELOAD_MS)),
    );
    const refused = bus.shards.flatMap((shard, index) => {
      const answer = answers[index];
      return answer?.type === "refused" ? [`${shard}: ${answer.reason}`] : [];
    });
    // The former digest stays, so that the next attempt renews all of them.
    if (refused.length > 0) throw new StartRefused(refused.join("; "));
    certificates = found;
    files = { tls, tlsClientCaFile };
    return { ...found, changed };
  }

  return {
    certificates: () => certificates,
    reload: (next) => {
      const reloaded = last.then(() => reload(next));
      last = reloaded.catch(() => undefined);
      return reloaded;
    },
  };
}
