import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createTotp } from "../../../http/auth/totp.ts";

/** The secret of RFC 6238, appendix B: "12345678901234567890". */
const SECRET = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";

describe("codes of authenticator apps", () => {
  const totp = createTotp("Terminal Relay");

  it("are those of RFC 6238, by their last six digits", () => {
    const examples: [atS: number, code: string][] = [
      [59, "287082"],
      [1_111_111_109, "081804"],
      [1_234_567_890, "005924"],
      [2_000_000_000, "279037"],
    ];
    for (const [atS, code] of examples) assert.equal(totp.stepOf(SECRET, code, atS * 1_000), Math.floor(atS / 30), code);
  });

  it("count one step before and after their own, and say which step they are of", () => {
    const step = Math.floor(1_111_111_109 / 30);
    const at = (steps: number) => totp.stepOf(SECRET, "081804", (step + steps) * 30_000);
    assert.deepEqual([at(-2), at(-1), at(0), at(1), at(2)], [null, step, step, step, null]);
  });

  it("are refused where they are wrong, too short or no digits", () => {
    for (const code of ["287083", "87082", "0287082", "", "abcdef", "28708２"]) assert.equal(totp.stepOf(SECRET, code, 59_000), null, code);
  });

  it("come from a secret of 160 bits, and an address that names issuer and person", () => {
    const secret = totp.newSecret();
    assert.match(secret, /^[A-Z2-7]{32}$/);
    assert.notEqual(totp.newSecret(), secret);
    const uri = new URL(totp.uri(secret, "anna+shop@example.com"));
    assert.equal(decodeURIComponent(uri.pathname), "/Terminal Relay:anna+shop@example.com");
    const { searchParams: query } = uri;
    assert.deepEqual(
      ["issuer", "secret", "algorithm", "digits", "period"].map((name) => query.get(name)),
      ["Terminal Relay", secret, "SHA1", "6", "30"],
    );
  });
});
