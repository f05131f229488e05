import { deviceName, deviceWords } from "../../engine/kernel/cut-text.ts";
import { RelayError } from "../../engine/kernel/errors.ts";
import { type DeviceInfo, declaredCommands } from "../../engine/sessions/presence.ts";
import { STOMP_VERSIONS, type StompFrame, type StompVersion } from "./frame.ts";
import type { UpgradeInfo } from "./host.ts";
import { agreeHeartBeats, chooseVersion, type HeartBeatOffer, type HeartBeats } from "./negotiation.ts";

/** What a CONNECT or STOMP frame asks for. */
export interface ConnectRequest {
  version: StompVersion;
  heartBeats: HeartBeats;
  /** Null when the frame names neither a login nor a passcode; an empty one counts as none. A passcode alone lets nobody in. */
  credentials: { login: string; passcode: string } | null;
  device: DeviceInfo;
}

/** Thrown if there is no common version; the ERROR then lists the relay's versions. */
export class VersionError extends RelayError {
  constructor() {
    super("invalid_request", `Supported STOMP versions are ${STOMP_VERSIONS.join(", ")}`);
    this.name = "VersionError";
  }
}

/** Reads a CONNECT. Throws VersionError, or RelayError `invalid_request` for a heart-beat that is not two numbers. */
export function readConnect(frame: StompFrame, upgrade: UpgradeInfo, offer: HeartBeatOffer): ConnectRequest {
  const version = chooseVersion(frame.headers.get("accept-version"));
  if (version === null) throw new VersionError();
  const heartBeats = agreeHeartBeats(version === "1.0" ? undefined : frame.headers.get("heart-beat"), offer);
  if (heartBeats === null) throw new RelayError("invalid_request", "heart-beat must be two numbers of milliseconds, such as 10000,10000");
  const login = frame.headers.get("login") ?? "";
  const passcode = frame.headers.get("passcode") ?? "";
  return {
    version,
    heartBeats,
    credentials: login === "" && passcode === "" ? null : { login, passcode },
    device: readDevice(frame, upgrade),
  };
}

const NAME_CHARS_MAX = 64;

function readDevice(frame: StompFrame, upgrade: UpgradeInfo): DeviceInfo {
  const name = (header: string) => shown(frame.headers.get(header), (text) => deviceName(text, NAME_CHARS_MAX));
  const [family, appVersion, deviceModel] = [name("terminal-family"), name("app-version"), name("device-model")];
  const commands = frame.headers.get("terminal-commands");
  const userAgent = shown(upgrade.userAgent, deviceWords);
  return {
    ...(userAgent === undefined ? {} : { userAgent }),
    ...(upgrade.ipAddress === undefined ? {} : { ipAddress: upgrade.ipAddress }),
    ...(upgrade.fingerprint === undefined ? {} : { fingerprint: upgrade.fingerprint }),
    ...(family === undefined ? {} : { family }),
    ...(appVersion === undefined ? {} : { appVersion }),
    ...(deviceModel === undefined ? {} : { deviceModel }),
    ...(commands === undefined ? {} : { commands: declaredCommands(commands) }),
  };
}

/** Text as it may be stored and shown: no control characters, not empty, masked and cut. */
function shown(text: string | undefined, asStored: (text: string) => string): string | undefined {
  const clean = text?.replace(/\p{Cc}/gu, "").trim() ?? "";
  return clean === "" ? undefined : asStored(clean);
}
