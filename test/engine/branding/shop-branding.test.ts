import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { describe, it } from "node:test";
import { createBrandingStore } from "../../../engine/branding/branding-store.ts";
import { LOGO_BYTES_MAX } from "../../../engine/branding/check-image.ts";
import { createShopBranding, createShops } from "../../../engine/branding/shop-branding.ts";
import { RelayError } from "../../../engine/kernel/errors.ts";
import { image } from "../../support/images/images.ts";
import { MemoryKv } from "../kernel/memory-kv.ts";

function world() {
  const store = createBrandingStore(new MemoryKv());
  const branding = createShopBranding({
    store,
    clock: { nowMs: () => 1_000 },
    digestOf: (parts) => parts.reduce((hash, part) => hash.update(part), createHash("sha256")).digest("hex"),
  });
  return { store, branding, shops: createShops({ store, merchants: { load: async () => null } }) };
}

const isError = (code: string) => (error: unknown) => error instanceof RelayError && error.code === code;

/** Sends the contents in pieces whose memory is used again, as the server does. */
const sent =
  (contents: Uint8Array, pieceBytes = 100) =>
  async (take: (piece: Uint8Array) => Promise<void>) => {
    const piece = new Uint8Array(pieceBytes);
    for (let at = 0; at < contents.length; at += pieceBytes) {
      const part = contents.subarray(at, at + pieceBytes);
      piece.set(part);
      await take(piece.subarray(0, part.length));
    }
  };

describe("the branding of a shop", () => {
  it("is empty before anything is saved", async () => {
    const { branding, shops } = world();
    assert.deepEqual(await shops.of("SHOP-001"), { name: "SHOP-001", color: null, logo: null });
    assert.deepEqual((await branding.show("SHOP-001")).logo, null);
  });

  it("keeps the colour in lower-case letters, and removes it", async () => {
    const { branding, shops } = world();
    assert.equal((await branding.saveColor("SHOP-001", "#AA33FF")).color, "#aa33ff");
    assert.equal((await shops.of("SHOP-001")).color, "#aa33ff");
    assert.equal((await branding.saveColor("SHOP-001", null)).color, null);
  });

  it("gives each merchant's logo its own address, also of the same file", async () => {
    const { branding } = world();
    const ids: string[] = [];
    for (const merchantId of ["SHOP-001", "SHOP-002"]) {
      const saved = await branding.saveLogo(merchantId, sent(image("logo.jpg")));
      assert.ok(typeof saved === "object" && saved.logo !== null);
      assert.deepEqual([saved.logo.type, saved.logo.width, saved.logo.height], ["image/jpeg", 24, 16]);
      ids.push(saved.logo.id);
    }
    assert.notEqual(ids[0], ids[1]);
    await branding.removeLogo("SHOP-001");
    assert.equal(await branding.logo(ids[0] ?? ""), null);
    assert.equal((await branding.logo(ids[1] ?? ""))?.type, "image/jpeg");
  });

  it("refuses a file that is no logo, and keeps the logo before", async () => {
    const { branding } = world();
    const saved = await branding.saveLogo("SHOP-001", sent(image("logo.png")));
    assert.equal(await branding.saveLogo("SHOP-001", sent(Buffer.from("<svg></svg>"))), "svg");
    assert.equal(await branding.saveLogo("SHOP-001", sent(new Uint8Array())), "empty");
    await assert.rejects(branding.saveLogo("SHOP-001", sent(Buffer.alloc(LOGO_BYTES_MAX + 1), 65_536)), isError("payload_too_large"));
    assert.deepEqual(await branding.show("SHOP-001"), saved);
  });

  it("limits the uploads of one merchant at once", async () => {
    const { branding } = world();
    let release = (): void => {};
    const waiting = new Promise<void>((resolve) => {
      release = resolve;
    });
    const slow = [0, 1].map(() => branding.saveLogo("SHOP-001", () => waiting));
    await assert.rejects(branding.saveLogo("SHOP-001", sent(image("logo.png"))), isError("rate_limited"));
    assert.ok(typeof (await branding.saveLogo("SHOP-002", sent(image("logo.png")))) === "object");
    release();
    assert.deepEqual(await Promise.all(slow), ["empty", "empty"]);
    assert.ok(typeof (await branding.saveLogo("SHOP-001", sent(image("logo.png")))) === "object");
  });
});
