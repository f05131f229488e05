import { Type } from "@sinclair/typebox";
import { TERMINAL_FAMILIES } from "../../../engine/payments/tags.ts";

/**
 * What a terminal and the relay send each other: bodies, and headers of STOMP frames (http/stomp/PROTOCOL.md). The endpoints for terminals that poll use the same bodies, and
 * `/asyncapi.json` describes them.
 */

/** A command as the terminal gets it: the partner's members and what the relay adds. */
export const CommandPayload = Type.Object(
  {
    uuid: Type.String(),
    service: Type.String(),
    amount: Type.Integer(),
    terminalId: Type.String(),
    expiresAt: Type.String({ description: "ISO 8601 UTC. The terminal must not start the command after this time." }),
    serverTime: Type.String({ description: "ISO 8601 UTC, when it was sent." }),
    redelivered: Type.Optional(
      Type.Boolean({ description: "True if it was sent before. The terminal must not execute a uuid again that it has already executed." }),
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

/** A result as the terminal posts it. Its members are read tolerantly (infra/docs/results.md): nothing is refused because of its form. */
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

/** The terminal is to install a version of its app. */
export const ForceUpdateNotice = Type.Object(
  {
    uuid: Type.String(),
    service: Type.Literal("FORCE_UPDATE"),
    amount: Type.Literal(0),
    terminalId: Type.String(),
    apkUrl: Type.String({ description: "Where the package is." }),
    versionCode: Type.Integer(),
    versionName: Type.String(),
    mandatory: Type.Boolean(),
    md5: Type.String({ description: "Of the package, in hexadecimal." }),
    fileSize: Type.Integer({ description: "Of the package, in bytes." }),
  },
  { additionalProperties: false },
);

/** The settings of the terminal, all of them. */
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

const receipt = Type.Optional(Type.String({ maxLength: 256, description: "Asks for a RECEIPT with this id." }));

export const ConnectHeaders = Type.Object({
  "accept-version": Type.Optional(Type.String({ description: "STOMP versions, separated by commas. Without it: 1.0." })),
  login: Type.Optional(Type.String({ description: "The terminal's id. Not needed where the upgrade has Basic authentication." })),
  passcode: Type.Optional(Type.String({ description: "The terminal's password." })),
  "heart-beat": Type.Optional(Type.String({ pattern: "^ *\\d+ *, *\\d+ *$", description: "What it sends and wants, in milliseconds." })),
  "terminal-family": Type.Optional(Type.Union(Object.keys(TERMINAL_FAMILIES).map((family) => Type.Literal(family)))),
  "app-version": Type.Optional(Type.String({ description: "Shown to operators, at most 64 characters." })),
  "device-model": Type.Optional(Type.String({ description: "Shown to operators, at most 64 characters." })),
});

export const ConnectedHeaders = Type.Object(
  {
    version: Type.Union([Type.Literal("1.0"), Type.Literal("1.1"), Type.Literal("1.2")]),
    server: Type.String(),
    session: Type.String(),
    "heart-beat": Type.Optional(Type.String({ description: "What the relay sends and wants, in milliseconds. Not in 1.0." })),
  },
  { additionalProperties: false },
);

export const SubscribeHeaders = Type.Object({
  id: Type.Optional(Type.String({ maxLength: 256, description: "Required from STOMP 1.1 on." })),
  destination: Type.String(),
  ack: Type.Optional(Type.Union([Type.Literal("auto"), Type.Literal("client"), Type.Literal("client-individual")])),
  redeliver: Type.Optional(
    Type.Literal("same-uuid", { description: "The terminal remembers uuids across restarts. Only with `ack: client-individual`." }),
  ),
  receipt,
});

export const MessageHeaders = Type.Object(
  {
    subscription: Type.Optional(Type.String({ description: "The id of the SUBSCRIBE." })),
    "message-id": Type.String(),
    destination: Type.String(),
    ack: Type.Optional(Type.String({ description: "In 1.2, the id of its ACK or NACK; only where the subscription acknowledges." })),
    "content-type": Type.Literal("application/json"),
    "content-length": Type.String(),
  },
  { additionalProperties: false },
);

export const AcknowledgeHeaders = Type.Object({
  id: Type.Optional(Type.String({ description: "The header `ack` of the message; required in 1.2." })),
  "message-id": Type.Optional(Type.String({ description: "Of the message; required in 1.1 and 1.0." })),
  subscription: Type.Optional(Type.String({ description: "Of the message; required in 1.1." })),
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
    code: Type.String({ description: "A word for programs." }),
    version: Type.Optional(Type.String({ description: "The relay's STOMP versions, where there is no common one." })),
    "receipt-id": Type.Optional(Type.String({ description: "Of the frame that caused it." })),
    "retry-after": Type.Optional(Type.String({ description: "Seconds, where it is known when a retry makes sense." })),
    "content-type": Type.Literal("text/plain"),
    "content-length": Type.String(),
  },
  { additionalProperties: false },
);

export const ErrorPayload = Type.String({ description: "A readable text." });
