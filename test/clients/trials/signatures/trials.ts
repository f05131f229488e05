import assert from "node:assert/strict";
import { member, textMember } from "../../../support/http/matches.ts";
import type { Program } from "../../support/program.ts";
import { goProgram, type Installed, pythonProgram } from "../../support/toolchains.ts";
import { askProgram } from "../ask-program.ts";
import type { ClientTrial } from "../trial.ts";
import { signWithHttpSignature } from "./npm-signer.ts";
import { signedLife } from "./signed-life.ts";
import type { SignedCall, Signer } from "./signed-request.ts";

const TRIED =
  "GET and POST with digest, HMAC-SHA256 and HMAC-SHA512; refused are another secret, a changed body, and what does not cover all (its own default too)";

/** What two of them cannot sign; it is sent nowhere. */
const OF_HS2019: SignedCall = {
  method: "GET",
  url: "http://127.0.0.1:1/",
  body: "",
  sentBody: "",
  salt: "s1",
  keyId: "M1",
  secret: "secret",
  algorithm: "hs2019",
  headers: ["date"],
};

/** A signer that is a program of its own, installed by `prepare`. */
function programSigner(install: () => Promise<Installed<Program>>): { prepare: ClientTrial["prepare"]; signer: Signer } {
  let program: Program | null = null;
  return {
    prepare: async () => {
      const installed = await install();
      if (installed.type === "missing") return installed.reason;
      program = installed.value;
      return null;
    },
    signer: async (call) => {
      assert.ok(program, "it was not prepared");
      const answer = await askProgram(program, call);
      return {
        status: Number(member(answer, "status")),
        text: textMember(answer, "text"),
        authorization: textMember(answer, "authorization"),
      };
    },
  };
}

const python = programSigner(() => pythonProgram({ name: "httpsig", folder: "trials/signatures/python" }));
const go = programSigner(() => goProgram({ name: "go-fed-httpsig", folder: "trials/signatures/go" }));

export const SIGNATURE_TRIALS: readonly ClientTrial[] = [
  {
    group: "HTTP signatures",
    client: "http-signature (npm)",
    version: "1.4.0",
    tried: TRIED,
    result:
      "works. Name the headers to sign, and set `Digest` and `X-signature-salt` before. It writes the algorithm's name and knows no `hs2019`",
    quick: true,
    prepare: async () => null,
    run: async () => {
      await signedLife(signWithHttpSignature, (algorithm) => algorithm);
      await assert.rejects(signWithHttpSignature(OF_HS2019), /HS2019 is not a valid algorithm/);
    },
  },
  {
    group: "HTTP signatures",
    client: "httpsig (PyPI), with requests",
    version: "1.3.0",
    tried: TRIED,
    result:
      "works. Name the headers to sign, and set `Date`, `Digest` and `X-signature-salt` before; from Python 3.12 it wants a setuptools older than 82 beside it. It writes the algorithm's name and knows no `hs2019`",
    prepare: python.prepare,
    run: async () => {
      await signedLife(python.signer, (algorithm) => algorithm);
      await assert.rejects(python.signer(OF_HS2019), /Unknown algorithm/);
    },
  },
  {
    group: "HTTP signatures",
    client: "github.com/go-fed/httpsig",
    version: "1.1.0",
    tried: TRIED,
    result:
      "works. It makes the `Digest` and writes `hs2019`, whichever algorithm it signs with. Name the headers to sign, and set `Date`, `Host` and `X-signature-salt` before",
    prepare: go.prepare,
    run: () => signedLife(go.signer, () => "hs2019"),
  },
];
