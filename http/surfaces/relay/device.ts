import { type Static, Type } from "@sinclair/typebox";
import { deviceName, deviceWords } from "../../../engine/kernel/cut-text.ts";
import { type DeviceInfo, declaredCommands } from "../../../engine/sessions/presence.ts";
import { headerText } from "./header-text.ts";

/** Without a maximum length: a text that is too long is cut, but must not keep a terminal from its payments. */
const text = (description: string) => Type.Optional(Type.String({ description }));

/** What a polling terminal reports about itself; all members are optional. */
export const DeviceHeaders = Type.Object({
  "user-agent": text("For display to administrators."),
  "x-terminal-family": text("How tags are sent to this terminal: `privative-tags`, `field-47` or `no-tags`."),
  "x-device-fingerprint": text("Identifies the device. If it is absent, the relay uses a digest of the known values."),
  "x-app-version": text("For display to administrators."),
  "x-device-model": text("For display to administrators."),
  "x-terminal-commands": text(
    "The services of commands that the terminal executes beside payments, with commas: `LOGCAT,SCAN,PRINT,RESTART`. Administrators are offered a restart only if RESTART is listed.",
  ),
});

export function deviceOf(headers: Static<typeof DeviceHeaders>, ipAddress: string): DeviceInfo {
  const device: DeviceInfo = { ipAddress };
  if (headers["user-agent"] !== undefined) device.userAgent = deviceWords(headers["user-agent"]);
  if (headers["x-terminal-family"] !== undefined) device.family = deviceName(headers["x-terminal-family"]);
  if (headers["x-device-fingerprint"] !== undefined) device.fingerprint = deviceName(headers["x-device-fingerprint"]);
  if (headers["x-app-version"] !== undefined) device.appVersion = deviceName(headers["x-app-version"]);
  if (headers["x-device-model"] !== undefined) device.deviceModel = deviceName(headerText(headers["x-device-model"]));
  if (headers["x-terminal-commands"] !== undefined) device.commands = declaredCommands(headers["x-terminal-commands"]);
  return device;
}
