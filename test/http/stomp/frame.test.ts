import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { FrameError, type Headers, STOMP_VERSIONS, type StompVersion, serializeFrame } from "../../../http/stomp/frame.ts";
import { FrameParser } from "../../../http/stomp/frame-parser.ts";
import { CLIENT_FRAME_LIMITS } from "../../../http/stomp/limits.ts";

interface Read {
  command: string;
  headers: [string, string][];
  body: string;
}

/** Feeds the chunks as an adapter does: each chunk's memory is overwritten once it was read. */
function readAll(chunks: readonly (string | Uint8Array)[], version: StompVersion = "1.2", limits = CLIENT_FRAME_LIMITS): Read[] {
  const parser = new FrameParser(limits);
  parser.version = version;
  const frames: Read[] = [];
  for (const chunk of chunks) {
    const bytes = Uint8Array.from(typeof chunk === "string" ? Buffer.from(chunk) : chunk);
    parser.feed(bytes);
    for (let frame = parser.next(); frame !== null; frame = parser.next()) {
      frames.push({ command: frame.command, headers: [...frame.headers], body: Buffer.from(frame.body).toString() });
    }
    parser.keep();
    bytes.fill(0x58);
  }
  return frames;
}

const SAMPLES: [title: string, version: StompVersion, text: string, frames: Read[]][] = [
  [
    "a CONNECT of any version",
    "1.2",
    "CONNECT\naccept-version:1.0,1.1,1.2\nlogin:a:b\\c\n\n\0",
    [
      {
        command: "CONNECT",
        headers: [
          ["accept-version", "1.0,1.1,1.2"],
          ["login", "a:b\\c"],
        ],
        body: "",
      },
    ],
  ],
  [
    "STOMP in the place of CONNECT",
    "1.2",
    "STOMP\naccept-version:1.2\npasscode:\\x\n\n\0",
    [
      {
        command: "STOMP",
        headers: [
          ["accept-version", "1.2"],
          ["passcode", "\\x"],
        ],
        body: "",
      },
    ],
  ],
  [
    "a 1.0 CONNECT, trimmed",
    "1.2",
    "CONNECT\nlogin: me \npasscode : x\n\n\0",
    [
      {
        command: "CONNECT",
        headers: [
          ["login", "me"],
          ["passcode", "x"],
        ],
        body: "",
      },
    ],
  ],
  [
    "heart-beats between frames",
    "1.2",
    "\n\r\n\nACK\nid:1\n\n\0\n\n\r\nNACK\nid:2\n\n\0\n",
    [
      { command: "ACK", headers: [["id", "1"]], body: "" },
      { command: "NACK", headers: [["id", "2"]], body: "" },
    ],
  ],
  [
    "CRLF line ends",
    "1.2",
    "SEND\r\ndestination:/a\r\n\r\nx\r\ny\0\r\n",
    [{ command: "SEND", headers: [["destination", "/a"]], body: "x\r\ny" }],
  ],
  ["CRLF in 1.1", "1.1", "ACK\r\nmessage-id:1\r\n\r\n\0", [{ command: "ACK", headers: [["message-id", "1"]], body: "" }]],
  [
    "all escapes of 1.2, in names too",
    "1.2",
    "SEND\na\\cb:\\r\\n\\c\\\\n\n\n\0",
    [{ command: "SEND", headers: [["a:b", "\r\n:\\n"]], body: "" }],
  ],
  ["the escapes of 1.1", "1.1", "SEND\nk:\\n\\c\\\\r\n\n\0", [{ command: "SEND", headers: [["k", "\n:\\r"]], body: "" }]],
  ["no escapes in 1.0", "1.0", "SEND\nk:\\n\\x:y\n\n\0", [{ command: "SEND", headers: [["k", "\\n\\x:y"]], body: "" }]],
  ["spaces kept from 1.1 on", "1.1", "SEND\nk: v \n\n\0", [{ command: "SEND", headers: [["k", " v "]], body: "" }]],
  ["the first of repeated headers", "1.2", "SEND\nk:1\nk:2\nk:3\n\n\0", [{ command: "SEND", headers: [["k", "1"]], body: "" }]],
  ["an empty value", "1.2", "SEND\nk:\n\n\0", [{ command: "SEND", headers: [["k", ""]], body: "" }]],
  [
    "NUL in a counted body",
    "1.2",
    "SEND\ncontent-length:5\n\na\0b\0c\0SEND\n\nnext\0",
    [
      { command: "SEND", headers: [["content-length", "5"]], body: "a\0b\0c" },
      { command: "SEND", headers: [], body: "next" },
    ],
  ],
  ["an empty counted body", "1.2", "SEND\ncontent-length:0\n\n\0", [{ command: "SEND", headers: [["content-length", "0"]], body: "" }]],
  ["text beyond ASCII", "1.2", "SEND\nk:é😀\n\nü€😀\0", [{ command: "SEND", headers: [["k", "é😀"]], body: "ü€😀" }]],
  ["names of object members", "1.2", "SEND\n__proto__:x\n\n\0", [{ command: "SEND", headers: [["__proto__", "x"]], body: "" }]],
];

