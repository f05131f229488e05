/** Reads a question (url, token, calls) as JSON, connects, lists the tools and makes the calls in their order; prints what came of it. */
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

let text = "";
for await (const chunk of process.stdin) text += chunk;
const { url, token, calls } = JSON.parse(text);

const client = new Client({ name: "terminal-relay-trial", version: "1.0.0" });
const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: { authorization: `Bearer ${token}` } } });

async function outcomeOf(act) {
  try {
    return await act();
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
}

const connected = await outcomeOf(async () => {
  await client.connect(transport);
  return {};
});
let outcome = connected;
if (connected.error === undefined) {
  const { tools } = await client.listTools();
  const results = [];
  for (const call of calls) results.push(await outcomeOf(() => client.callTool(call)));
  outcome = { version: transport.protocolVersion, tools: tools.map(({ name }) => name), results };
  await client.close();
}
process.stdout.write(JSON.stringify(outcome));
