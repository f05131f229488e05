import { useState } from "preact/hooks";
import { CopyButton } from "../../components/copy.tsx";
import { Tabs } from "../../components/tabs.tsx";
import { text } from "../../i18n/texts.ts";

const CLIENTS = ["json", "vscode", "curl"] as const;
type Client = (typeof CLIENTS)[number];

/** The address that agents call by the Model Context Protocol. It has the host of this page. */
export function mcpAddress(): string {
  return `${location.origin}/mcp`;
}

/**
 * Shows the agent's address and how to configure common clients. Without `token` a placeholder
 * stands in its place.
 */
export function Connect({ token = null }: { token?: string | null }) {
  const { agents: words } = text();
  const [client, setClient] = useState<Client>("json");
  const example = exampleOf(client, token ?? `<${words.tokenHere}>`);
  return (
    <>
      <div class="share-link">
        <span class="field-label">{words.address}</span>
        <code class="mono">{mcpAddress()}</code>
        <div class="button-row">
          <CopyButton value={mcpAddress()} label={words.copyAddress} />
        </div>
      </div>
      <section class="form section">
        <h3>{words.examples}</h3>
        <Tabs
          label={words.examples}
          tabs={CLIENTS.map((key) => ({ key, label: words.clients[key] }))}
          selected={client}
          onSelect={setClient}
        >
          <div class="form">
            <p class="muted">{words.clientHints[client]}</p>
            <pre class="code-block">{example}</pre>
            <div class="button-row">
              <CopyButton value={example} label={words.copyExample} small />
            </div>
          </div>
        </Tabs>
      </section>
    </>
  );
}

function exampleOf(client: Client, token: string): string {
  const url = mcpAddress();
  const server = { type: "http", url, headers: { Authorization: `Bearer ${token}` } };
  switch (client) {
    case "json":
      return JSON.stringify({ mcpServers: { merchant: server } }, null, 2);
    case "vscode":
      return JSON.stringify({ servers: { merchant: server } }, null, 2);
    case "curl":
      return `curl ${url} -H 'Authorization: Bearer ${token}' --json '{"jsonrpc":"2.0","id":1,"method":"tools/list"}'`;
  }
}
