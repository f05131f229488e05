import { CREDENTIALS } from "../support/http/http-client.ts";
import { textMember } from "../support/http/matches.ts";
import { connectStomp } from "../support/people/stomp-terminal.ts";
import { must, type Names, type PlantOutcome, type PlantWorld } from "./plant-world.ts";

/** Plants numbers in the headers and bodies that a terminal sends over STOMP. */
export async function plantOverStomp(world: PlantWorld, outcome: PlantOutcome, names: Names): Promise<void> {
  const { planted } = world;
  const terminalId = names.terminal();
  const administrator = world.caller(CREDENTIALS.administrator);
  const password = textMember((await must(200, administrator.get(`/admin/terminals/${terminalId}/credentials`))).body, "data", "password");
  const header = (about: string): string => planted.text(about).replaceAll(/[\n\t]/g, " ");
  const connectHeaders = Object.fromEntries(
    ["app-version", "device-model", "terminal-family", "device-serial", "android-version", "manufacturer", "device-fingerprint", "own"].map(
      (name) => [name, header(`CONNECT ${name}`)],
    ),
  );
  const connect = async () => {
    const terminal = await connectStomp(world.url, { login: terminalId, passcode: password, connectHeaders });
    outcome.answers.push({ about: "CONNECTED", text: JSON.stringify(terminal.connected.headers) });
    return terminal;
  };
  const terminal = await connect();
  const commands = await terminal.subscribe(terminalId, { own: header("SUBSCRIBE") });
  await must(
    200,
    world.caller(CREDENTIALS.partner).pay(terminalId, { uuid: names.next("planted-"), description: planted.text("a pushed payment") }),
  );
  const { command } = await commands.next();
  for (const body of [
    { uuid: command["uuid"], result: "OK", message: planted.longText("a result over STOMP"), pan: planted.text("a pan over STOMP") },
    { uuid: command["uuid"], result: "KO", message: planted.text("a conflict over STOMP") },
    { uuid: names.next("planted-"), result: "OK", message: planted.text("an unasked result over STOMP") },
  ]) {
    const answer = await terminal.result(terminalId, body);
    outcome.answers.push({ about: "RECEIPT", text: JSON.stringify(answer.headers) + answer.body });
  }
  await terminal.client.deactivate({ force: true });
  // What is refused ends its session.
  for (const { destination, body } of [
    {
      destination: `/app/terminal/${terminalId}/receipt`,
      body: `{"result":"?","message":"${planted.text("an unreadable result over STOMP")}"}`,
    },
    { destination: `/app/terminal/${terminalId}/receipt`, body: planted.longText("text over STOMP") },
    { destination: `/app/${header("a destination")}`, body: planted.text("a lost message over STOMP") },
  ]) {
    const refused = await connect();
    refused.client.publish({ destination, body });
    const error = await refused.errors.next();
    outcome.answers.push({ about: "ERROR", text: JSON.stringify(error.headers) + error.body });
    await refused.client.deactivate({ force: true });
  }
}
