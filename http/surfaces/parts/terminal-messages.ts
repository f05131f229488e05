import { Type } from "@sinclair/typebox";
import { TERMINAL_FAMILIES } from "../../../engine/payments/tags.ts";

/**
 * The messages between a terminal and the relay: bodies, and headers of STOMP frames
 * (http/stomp/PROTOCOL.md). The endpoints for polling terminals use the same bodies, and
 * `/asyncapi.json` describes them.
 */

/** A command as the terminal receives it: the partner's members and those that the relay adds. */
export const CommandPayload = Type.Object(
  {
    uuid: Type.String(),
    service: Type.String(),
    amount: Type.Integer(),
    terminalId: Type.String(),
    expiresAt: Type.String({ description: "ISO 8601 UTC. The terminal must not start the command after this time." }),
    serverTime: Type.String({ description: "ISO 8601 UTC; when the command was sent." }),
    redelivered: Type.Optional(
      Type.Boolean({
        description: "True if the command was sent before. The terminal must not execute a uuid that it has already executed.",
      }),
    ),
    attempt: Type.Optional(Type.Integer({ minimum: 2 })),
  },
  { title: "CommandPayload", additionalProperties: true },
);

export const COMMAND_EXAMPLE = {
  uuid: "7d9f0a52-6c2e-4a83-9f5d-2c1d0d1b8f11",
  amount: 1050,
  service: "PAYCC",
  terminalId: "SIM00001",
  expiresAt: "2026-11-21T10:01:00.000Z",
  serverTime: "2026-11-21T10:00:00.120Z",
};

/**
 * A result as the terminal posts it. Its members are read tolerantly (infra/docs/results.md), so
 * its form is never a reason to reject it.
 */
export const ResultPayload = Type.Object(
  {},
  { additionalProperties: true, description: "A payment, scan or print result. Members other than uuid and outcome are free-form." },
);

export const RESULT_EXAMPLE = {
  uuid: "7d9f0a52-6c2e-4a83-9f5d-2c1d0d1b8f11",
  result: "OK",
  amount: 1050,
  authCode: "123456",
  brand: "VISA",
  pan: "453201******0366",
};

/** Requests that the terminal installs a version of its app. */
export const ForceUpdateNotice = Type.Object(
  {
    uuid: Type.String(),
    service: Type.Literal("FORCE_UPDATE"),
    amount: Type.Literal(0),
    terminalId: Type.String(),
    apkUrl: Type.String({ description: "Address of the package." }),
    versionCode: Type.Integer(),
    versionName: Type.String(),
    mandatory: Type.Boolean(),
    md5: Type.String({ description: "MD5 of the package, in hexadecimal." }),
    fileSize: Type.Integer({ description: "Size of the package in bytes." }),
  },
  { additionalProperties: false },
);

/** Contains all settings of the terminal. */
export const ConfigNotice = Type.Object(
  {
    uuid: Type.String(),
    service: Type.Literal("CONFIG"),
    amount: Type.Literal(0),
    terminalId: Type.String(),
    settings: Type.Record(Type.String(), Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Null()])),
  },
  { additionalProperties: false },
);

const receipt = Type.Optional(Type.String({ maxLength: 256, description: "Requests a RECEIPT with this id." }));

export const ConnectHeaders = Type.Object({
  "accept-version": Type.Optional(Type.String({ description: "STOMP versions, separated by commas. If absent: 1.0." })),
  login: Type.Optional(Type.String({ description: "The terminal's id. Not needed if the upgrade request has Basic authentication." })),
  passcode: Type.Optional(Type.String({ description: "The terminal's password." })),
  "heart-beat": Type.Optional(
    Type.String({
      pattern: "^ *\\d+ *, *\\d+ *$",
      description: "Intervals of the heart-beats that the terminal can send and wants to receive, in milliseconds.",
    }),
  ),
  "terminal-family": Type.Optional(Type.Union(Object.keys(TERMINAL_FAMILIES).map((family) => Type.Literal(family)))),
  "app-version": Type.Optional(Type.String({ description: "For display to operators; at most 64 characters." })),
  "device-model": Type.Optional(Type.String({ description: "For display to operators; at most 64 characters." })),
});

export const ConnectedHeaders = Type.Object(
  {
    version: Type.Union([Type.Literal("1.0"), Type.Literal("1.1"), Type.Literal("1.2")]),
    server: Type.String(),
    session: Type.String(),
    "heart-beat": Type.Optional(
      Type.String({
        description: "Intervals of the heart-beats that the relay sends and wants to receive, in milliseconds. Absent in STOMP 1.0.",
      }),
    ),
  },
  { additionalProperties: false },
);

export const SubscribeHeaders = Type.Object({
  id: Type.Optional(Type.String({ maxLength: 256, description: "The subscription's id. Required from STOMP 1.1 on." })),
  destination: Type.String(),
  ack: Type.Optional(Type.Union([Type.Literal("auto"), Type.Literal("client"), Type.Literal("client-individual")])),
  redeliver: Type.Optional(
    Type.Literal("same-uuid", {
      description: "Declares that the terminal remembers uuids across restarts. Only with `ack: client-individual`.",
    }),
  ),
  receipt,
});

export const MessageHeaders = Type.Object(
  {
    subscription: Type.Optional(Type.String({ description: "The id of the SUBSCRIBE frame." })),
    "message-id": Type.String(),
    destination: Type.String(),
    ack: Type.Optional(
      Type.String({ description: "In STOMP 1.2, the id to send in ACK or NACK. Present only if the subscription acknowledges messages." }),
    ),
    "content-type": Type.Literal("application/json"),
    "content-length": Type.String(),
  },
  { additionalProperties: false },
);

export const AcknowledgeHeaders = Type.Object({
  id: Type.Optional(Type.String({ description: "The header `ack` of the message; required in STOMP 1.2." })),
  "message-id": Type.Optional(Type.String({ description: "The id of the message; required in STOMP 1.1 and 1.0." })),
  subscription: Type.Optional(Type.String({ description: "The subscription of the message; required in STOMP 1.1." })),
  receipt,
});

export const SendHeaders = Type.Object({
  destination: Type.String(),
  receipt,
  "content-type": Type.Optional(Type.String()),
  "content-length": Type.Optional(Type.String()),
});

export const DisconnectHeaders = Type.Object({ receipt });

export const ReceiptHeaders = Type.Object({ "receipt-id": Type.String() }, { additionalProperties: false });

export const ErrorHeaders = Type.Object(
  {
    message: Type.String(),
    code: Type.String({ description: "Error code for programs." }),
    version: Type.Optional(
      Type.String({ description: "The STOMP versions that the relay supports. Present if the client and the relay have none in common." }),
    ),
    "receipt-id": Type.Optional(Type.String({ description: "The receipt header of the frame that caused the error." })),
    "retry-after": Type.Optional(Type.String({ description: "Seconds after which the client may retry. Absent if the relay cannot say." })),
    "content-type": Type.Literal("text/plain"),
    "content-length": Type.String(),
  },
  { additionalProperties: false },
);

export const ErrorPayload = Type.String({ description: "A readable text." });