for (const [title, version, text, frames] of SAMPLES) {
  test(`reads ${title}, cut at every position and byte by byte`, () => {
    const bytes = Buffer.from(text);
    assert.deepEqual(readAll([bytes], version), frames);
    for (let cut = 0; cut <= bytes.length; cut += 1) {
      assert.deepEqual(readAll([bytes.subarray(0, cut), bytes.subarray(cut)], version), frames, `cut at ${cut}`);
    }
    assert.deepEqual(
      readAll(
        [...bytes].map((byte) => Uint8Array.of(byte)),
        version,
      ),
      frames,
    );
    assert.deepEqual(readAll([Buffer.concat([bytes, bytes])], version), [...frames, ...frames], "joined");
  });
}

test("refuses what is not STOMP, whole and byte by byte", () => {
  const table: [title: string, version: StompVersion, bytes: string | Uint8Array][] = [
    ["an undefined escape in 1.2", "1.2", "SEND\nk:\\t\n\n\0"],
    ["a lone backslash at the end", "1.2", "SEND\nk:v\\\n\n\0"],
    ["the escape of 1.2 in 1.1", "1.1", "SEND\nk:\\r\n\n\0"],
    ["a header without a colon", "1.2", "SEND\nkv\n\n\0"],
    ["a header without a name", "1.2", "SEND\n:v\n\n\0"],
    ["a bare carriage return in a header", "1.2", "SEND\nk:a\rb\n\n\0"],
    ["a bare carriage return between frames", "1.2", "\rSEND\n\n\0"],
    ["a command in lower case", "1.2", "send\n\n\0"],
    ["a command with a space", "1.2", "SEND \n\n\0"],
    ["NUL in the command", "1.2", "SE\0ND\n\n\0"],
    ["NUL before the headers end", "1.2", "SEND\nk:v\0"],
    ["HTTP", "1.2", "GET / HTTP/1.1\r\n\r\n"],
    ["a content-length that is no number", "1.2", "SEND\ncontent-length:x\n\n\0"],
    ["a negative content-length", "1.2", "SEND\ncontent-length:-1\n\n\0"],
    ["a content-length too short", "1.2", "SEND\ncontent-length:1\n\nab\0"],
    ["a header that is not UTF-8", "1.2", Buffer.from([...Buffer.from("SEND\nk:"), 0xc3, 0x28, ...Buffer.from("\n\n\0")])],
    ["a surrogate in UTF-8", "1.2", Buffer.from([...Buffer.from("SEND\nk:"), 0xed, 0xa0, 0x80, ...Buffer.from("\n\n\0")])],
  ];
  for (const [title, version, text] of table) {
    const bytes = Buffer.from(text);
    assert.throws(() => readAll([bytes], version), FrameError, title);
    assert.throws(
      () =>
        readAll(
          [...bytes].map((byte) => Uint8Array.of(byte)),
          version,
        ),
      FrameError,
      `${title}, byte by byte`,
    );
  }
});

test("refuses what is beyond a bound before it is kept", () => {
  const { headerLineBytesMax, headersMax, headerBytesMax, bodyBytesMax, commandBytesMax } = CLIENT_FRAME_LIMITS;
  const table: [title: string, start: string, repeated: string, bytesMax: number][] = [
    ["a command without end", "", "A", commandBytesMax],
    ["a header without end", "SEND\nk:", "v", headerLineBytesMax],
    ["headers without end", "SEND\n", `k:${"v".repeat(1_000)}\n`, headerBytesMax + 1_003],
    ["many small headers", "SEND\n", "a:\n", 3 * (headersMax + 1)],
    ["a body without end", "SEND\n\n", "x".repeat(500), bodyBytesMax + 500],
  ];
  for (const [title, start, repeated, bytesMax] of table) {
    const parser = new FrameParser(CLIENT_FRAME_LIMITS);
    parser.feed(Buffer.from(start));
    assert.equal(parser.next(), null);
    let fed = 0;
    const feed = () => {
      while (fed <= bytesMax + headerLineBytesMax) {
        fed += repeated.length;
        parser.feed(Buffer.from(repeated));
        assert.equal(parser.next(), null, title);
        parser.keep();
      }
    };
    assert.throws(feed, (error) => error instanceof FrameError && error.code === "payload_too_large", title);
    assert.ok(fed <= bytesMax + repeated.length + 1, `${title}: took ${fed}`);
  }
  assert.throws(() => readAll([`SEND\ncontent-length:${bodyBytesMax + 1}\n\n`]), FrameError, "a declared body too large, before it comes");
  assert.throws(() => readAll(["SEND\ncontent-length:99999999999\n\n"]), FrameError);
});

