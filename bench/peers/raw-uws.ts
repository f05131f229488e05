import { loadUws } from "../../http/server/uws.ts";

/**
 * What one thread of uWebSockets.js can do at most: GET is answered 204, POST is parsed as JSON and written back. Nothing is checked, kept
 * or pushed. Tells its parent the port; ends with it.
 */
const { App, us_socket_local_port } = await loadUws("newest");
const app = App();

app.get("/*", (res) => {
  res.writeStatus("204 No Content").endWithoutBody();
});

app.post("/*", (res) => {
  let part: Buffer | null = null;
  res.onAborted(() => {});
  res.onData((chunk, isLast) => {
    if (!isLast) {
      const bytes = Buffer.from(chunk.slice(0));
      part = part === null ? bytes : Buffer.concat([part, bytes]);
      return;
    }
    const bytes: Buffer = part === null ? Buffer.from(chunk) : Buffer.concat([part, Buffer.from(chunk)]);
    const body: unknown = JSON.parse(bytes.toString("utf8"));
    res.writeHeader("Content-Type", "application/json").end(JSON.stringify(body));
  });
});

app.listen("127.0.0.1", 0, (socket) => {
  if (socket === false) throw new Error("the raw peer cannot listen");
  process.send?.({ port: us_socket_local_port(socket) });
});

process.on("disconnect", () => process.exit(0));
