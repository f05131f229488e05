import { createHash, randomBytes } from "node:crypto";
import { type ClientRequest, type IncomingMessage, request } from "node:http";
import { setTimeout as delay } from "node:timers/promises";

const PIECE_BYTES = 1_048_576;

/** A line of one gigabit a second; a sender on the same machine is several times as fast. */
const PIECES_PER_SECOND = 119;
const BOUNDARY = "----relay-package-boundary";
/** Of the sandbox. */
export const ADMINISTRATOR = `Basic ${Buffer.from("admin:admin").toString("base64")}`;

export interface LargeUpload {
  status: number;
  text: string;
  /** Of what was sent. */
  md5: string;
}

/**
 * Uploads a package of so many mebibytes as a sandbox's administrator, piece by piece, at the pace of a gigabit line. Rejects when the
 * connection ends before the answer. `sent` is told of each piece.
 */
export async function uploadLarge(
  url: string,
  versionId: number,
  mebibytes: number,
  sent: (pieces: number) => void = () => {},
): Promise<LargeUpload> {
  const head = Buffer.from(
    `--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="large.apk"\r\nContent-Type: application/octet-stream\r\n\r\n`,
  );
  const tail = Buffer.from(`\r\n--${BOUNDARY}--\r\n`);
  const hash = createHash("md5");
  const piece = randomBytes(PIECE_BYTES);
  const upload = request(`${url}/admin/app-versions/${versionId}/upload-apk`, {
    method: "POST",
    agent: false,
    headers: {
      authorization: ADMINISTRATOR,
      "content-type": `multipart/form-data; boundary=${BOUNDARY}`,
      "content-length": String(head.byteLength + mebibytes * PIECE_BYTES + tail.byteLength),
    },
  });
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    upload.on("response", resolve);
    upload.on("error", reject);
  });
  const over = answered.then(
    () => {},
    () => {},
  );
  let freeAtMs = performance.now();
  upload.write(head);
  for (let index = 0; index < mebibytes; index += 1) {
    piece.writeUInt32LE(index === 0 ? 0x04034b50 : index);
    const copy = Buffer.from(piece);
    hash.update(copy);
    if (!upload.write(copy)) await Promise.race([drained(upload), over]);
    if (upload.destroyed) break;
    // What a line was too late with it does not send any faster afterwards.
    freeAtMs = Math.max(freeAtMs, performance.now()) + 1_000 / PIECES_PER_SECOND;
    const earlyMs = freeAtMs - performance.now();
    if (earlyMs > 1) await delay(earlyMs);
    sent(index + 1);
  }
  upload.end(tail);
  const response = await answered;
  let text = "";
  for await (const chunk of response) text += String(chunk);
  return { status: response.statusCode ?? 0, text, md5: hash.digest("hex") };
}

/** `once` of node:events would add a listener for errors too, at each piece. */
function drained(upload: ClientRequest): Promise<void> {
  return new Promise((resolve) => upload.once("drain", resolve));
}

export interface Download {
  status: number;
  bytes: number;
  md5: string;
}

/** Downloads up to `bytesMax`, then goes away without a word; waits `pauseMs` before each chunk that it takes. */
export function download(url: string, headers: { [name: string]: string }, bytesMax: number, pauseMs = 0): Promise<Download> {
  return new Promise((resolve, reject) => {
    const call = request(url, { agent: false, headers }, (response) => {
      const hash = createHash("md5");
      let bytes = 0;
      const ended = () => resolve({ status: response.statusCode ?? 0, bytes, md5: hash.digest("hex") });
      response.on("data", (chunk: Buffer) => {
        hash.update(chunk);
        bytes += chunk.byteLength;
        if (bytes >= bytesMax) {
          ended();
          call.destroy();
          return;
        }
        if (pauseMs === 0) return;
        response.pause();
        setTimeout(() => response.resume(), pauseMs);
      });
      response.on("end", ended);
      response.on("error", reject);
    });
    call.on("error", reject);
    call.end();
  });
}
