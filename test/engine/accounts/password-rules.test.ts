import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { COMMON_PASSWORDS } from "../../../engine/accounts/guessed-passwords.ts";
import { isCommonPassword } from "../../../engine/accounts/password-rules.ts";

const OWN = ["anna.rossi@example.com", "SHOP-001", "Trattoria Mario"];

describe("a common password", () => {
  const common: { what: string; passwords: string[] }[] = [
    { what: "one of the list", passwords: ["qwertyuiop[]", "CorrectHorse", "tiamotantissimo"] },
    { what: "one character, or few, again and again", passwords: ["aaaaaaaaaaaa", "121212121212", "abcabcabcabc", "Abc123!Abc123!"] },
    {
      what: "a run of the keyboard or the alphabet",
      passwords: ["123456789012", "qwertyuiop12", "zxcvbnm,./123", "abcdefghijklm", "12345678901!"],
    },
    {
      what: "a common word with digits and signs",
      passwords: ["Password1234", "P@ssw0rd1234", "Pa$$w0rd12345", "Welcome2024!!", "admin@123456"],
    },
    { what: "several of them", passwords: ["adminadmin123", "ciaoamore2024", "LoginPassword1"] },
    { what: "the person's name, address or merchant", passwords: ["anna.rossi2024", "annarossi1985", "SHOP-001-2024", "trattoria-mario1"] },
    { what: "nothing but digits and signs", passwords: ["1987-06-15-1987", "93847561029384"] },
  ];
  for (const { what, passwords } of common) {
    it(`is ${what}`, () => {
      for (const password of passwords) assert.equal(isCommonPassword(password, OWN), true, password);
    });
  }

  it("is no sentence, nor what a generator makes", () => {
    const chosen = [
      "gatto-verde-tavolo-9",
      "the cat sat on my lunch",
      "ombrello giallo 44",
      "my password is a secret tree",
      "8391 0275 6648 1029 3377",
    ];
    const made = ["xK9#mQ2$vL7p", "8x!Qp2zR7wLm", "R7f2k9!x4_3q", "Zr4-kW9-pT2-bN6", "2f6f1d380c3b4b6d9d1e"];
    for (const password of [...chosen, ...made]) assert.equal(isCommonPassword(password, OWN), false, password);
  });

  it("is judged without hanging, however long it is and whatever its letters", () => {
    for (const password of ["(a+)+$[x-y]\\".repeat(12), "ä".repeat(128), "😀日本語のパスワードは長い😀", "a1".repeat(64)]) {
      assert.equal(typeof isCommonPassword(password, ["(.*)+@example.com", "[a"]), "boolean");
    }
  });

  it("of the list could be chosen: it is long enough, in small letters and there once", () => {
    assert.deepEqual(
      COMMON_PASSWORDS.filter((password) => password.length < 12 || password !== password.toLowerCase()),
      [],
    );
    assert.equal(new Set(COMMON_PASSWORDS).size, COMMON_PASSWORDS.length);
  });
});
