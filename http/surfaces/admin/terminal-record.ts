import { type Static, Type } from "@sinclair/typebox";
import { ConnectionRecord } from "../parts/connection-record.ts";

/** A terminal as administrators see it: its connection, its commands and its device. */
export const TerminalRecord = Type.Object(
  {
    ...ConnectionRecord.properties,
    denied: Type.Boolean({ description: "True if its login was withdrawn." }),
    queued: Type.Integer({ description: "The number of waiting commands." }),
    awaitingResult: Type.Integer({ description: "Commands that were sent and have no result yet." }),
    device: Type.Object(
      {
        userAgent: Type.Optional(Type.String()),
        ipAddress: Type.Optional(Type.String()),
        fingerprint: Type.Optional(
          Type.String({ description: "The identifier that the device sent; otherwise a digest of user agent, model and family." }),
        ),
        family: Type.Optional(Type.String()),
        appVersion: Type.Optional(Type.String()),
        deviceModel: Type.Optional(Type.String()),
      },
      { title: "Device" },
    ),
  },
  { title: "Terminal" },
);

export type TerminalRecordJson = Static<typeof TerminalRecord>;
