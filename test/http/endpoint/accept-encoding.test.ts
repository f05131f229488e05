import assert from "node:assert/strict";
import { test } from "node:test";
import { preferredEncoding } from "../../../http/endpoint/accept-encoding.ts";

const CASES: readonly (readonly [header: string, encoding: string])[] = [
  ["", "identity"],
  ["gzip", "gzip"],
  ["br", "br"],
  ["gzip, deflate, br, zstd", "br"],
  ["GZIP", "gzip"],
  ["x-gzip", "gzip"],
  ["deflate", "identity"],
  ["*", "br"],
  ["*;q=0.5", "br"],
  ["*;q=0", "identity"],
  ["gzip;q=0, *", "br"],
  ["br;q=0, *", "gzip"],
  ["br;q=0, gzip;q=0, *", "identity"],
  ["br;q=0.5, gzip", "gzip"],
  ["br;q=0.5, gzip;q=0.5", "br"],
  ["br ; q=0.5 , gzip ;q=0.501", "gzip"],
  ["br;q=0", "identity"],
  ["br;q=0.000", "identity"],
  ["identity", "identity"],
  ["identity, gzip", "gzip"],
  ["identity;q=1, gzip;q=0.5", "identity"],
  ["identity;q=0.5, gzip;q=0.5", "gzip"],
  ["identity;q=0, gzip;q=0.1", "gzip"],
  ["identity;q=0", "identity"],
  ["identity;q=0, *", "br"],
  ["gzip;q=2, br;q=x", "identity"],
  ["gzip;q=-1", "identity"],
  ["gzip;q=0.0001", "identity"],
  ["gzip;q=", "identity"],
  ["gzip;Q=0", "identity"],
  ["gzip;level=1", "gzip"],
  [", ,gzip,,", "gzip"],
  ["gzipped, brx", "identity"],
  [`${"a,".repeat(600)}gzip`, "identity"],
];

for (const [header, encoding] of CASES) {
  test(`Accept-Encoding "${header.slice(0, 40)}" is answered with ${encoding}`, () => {
    assert.equal(preferredEncoding(header), encoding);
  });
}
