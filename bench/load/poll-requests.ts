import { clientAddress, terminalAuthorization, terminalId } from "./terminals.ts";

/** Polls of so many terminals, one after the other. All are written out before anything is measured. */
export function pollRequests(terminals: number): () => Uint8Array {
  const requests = pollsByTerminal(terminals);
  let next = 0;
  return () => {
    const request = requests[next];
    next = next + 1 === requests.length ? 0 : next + 1;
    if (request === undefined) throw new Error("there is no request");
    return request;
  };
}

/** The poll of each terminal, by its index. */
export function pollsByTerminal(terminals: number): Uint8Array[] {
  return Array.from({ length: terminals }, (_, index) => {
    const id = terminalId("polling", index);
    return Buffer.from(
      `GET /api/v1/${id}/get HTTP/1.1\r\nHost: localhost\r\nUser-Agent: bench-terminal/1.0\r\nX-Forwarded-For: ${clientAddress(index)}\r\nAuthorization: ${terminalAuthorization(id)}\r\n\r\n`,
      "latin1",
    );
  });
}
