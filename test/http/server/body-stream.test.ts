import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { BodyStream } from "../../../http/server/body-stream.ts";

const BUFFER_BYTES = 524_288;

function stream(): BodyStream {
  return new BodyStream({ pause: () => res, resume: () => res } as never, () => {});
}
const res = {} as never;

const pieceOf = (length: number, first: number) => Uint8Array.from({ length }, (_, index) => (first + index) % 251).buffer;

test("small chunks that nobody has read yet share a buffer", async () => {
  const body = stream();
  for (let number = 0; number < 1_000; number += 1) body.push(pieceOf(1_000, number * 1_000), number === 999);
  const lengths: number[] = [];
  for (let chunk = await body.next(); chunk !== null; chunk = await body.next()) lengths.push(chunk.length);
  assert.deepEqual(lengths, [524_000, 476_000]);
});

test("whatever the chunks and whenever they are read, the body is the same", async () => {
  const events = fc.array(
    fc.oneof(fc.integer({ min: 0, max: 3_000 }), fc.constantFrom(BUFFER_BYTES, BUFFER_BYTES - 1), fc.constant("read" as const)),
    {
      maxLength: 40,
    },
  );
  await fc.assert(
    fc.asyncProperty(events, async (all) => {
      const body = stream();
      const read: Buffer[] = [];
      let sent = 0;
      let taken = 0;
      // A chunk is valid only until the next one is asked for.
      const take = async () => {
        const chunk = await body.next();
        if (chunk === null) return false;
        taken += chunk.length;
        read.push(Buffer.from(chunk));
        return true;
      };
      for (const event of all) {
        if (event !== "read") {
          body.push(pieceOf(event, sent), false);
          sent += event;
        } else if (taken < sent) await take();
      }
      body.push(new ArrayBuffer(0), true);
      while (await take());
      const whole = Buffer.concat(read);
      assert.equal(whole.length, sent);
      assert.ok(whole.every((byte, index) => byte === index % 251));
    }),
    { numRuns: 60 },
  );
});
