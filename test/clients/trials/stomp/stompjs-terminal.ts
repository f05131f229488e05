import { connectStomp, type StompTerminal } from "../../../support/people/stomp-terminal.ts";
import { within } from "../../../support/within.ts";
import type { TerminalTask } from "./life.ts";

/** A terminal with stompjs (life.ts). */
export async function stompjsTerminal({ url, login, passcode, pauseSeconds }: TerminalTask): Promise<unknown> {
  const server = url.replace(/^ws/, "http").replace(/\/ws$/, "");
  const connect = (word: string) => connectStomp(server, { login, passcode: word, heartbeatIncoming: 5_000, heartbeatOutgoing: 5_000 });
  const refusal = await connect("wrong").then(
    () => "",
    (error: Error) => error.message,
  );
  const first = await connect(passcode);
  await pay(first, login);
  await within("the end", first.client.deactivate());
  await new Promise((resolve) => setTimeout(resolve, 1_000 * pauseSeconds));
  const second = await connect(passcode);
  await pay(second, login);
  second.client.publish({ destination: `/app/terminal/${login}/receipt`, body: "{}" });
  const error = await second.errors.next();
  await second.closes.next();
  return { refusal, error: error.headers["code"], errorText: error.body };
}

async function pay(terminal: StompTerminal, login: string): Promise<void> {
  const commands = await terminal.subscribe(login, { ack: "client-individual" });
  const { command, message } = await commands.next();
  message.ack();
  await terminal.result(login, { uuid: command["uuid"], result: "OK", amount: command["amount"] });
}
