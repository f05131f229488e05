import { connect, type Socket } from "node:net";

/**
 * A process of clients that connect and send nothing, or stop in the middle of a request. It has
 * its own descriptors, since one process with both ends would have room for only half as many. Run
 * `half-open-clients.ts PORT COUNT`. It sends its parent the number of open connections after all
 * were opened, and ends with its parent.
 */
const AT_ONCE = 500;

let openNow = 0;

function open(port: number, index: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    // Clients use 16 addresses, so that ports suffice.
    const socket = connect({ port, host: "127.0.0.1", localAddress: `127.9.0.${1 + (index % 16)}` });
    socket.once("error", reject);
    socket.once("connect", () => {
      socket.off("error", reject);
      socket.on("error", () => {});
      openNow += 1;
      socket.once("close", () => {
        openNow -= 1;
      });
      if (index % 2 === 0) socket.write("POST /api/v1/T1/pay HTTP/1.1\r\nHost: localhost\r\nContent-Le");
      resolve(socket);
    });
  });
}

process.on("disconnect", () => process.exit(0));
const [port, count] = process.argv.slice(2).map(Number);
if (port === undefined || count === undefined) throw new Error("PORT and COUNT are missing");
for (let opened = 0; opened < count; opened += AT_ONCE) {
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, count - opened) }, (_, index) => open(port, opened + index)));
}
process.send?.(openNow);
