import { RelayError } from "../kernel/errors.ts";
import type { Ids } from "../kernel/ids.ts";
import { TERMINAL_ID_PLACE } from "../sessions/terminal-sessions.ts";
import type { Terminals } from "../terminals/terminals.ts";
import type { AppCatalog } from "./app-catalog.ts";
import { isOfferable } from "./app-version.ts";

/** What a version's package is reached by; with a terminal (or the place for one) its download is counted. */
export type PackageUrl = (fileName: string, terminalId: string | null) => string;

export interface PushedUpdate {
  uuid: string;
  versionCode: number;
  /** Sessions that got the message. */
  recipients: number;
}

/**
 * Sends FORCE_UPDATE to every session of one terminal, or of all that are connected anywhere (http/stomp/PROTOCOL.md). Not queued: who is not connected does
 * not get it. Rejects with RelayError `not_found`, `conflict` for a version that is not offered to anyone, `unavailable`.
 */
export type PushUpdate = (versionId: number, terminalId: string | null) => Promise<PushedUpdate>;

export function createPushUpdate(
  catalog: Pick<AppCatalog, "version">,
  terminals: Pick<Terminals, "broadcast">,
  ids: Ids,
  packageUrl: PackageUrl,
): PushUpdate {
  return async (versionId, terminalId) => {
    const version = catalog.version(versionId);
    if (version === null) throw new RelayError("not_found", "There is no such version");
    if (!isOfferable(version)) throw new RelayError("conflict", "The version is not active, or has no package yet");
    const { versionCode, versionName, mandatory } = version;
    const { fileName, md5, bytes } = version.package;
    const uuid = ids.uuid();
    const place = terminalId ?? TERMINAL_ID_PLACE;
    const message = {
      uuid,
      service: "FORCE_UPDATE",
      amount: 0,
      terminalId: place,
      apkUrl: packageUrl(fileName, place),
      versionCode,
      versionName,
      mandatory,
      md5,
      fileSize: bytes,
    };
    const recipients = await terminals.broadcast(terminalId, JSON.stringify(message));
    return { uuid, versionCode, recipients };
  };
}
