import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { inBlocks } from "../../../storage/clickhouse/embedded/block-compression.ts";
import { cityHash128 } from "../../../storage/clickhouse/embedded/city-hash.ts";

/** What `clickhouse-cityhash` 1.0.2.6 of PyPI says of `sample(length)`: every way through the algorithm, and the lengths on both sides of it. */
const HASHES: [length: number, hash: string][] = [
  [0, "3df09dfc64c09a2b3cb540c392e51e29"],
  [1, "5a03ab4f802b3f6c58a88a3c8a31e91a"],
  [3, "4ea95b339086cfcb0968edda48b483dd"],
  [4, "a513172ebb9fc5bd2a2838a49cf99792"],
  [7, "f87a7a8bb64bc949c02d2b515ec198ff"],
  [8, "e5879ba718950786fc2f1b13fbd55212"],
  [9, "58ddb378e7571db436d33bd18ed2d1ae"],
  [15, "489420f2babaa8174d8e7caa27a01839"],
  [16, "c76e261f67005ac077cbcb1af1214cfe"],
  [17, "c3e1090d13a9fdb3ebdf9705a85d98c8"],
  [31, "b285ddb77f5e2bc24abd6eabeb67ba8a"],
  [32, "e7c9a0f9f33b557adfaa52975db4fcd2"],
  [33, "a7cdc0bfb8454dae3129f7827b215e3d"],
  [127, "de9a484b5b4320db3148b777cebabd65"],
  [128, "152a8cc5fc6cb920d47c834c5f6011e0"],
  [143, "bd995cc01b262f62e126e02fecf50fa7"],
  [144, "c076b970ccf8bf2ffd5930660d1b5a54"],
  [145, "1c68a14b53eef5e989e56ce8b8422633"],
  [160, "97989fed70e0dedc756082ea5d67f99f"],
  [176, "1510e7ac0072ccb4ee0055b2132df539"],
  [255, "221507442d138c211effc7c38d9665e2"],
  [256, "fd2e4b53501a8ff001a44d48bf0a1d1e"],
  [272, "108f0268b4e56888c661645164a98b94"],
  [300, "146b5705a75d48e411c87dc4c105c513"],
  [1000, "415e4de52a784c7a147090e0011e4c19"],
  [4095, "fe7183a0610463d7ac63c0f9419e8d9e"],
  [100001, "2099e1f39102aa45e809919ca6ce6a56"],
];

describe("ClickHouse's own compression", () => {
  it("has ClickHouse's checksum: CityHash128 1.0.2", () => {
    for (const [length, expected] of HASHES) {
      const [low, high] = cityHash128(sample(length));
      assert.equal(hex(low) + hex(high), expected, `${length} bytes`);
    }
  });

  it("hashes a part of a buffer as it hashes a copy of it", () => {
    const whole = sample(1_000);
    assert.deepEqual(cityHash128(whole.subarray(13, 777)), cityHash128(whole.slice(13, 777)));
  });

  it("writes a block as LZ4 and as nothing: read by the libraries of Python", async () => {
    const ok = Buffer.from("Ok.\n");
    assert.equal(Buffer.from(await inBlocks(ok, "LZ4")).toString("hex"), "7d35a1b6c588e146740125f4a0ab67ad820e00000004000000404f6b2e0a");
    assert.equal(
      Buffer.from(await inBlocks(ok, "NONE"))
        .subarray(16)
        .toString("hex"),
      "020d000000040000004f6b2e0a",
    );
  });

  it("gives back every length, in blocks of at most 1 MiB", async () => {
    for (const length of [0, 1, 14, 15, 16, 269, 270, 271, 525, 262_143, 262_144, 262_145, 3_000_000]) {
      const raw = sample(length);
      assert.ok(Buffer.from(raw).equals(await unblocked(await inBlocks(raw, "LZ4"))), `${length} bytes`);
    }
  });
});

function sample(length: number): Uint8Array {
  return Uint8Array.from({ length }, (_, index) => (index * index * 31 + index * 7 + length) & 255);
}

function hex(half: bigint): string {
  return half.toString(16).padStart(16, "0");
}

/** Reads blocks of LZ4 whose sequences have literals alone. */
async function unblocked(bytes: Uint8Array): Promise<Buffer> {
  const parts: Buffer[] = [];
  for (let rest = Buffer.from(bytes); rest.length > 0; ) {
    const size = rest.readUInt32LE(17);
    const block = rest.subarray(16, 16 + size);
    const [low, high] = cityHash128(block);
    assert.deepEqual([rest.readBigUInt64LE(0), rest.readBigUInt64LE(8)], [low, high]);
    assert.equal(block[0], 0x82);
    let at = 9;
    const token = block[at++] ?? 0;
    let length = token >> 4;
    for (let more = length === 15 ? 255 : 0; more === 255; length += more) more = block[at++] ?? 0;
    assert.equal(token & 15, 0);
    assert.equal(length, block.readUInt32LE(5));
    assert.ok(length <= 1_048_576);
    assert.equal(at + length, size);
    parts.push(block.subarray(at));
    rest = rest.subarray(16 + size);
  }
  return Buffer.concat(parts);
}