test("takes what is exactly at the bounds", () => {
  const { headerLineBytesMax, headersMax, bodyBytesMax } = CLIENT_FRAME_LIMITS;
  const value = "v".repeat(headerLineBytesMax - 2);
  const headers = Array.from({ length: headersMax - 1 }, (_, index) => `h${index}:\r\n`).join("");
  const text = `SEND\r\nk:${value}\r\n${headers}\r\n${"x".repeat(bodyBytesMax)}\0`;
  const [frame] = readAll([text]);
  assert.equal(frame?.headers.length, headersMax);
  assert.equal(frame?.body.length, bodyBytesMax);
});

test("refuses to hold back more than the bound", () => {
  const parser = new FrameParser(CLIENT_FRAME_LIMITS);
  parser.feed(Buffer.from("ACK\nid:1\n\n\0".repeat(20_000)));
  assert.notEqual(parser.next(), null);
  assert.throws(() => parser.keep(), FrameError);
});

test("writes headers by version", () => {
  const headers: Headers = [["a:b", "\r\n:\\"]];
  assert.equal(serializeFrame("1.2", "MESSAGE", headers), "MESSAGE\na\\cb:\\r\\n\\c\\\\\n\n\0");
  assert.equal(serializeFrame("1.1", "MESSAGE", headers), "MESSAGE\na\\cb:\r\\n\\c\\\\\n\n\0");
  assert.equal(serializeFrame("1.0", "MESSAGE", [["k", "a\nb:\\"]]), "MESSAGE\nk:a b:\\\n\n\0");
  assert.equal(serializeFrame("1.2", "CONNECTED", [["server", "a:b"]]), "CONNECTED\nserver:a:b\n\n\0");
  assert.equal(serializeFrame("1.2", "MESSAGE", [], "€\0"), "MESSAGE\ncontent-length:4\n\n€\0\0");
});

/** Chunks of the given sizes, repeated until the bytes are used up. */
function chunked(bytes: Uint8Array, sizes: readonly number[]): Uint8Array[] {
  const chunks: Uint8Array[] = [];
  for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
    const size = sizes[turn % sizes.length] ?? 1;
    chunks.push(bytes.subarray(at, at + size));
    at += size;
  }
  return chunks;
}

const sizes = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 8 });

test("reads back what it writes, however it is cut", () => {
  const text = fc.string({ unit: "binary", maxLength: 20 });
  const awkward = fc.string({ unit: fc.constantFrom("\\", ":", "\r", "\n", "c", "n", "r", " ", "\0"), maxLength: 8 });
  // A NUL cannot stand in a header; content-length is written by the serializer.
  const header = fc.oneof(text, awkward).map((value) => value.replaceAll("\0", ""));
  const name = header.filter((value) => value !== "" && value !== "content-length");
  const frame = fc.record({
    command: fc.constantFrom("SEND", "MESSAGE", "ERROR"),
    headers: fc.uniqueArray(fc.tuple(name, header), { selector: ([key]) => key, maxLength: 6 }),
    body: fc.oneof(text, awkward),
  });
  fc.assert(
    fc.property(fc.constantFrom("1.2" as const, "1.1" as const), fc.array(frame, { maxLength: 4 }), sizes, (version, frames, cuts) => {
      // 1.1 has no escape for a carriage return, and one at the end of a line belongs to the line end.
      const writable = frames.map((one) => ({
        ...one,
        headers: version === "1.2" ? one.headers : one.headers.map(([key, value]): [string, string] => [key, value.replace(/\r+$/, "")]),
      }));
      const bytes = Buffer.from(writable.map(({ command, headers, body }) => serializeFrame(version, command, headers, body)).join("\n"));
      const read = readAll(chunked(bytes, cuts), version).map(({ command, headers, body }) => ({
        command,
        headers: headers.filter(([key]) => key !== "content-length"),
        body,
      }));
      assert.deepEqual(read, writable);
    }),
    { numRuns: 400 },
  );
});

test("never throws anything but its own error, and finds the same in the same bytes", () => {
  const limits = { commandBytesMax: 12, headerLineBytesMax: 16, headersMax: 3, headerBytesMax: 40, bodyBytesMax: 30, unreadBytesMax: 100 };
  const outcome = (chunks: readonly Uint8Array[], version: StompVersion) => {
    try {
      return readAll(chunks, version, limits);
    } catch (error) {
      assert.ok(error instanceof FrameError, String(error));
      return "refused";
    }
  };
  const token = fc.constantFrom("SEND", "\n", "\r\n", "k:v\n", ":", "\\", "\\n", "\0", "content-length:3\n", "a", "\r", "é");
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 120 }),
    fc.array(token, { maxLength: 30 }).map((tokens) => Uint8Array.from(Buffer.from(tokens.join("")))),
  );
  fc.assert(
    fc.property(bytes, sizes, fc.constantFrom(...STOMP_VERSIONS), (data, cuts, version) => {
      assert.deepEqual(outcome(chunked(data, cuts), version), outcome([data], version));
    }),
    { numRuns: 2_000 },
  );
});
