import { type Static, Type } from "@sinclair/typebox";
import { deviceName, deviceWords } from "../../../engine/kernel/cut-text.ts";
import type { DeviceInfo } from "../../../engine/sessions/presence.ts";
import { headerText } from "./header-text.ts";

/** Without a maximum length: a text that is too long is cut, but must not keep a terminal from its payments. */
const text = (description: string) => Type.Optional(Type.String({ description }));

/** What a polling terminal reports about itself; all members are optional. */
export const DeviceHeaders = Type.Object({
  "user-agent": text("Shown to administrators."),
  "x-terminal-family": text("`privative-tags`, `field-47` or `no-tags`: how tags are sent to this terminal."),
  "x-device-fingerprint": text("Identifies the device. Without it, a digest of the known values is used."),
  "x-app-version": text("Shown to administrators."),
  "x-device-model": text("Shown to administrators."),
});

export function deviceOf(headers: Static<typeof DeviceHeaders>, ipAddress: string): DeviceInfo {
  const device: DeviceInfo = { ipAddress };
  if (headers["user-agent"] !== undefined) device.userAgent = deviceWords(headers["user-agent"]);
  if (headers["x-terminal-family"] !== undefined) device.family = deviceName(headers["x-terminal-family"]);
  if (headers["x-device-fingerprint"] !== undefined) device.fingerprint = deviceName(headers["x-device-fingerprint"]);
  if (headers["x-app-version"] !== undefined) device.appVersion = deviceName(headers["x-app-version"]);
  if (headers["x-device-model"] !== undefined) device.deviceModel = deviceName(headerText(headers["x-device-model"]));
  return device;
}
