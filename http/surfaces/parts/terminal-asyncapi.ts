import type { TSchema } from "@sinclair/typebox";
import * as messages from "./terminal-messages.ts";

type Json = { [member: string]: unknown };

interface MessageDeclaration {
  /** The command of the STOMP frame. */
  frame: string;
  summary: string;
  headers: TSchema;
  /** Absent if the frame has no body. */
  payload?: { schema: TSchema; contentType: "application/json" | "text/plain" };
  example: { headers: Json; payload?: unknown };
}

const JSON_TYPE = "application/json";
const TOPIC = "/topic/terminal/{terminalId}";
const RESULTS = "/app/terminal/{terminalId}/receipt";
const PINGS = "/app/terminal/{terminalId}/ping";

const onTopic = (payload: object) => ({
  headers: {
    subscription: "0",
    "message-id": "m1",
    destination: "/topic/terminal/SIM00001",
    ack: "m1",
    "content-type": JSON_TYPE,
    "content-length": String(Buffer.byteLength(JSON.stringify(payload))),
  },
  payload,
});

const NOTICE = { uuid: "0b7d6f0e-44a5-4f7c-9a5c-0d0f4f1f3a10", amount: 0, terminalId: "SIM00001" };
const REFUSAL = "The relay did not execute CONNECT and closes the connection: The login or passcode is wrong or missing\n";

/** All messages by their name in the document. */
const MESSAGES = {
  connect: {
    frame: "CONNECT",
    summary: "Begin a session as a terminal",
    headers: messages.ConnectHeaders,
    example: { headers: { "accept-version": "1.2", login: "SIM00001", passcode: "its password", "heart-beat": "10000,10000" } },
  },
  connected: {
    frame: "CONNECTED",
    summary: "The session has begun",
    headers: messages.ConnectedHeaders,
    example: { headers: { version: "1.2", server: "terminal-relay", session: "5b7c", "heart-beat": "10000,10000" } },
  },
  disconnect: {
    frame: "DISCONNECT",
    summary: "End the session; the terminal closes the WebSocket after the RECEIPT",
    headers: messages.DisconnectHeaders,
    example: { headers: { receipt: "bye" } },
  },
  receipt: {
    frame: "RECEIPT",
    summary: "The frame that requested this receipt was executed; a result is stored permanently",
    headers: messages.ReceiptHeaders,
    example: { headers: { "receipt-id": "result-1" } },
  },
  error: {
    frame: "ERROR",
    summary: "A frame was rejected or could not be executed: the relay ends the session",
    headers: messages.ErrorHeaders,
    payload: { schema: messages.ErrorPayload, contentType: "text/plain" },
    example: {
      headers: {
        message: "The login or passcode is wrong or missing",
        code: "unauthorized",
        "content-type": "text/plain",
        "content-length": String(Buffer.byteLength(REFUSAL)),
      },
      payload: REFUSAL,
    },
  },
  subscribe: {
    frame: "SUBSCRIBE",
    summary: "Subscribe to the commands of a terminal",
    headers: messages.SubscribeHeaders,
    example: { headers: { id: "0", destination: "/topic/terminal/SIM00001", ack: "client-individual", redeliver: "same-uuid" } },
  },
  acknowledgement: {
    frame: "ACK",
    summary: "The command was received",
    headers: messages.AcknowledgeHeaders,
    example: { headers: { id: "m1" } },
  },
  refusal: {
    frame: "NACK",
    summary: "The terminal did not execute the command, and will not execute it because of this message",
    headers: messages.AcknowledgeHeaders,
    example: { headers: { id: "m1" } },
  },
  command: {
    frame: "MESSAGE",
    summary: "A command for the terminal",
    headers: messages.MessageHeaders,
    payload: { schema: messages.CommandPayload, contentType: JSON_TYPE },
    example: onTopic(messages.COMMAND_EXAMPLE),
  },
  forceUpdate: {
    frame: "MESSAGE",
    summary: "The terminal is to install a version of the app",
    headers: messages.MessageHeaders,
    payload: { schema: messages.ForceUpdateNotice, contentType: JSON_TYPE },
    example: onTopic({
      ...NOTICE,
      service: "FORCE_UPDATE",
      apkUrl: "https://relay.example/api/v1/app/download/pos-42.apk",
      versionCode: 42,
      versionName: "4.2.0",
      mandatory: true,
      md5: "0cc175b9c0f1b6a831c399e269772661",
      fileSize: 18_400_512,
    }),
  },
  config: {
    frame: "MESSAGE",
    summary: "The settings of the terminal",
    headers: messages.MessageHeaders,
    payload: { schema: messages.ConfigNotice, contentType: JSON_TYPE },
    example: onTopic({ ...NOTICE, service: "CONFIG", settings: { language: "it", tips: false, timeoutSeconds: 45 } }),
  },
  result: {
    frame: "SEND",
    summary: "The result of a command",
    headers: messages.SendHeaders,
    payload: { schema: messages.ResultPayload, contentType: JSON_TYPE },
    example: {
      headers: { destination: "/app/terminal/SIM00001/receipt", receipt: "result-1", "content-type": JSON_TYPE },
      payload: messages.RESULT_EXAMPLE,
    },
  },
  ping: {
    frame: "SEND",
    summary: "A heartbeat of a subscribed terminal",
    headers: messages.SendHeaders,
    example: { headers: { destination: "/app/terminal/SIM00001/ping" } },
  },
} satisfies { [name: string]: MessageDeclaration };

type MessageName = keyof typeof MESSAGES;

interface ChannelDeclaration {
  address: string;
  description: string;
  messages: readonly MessageName[];
}

