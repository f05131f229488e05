import { type Static, Type } from "@sinclair/typebox";
import { type StoredZvtConfig, ZVT_DEFAULT, ZVT_KEY, type ZvtConfig } from "../../../engine/settings/cloud-config.ts";
import { okBody } from "../relay-envelope.ts";
import { admin } from "./surface.ts";

const Level = Type.Union([Type.Literal("DEBUG"), Type.Literal("INFO"), Type.Literal("WARN"), Type.Literal("ERROR")]);

const members = {
  enabled: Type.Boolean(),
  port: Type.Integer({ minimum: 1, maximum: 65_535 }),
  timeoutSeconds: Type.Integer({ minimum: 1, maximum: 3_600 }),
  maxConnections: Type.Integer({ minimum: 1, maximum: 10_000 }),
  loggingLevel: Level,
  logRawBytes: Type.Boolean({ description: "Raw bytes may contain card data: use it with test terminals only." }),
};

const Shown = Type.Object({
  ...members,
  stored: Type.Boolean({ description: "False while nothing is stored and the defaults apply." }),
  restartRequired: Type.Boolean({ description: "A restart applies the stored configuration." }),
  message: Type.String(),
});

const MESSAGE = "A restart is required to apply the configuration.";

function shown(stored: StoredZvtConfig | undefined): Static<typeof Shown> {
  const { enabled, port, timeoutSeconds, maxConnections, loggingLevel, logRawBytes } = stored ?? ZVT_DEFAULT;
  const config: ZvtConfig = { enabled, port, timeoutSeconds, maxConnections, loggingLevel, logRawBytes };
  return { ...config, stored: stored !== undefined, restartRequired: true, message: MESSAGE };
}

const example = { status: "ok", data: { ...ZVT_DEFAULT, enabled: true, stored: true, restartRequired: true, message: MESSAGE } };

const showZvtConfig = admin.endpoint({
  name: "showZvtConfig",
  method: "GET",
  path: "/admin/zvt/config",
  summary: "Get the stored configuration of the ZVT listener",
  description: "The listener itself is not part of this version.",
  auth: "admin",
  role: "read-only",
  responses: { 200: { description: "The stored configuration, or the defaults.", body: okBody(Shown), example }, ...admin.errors(401) },
  handle: ({ serviceSettings }) => ({ status: 200 as const, body: { status: "ok" as const, data: shown(serviceSettings.get(ZVT_KEY)) } }),
});

const saveZvtConfig = admin.endpoint({
  name: "saveZvtConfig",
  method: "POST",
  path: "/admin/zvt/config",
  summary: "Store the configuration of the ZVT listener",
  description: "Members that are left out keep their values; unknown members are ignored. The listener itself is not part of this version.",
  auth: "admin",
  role: "operator",
  body: Type.Partial(Type.Object(members)),
  bodyExample: { enabled: true, port: 40_007, timeoutSeconds: 60, maxConnections: 10, loggingLevel: "INFO", logRawBytes: false },
  audit: { action: "zvt.configure", subject: () => "zvt" },
  responses: {
    200: { description: "The configuration as it is now stored.", body: okBody(Shown), example },
    ...admin.errors(400, 401, 413, 415, 503),
  },
  handle: async ({ serviceSettings, clock }, { body }) => {
    const stored = await serviceSettings.change(ZVT_KEY, (before: ZvtConfig = ZVT_DEFAULT) => ({
      schema: 1,
      enabled: body.enabled ?? before.enabled,
      port: body.port ?? before.port,
      timeoutSeconds: body.timeoutSeconds ?? before.timeoutSeconds,
      maxConnections: body.maxConnections ?? before.maxConnections,
      loggingLevel: body.loggingLevel ?? before.loggingLevel,
      logRawBytes: body.logRawBytes ?? before.logRawBytes,
      updatedAtMs: clock.nowMs(),
    }));
    return { status: 200, body: { status: "ok", data: shown(stored) } };
  },
});

export const zvtEndpoints = [showZvtConfig, saveZvtConfig];
