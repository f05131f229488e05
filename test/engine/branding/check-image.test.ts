import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { checkImage, LOGO_BYTES_MAX, LOGO_PIXELS_MAX } from "../../../engine/branding/check-image.ts";
import {
  type ImageName,
  image,
  jpegOfSize,
  pngChunk,
  pngOfSize,
  withJpegSegment,
  withPngChunk,
  withWebpChunk,
} from "../../support/images/images.ts";

const SCRIPT = "<script>alert(1)</script>";

describe("checkImage", () => {
  const TAKEN: readonly (readonly [name: ImageName, type: string])[] = [
    ["logo.png", "image/png"],
    ["logo.jpg", "image/jpeg"],
    ["lossy.webp", "image/webp"],
    ["alpha.webp", "image/webp"],
    ["lossless.webp", "image/webp"],
  ];
  for (const [name, type] of TAKEN) {
    it(`accepts ${name} by its bytes, with its size`, () => {
      const checked = checkImage(image(name));
      assert.ok(typeof checked === "object", String(checked));
      assert.deepEqual([checked.type, checked.width, checked.height], [type, 24, 16]);
      // What is stored can be checked again, and does not change any more.
      assert.deepEqual(checkImage(checked.contents), checked);
    });

    it(`refuses every beginning of ${name}`, () => {
      const whole = image(name);
      for (let length = 16; length < whole.length; length += 1) {
        assert.equal(checkImage(whole.subarray(0, length)), "damaged", `the first ${length} bytes are accepted`);
      }
    });

    it(`refuses ${name} with anything after its end`, () => {
      for (const added of [SCRIPT, "\0", "PK\x03\x04"]) {
        assert.equal(checkImage(Buffer.concat([image(name), Buffer.from(added)])), "damaged", added);
      }
    });
  }

  const REFUSED: readonly (readonly [what: string, contents: Uint8Array, why: string])[] = [
    ["nothing", new Uint8Array(), "empty"],
    ["a text", Buffer.from("not an image"), "type"],
    ["a GIF", Buffer.from("GIF89a\x01\x00\x01\x00"), "type"],
    ["a PDF", Buffer.from("%PDF-1.7\n"), "type"],
    ["an SVG", Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), "svg"],
    ["an SVG behind a declaration", Buffer.from('<?xml version="1.0"?><!-- a mark -->\n<SVG width="1">'), "svg"],
    ["a web page", Buffer.from(`<!doctype html>${SCRIPT}`), "type"],
    ["a PNG that only begins as one", Buffer.concat([image("logo.png").subarray(0, 8), Buffer.from(SCRIPT)]), "damaged"],
    ["a file above the limit", Buffer.concat([image("logo.png"), Buffer.alloc(LOGO_BYTES_MAX)]), "too_large"],
    ["a PNG with a wrong checksum", flipped(image("logo.png"), 60), "damaged"],
    ["a PNG without data", withoutData(), "damaged"],
    ["a PNG with two headers", withPngChunk("IHDR", image("logo.png").subarray(16, 29)), "damaged"],
    ["a PNG with an unknown necessary chunk", withPngChunk("ABCD", Buffer.from("x")), "damaged"],
    ["a PNG with several pictures", withPngChunk("acTL", Buffer.alloc(8)), "animated"],
    ["a PNG that is a decompression bomb by its width", pngOfSize(2 ** 31 - 1, 16), "dimensions"],
    ["a PNG that is a decompression bomb by its height", pngOfSize(16, 60_000), "dimensions"],
    ["a PNG that is one pixel too wide", pngOfSize(LOGO_PIXELS_MAX + 1, 16), "dimensions"],
    ["a PNG of one pixel", pngOfSize(1, 1), "dimensions"],
    ["a JPEG that is a decompression bomb", jpegOfSize(65_535, 65_535), "dimensions"],
    ["a JPEG without a height", jpegOfSize(24, 0), "dimensions"],
    ["a JPEG with two frames", withJpegSegment(0xc0, "\x08\x00\x10\x00\x18\x01\x01\x11\x00"), "damaged"],
    ["a WebP with a wrong length", withLength(image("lossy.webp"), 20), "damaged"],
    ["a WebP with several pictures", withWebpChunk("ANIM", "\0\0\0\0\0\0", 0x02), "animated"],
    ["a WebP with two pictures", withWebpChunk("VP8L", "\x2f\0\0\0\0\0", 0), "damaged"],
  ];
  for (const [what, contents, why] of REFUSED) it(`refuses ${what}`, () => assert.equal(checkImage(contents), why));

  it("accepts the largest permitted size", () => {
    const checked = checkImage(pngOfSize(LOGO_PIXELS_MAX, LOGO_PIXELS_MAX));
    assert.ok(typeof checked === "object" && checked.width === LOGO_PIXELS_MAX);
  });

  const STRIPPED: readonly (readonly [what: string, contents: Uint8Array])[] = [
    ["texts of a PNG", withPngChunk("tEXt", Buffer.from(`Comment\0${SCRIPT}`))],
    ["EXIF of a PNG", withPngChunk("eXIf", Buffer.from(`GPS ${SCRIPT}`))],
    ["EXIF of a JPEG", withJpegSegment(0xe1, `Exif\0\0 GPS ${SCRIPT}`)],
    ["comments of a JPEG", withJpegSegment(0xfe, SCRIPT)],
    ["EXIF of a WebP", withWebpChunk("EXIF", `${SCRIPT} `, 0x08)],
    ["unknown data of a WebP", withWebpChunk("ABCD", `${SCRIPT} `, 0)],
  ];
  for (const [what, contents] of STRIPPED) {
    it(`removes ${what}, and changes nothing else`, () => {
      const checked = checkImage(contents);
      assert.ok(typeof checked === "object", String(checked));
      const plain = checkImage(
        image(checked.type === "image/png" ? "logo.png" : checked.type === "image/jpeg" ? "logo.jpg" : "alpha.webp"),
      );
      assert.deepEqual(checked, plain);
      assert.ok(!Buffer.from(checked.contents).includes(SCRIPT));
    });
  }
});

function flipped(contents: Buffer, at: number): Buffer {
  const copy = Buffer.from(contents);
  copy.writeUInt8(copy.readUInt8(at) ^ 1, at);
  return copy;
}

function withoutData(): Buffer {
  return Buffer.concat([image("logo.png").subarray(0, 33), pngChunk("IEND", new Uint8Array())]);
}

function withLength(contents: Buffer, length: number): Buffer {
  const copy = Buffer.from(contents);
  copy.writeUInt32LE(length, 4);
  return copy;
}
