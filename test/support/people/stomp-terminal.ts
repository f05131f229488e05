import { Client, type IFrame, type IMessage, type StompConfig, Versions } from "@stomp/stompjs";
import { WebSocket } from "ws";
import { Inbox, within } from "../within.ts";

/** A command as a terminal receives it. */
export interface ReceivedCommand {
  command: { [member: string]: unknown };
  message: IMessage;
}

/** A terminal that speaks STOMP through an independent client. */
export interface StompTerminal {
  client: Client;
  connected: IFrame;
  errors: Inbox<IFrame>;
  closes: Inbox<{ code: number }>;
  /** Subscribes to a terminal's topic. Resolves when the relay has confirmed it. */
  subscribe(terminalId: string, headers?: { [name: string]: string }): Promise<Inbox<ReceivedCommand>>;
  /** Sends with a receipt and resolves with its RECEIPT. */
  send(destination: string, body: string): Promise<IFrame>;
  /** Posts a result over STOMP. Resolves when the relay reports that it is stored. */
  result(terminalId: string, members: { [member: string]: unknown }): Promise<IFrame>;
  ping(terminalId: string): Promise<IFrame>;
  /** Disconnects without notice, like a terminal that loses its network. */
  vanish(): Promise<void>;
}

export interface StompOptions extends StompConfig {
  login?: string;
  passcode?: string;
  version?: string;
}

export function webSocketUrl(url: string): string {
  return `${url.replace(/^http/, "ws")}/ws`;
}

export async function connectStomp(
  url: string,
  { login, passcode, version, connectHeaders, ...options }: StompOptions,
): Promise<StompTerminal> {
  const versions = new Versions(version === undefined ? [Versions.V1_2, Versions.V1_1, Versions.V1_0] : [version]);
  const errors = new Inbox<IFrame>("an ERROR frame");
  const closes = new Inbox<{ code: number }>("the end of the connection");
  const client = new Client({
    webSocketFactory: () => new WebSocket(webSocketUrl(url), versions.protocolVersions()),
    stompVersions: versions,
    connectHeaders: { ...(login === undefined ? {} : { login }), ...(passcode === undefined ? {} : { passcode }), ...connectHeaders },
    reconnectDelay: 0,
    heartbeatIncoming: 0,
    heartbeatOutgoing: 0,
    ...options,
  });
  client.onWebSocketClose = (event: { code: number }) => closes.add(event);
  const connecting = new Promise<IFrame>((resolve, reject) => {
    client.onConnect = resolve;
    client.onStompError = (frame) => {
      errors.add(frame);
      reject(new Error(frame.headers["message"]));
    };
  });
  client.activate();
  const connected = await within("CONNECTED", connecting);

  let receipts = 0;
  function receiptOf(act: (receipt: string) => void): Promise<IFrame> {
    receipts += 1;
    const receipt = `receipt-${receipts}`;
    return within(
      `RECEIPT ${receipt}`,
      new Promise((resolve) => {
        client.watchForReceipt(receipt, resolve);
        act(receipt);
      }),
    );
  }
  const send = (destination: string, body: string) =>
    receiptOf((receipt) => client.publish({ destination, body, headers: { receipt, "content-type": "application/json" } }));

  return {
    client,
    connected,
    errors,
    closes,
    subscribe: async (terminalId, headers = {}) => {
      const inbox = new Inbox<ReceivedCommand>(`a command for ${terminalId}`);
      const received = (message: IMessage) => inbox.add({ command: JSON.parse(message.body), message });
      await receiptOf((receipt) => client.subscribe(`/topic/terminal/${terminalId}`, received, { ...headers, receipt }));
      return inbox;
    },
    send,
    result: (terminalId, members) => send(`/app/terminal/${terminalId}/receipt`, JSON.stringify(members)),
    ping: (terminalId) => send(`/app/terminal/${terminalId}/ping`, ""),
    vanish: async () => {
      client.forceDisconnect();
      await closes.next();
    },
  };
}