const CHANNELS = {
  session: {
    address: "/ws",
    description:
      "The WebSocket itself, for frames without a destination. Its subprotocols are v12.stomp, v11.stomp and v10.stomp; the terminal need not name one.",
    messages: ["connect", "connected", "disconnect", "receipt", "error"],
  },
  commands: {
    address: TOPIC,
    description: "The commands of a terminal: its own, or those of another terminal if a rule or group lets this one take them.",
    messages: ["subscribe", "command", "forceUpdate", "config", "acknowledgement", "refusal"],
  },
  results: { address: RESULTS, description: "The results of a terminal.", messages: ["result"] },
  pings: { address: PINGS, description: "Heartbeat messages of a terminal.", messages: ["ping"] },
} satisfies { [name: string]: ChannelDeclaration };

type ChannelName = keyof typeof CHANNELS;

interface OperationDeclaration {
  /** From the relay's point of view. */
  action: "send" | "receive";
  channel: ChannelName;
  summary: string;
  messages: readonly MessageName[];
  /** The possible replies in the channel of the session. */
  reply?: readonly MessageName[];
}

const OPERATIONS: { readonly [name: string]: OperationDeclaration } = {
  takeConnect: { action: "receive", channel: "session", summary: "Begin a session", messages: ["connect"], reply: ["connected", "error"] },
  takeDisconnect: { action: "receive", channel: "session", summary: "End a session", messages: ["disconnect"], reply: ["receipt"] },
  takeSubscribe: {
    action: "receive",
    channel: "commands",
    summary: "Subscribe to the commands of a terminal",
    messages: ["subscribe"],
    reply: ["receipt", "error"],
  },
  sendCommand: { action: "send", channel: "commands", summary: "Push a command, once", messages: ["command"] },
  sendNotice: { action: "send", channel: "commands", summary: "Send a message that needs no result", messages: ["forceUpdate", "config"] },
  takeAcknowledgement: {
    action: "receive",
    channel: "commands",
    summary: "Record that a command was received, or return it to the queue",
    messages: ["acknowledgement", "refusal"],
    reply: ["receipt", "error"],
  },
  takeResult: {
    action: "receive",
    channel: "results",
    summary: "Store a result; the RECEIPT confirms that it is stored",
    messages: ["result"],
    reply: ["receipt", "error"],
  },
  takePing: { action: "receive", channel: "pings", summary: "Record a heartbeat", messages: ["ping"], reply: ["receipt", "error"] },
};

const SECURITY_SCHEMES = {
  login: { type: "userPassword", description: "The headers `login` and `passcode` of CONNECT: the terminal's id and its password." },
  basic: { type: "http", scheme: "basic", description: "The credentials as Basic authentication of the upgrade request." },
};
const SECURITY = Object.keys(SECURITY_SCHEMES).map((name) => ({ $ref: `#/components/securitySchemes/${name}` }));

/**
 * Returns the AsyncAPI 3.0 document of the messages between terminals and the relay, from the
 * relay's point of view.
 */
export function buildAsyncApi(version: string): Json {
  return {
    asyncapi: "3.0.0",
    info: {
      title: "Terminal Relay: the terminal's messages",
      version,
      description:
        "STOMP 1.0, 1.1 and 1.2 over WebSocket. The document takes the relay's side: a terminal receives what the relay sends. http/stomp/PROTOCOL.md in the sources has the rules that schemas cannot express (redelivery, limits, what to do after an ERROR). /openapi.json describes the HTTP calls.",
    },
    defaultContentType: JSON_TYPE,
    servers: {
      tls: server("wss", "relay.example", "A relay in production."),
      plain: server("ws", "127.0.0.1:8080", "A sandbox on this machine. It also accepts terminals that send no login."),
    },
    channels: mapped(CHANNELS, channel),
    operations: mapped(OPERATIONS, operation),
    components: { messages: mapped(MESSAGES, message), securitySchemes: SECURITY_SCHEMES },
  };
}

export function asyncApiText(version: string): string {
  return JSON.stringify(buildAsyncApi(version));
}

function server(protocol: "ws" | "wss", host: string, description: string): Json {
  return { host: "{host}", protocol, pathname: "/ws", description, variables: { host: { default: host } }, security: SECURITY };
}

function channel({ address, description, messages: names }: ChannelDeclaration, name: string): Json {
  return {
    address,
    description,
    messages: Object.fromEntries(names.map((one) => [one, { $ref: `#/components/messages/${one}` }])),
    ...(address.includes("{terminalId}")
      ? { parameters: { terminalId: { description: "1 to 64 of A-Z, a-z, 0-9, `.`, `_` and `-`." } } }
      : {}),
    ...(name === "session" ? { bindings: { ws: { method: "GET", bindingVersion: "0.1.0" } } } : {}),
  };
}

function operation({ action, channel: on, summary, messages: names, reply }: OperationDeclaration): Json {
  const refs = (where: ChannelName, which: readonly MessageName[]) => which.map((one) => ({ $ref: `#/channels/${where}/messages/${one}` }));
  return {
    action,
    channel: { $ref: `#/channels/${on}` },
    summary,
    messages: refs(on, names),
    ...(reply === undefined ? {} : { reply: { channel: { $ref: "#/channels/session" }, messages: refs("session", reply) } }),
  };
}

function message({ frame, summary, headers, payload, example }: MessageDeclaration, name: string): Json {
  return {
    name: frame,
    title: `${frame}: ${name}`,
    summary,
    ...(payload === undefined ? {} : { contentType: payload.contentType, payload: payload.schema }),
    headers,
    examples: [{ name, ...example }],
  };
}

function mapped<Declared>(all: { readonly [name: string]: Declared }, written: (one: Declared, name: string) => Json): Json {
  return Object.fromEntries(Object.entries(all).map(([name, one]) => [name, written(one, name)]));
}
