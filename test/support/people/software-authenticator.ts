import assert from "node:assert/strict";
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto";

const sha256 = (bytes: Buffer | string) => createHash("sha256").update(bytes).digest();
const base64url = (bytes: Buffer) => bytes.toString("base64url");

/** Encodes the CBOR that an attestation needs: integers, byte strings, texts and maps. */
function cbor(value: number | Buffer | string | Map<number | string, unknown>): Buffer {
  if (typeof value === "number") return value >= 0 ? head(0, value) : head(1, -1 - value);
  if (Buffer.isBuffer(value)) return Buffer.concat([head(2, value.length), value]);
  if (typeof value === "string") return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)]);
  const members = [...value].flatMap(([key, member]) => [cbor(key), cbor(cborValue(member))]);
  return Buffer.concat([head(5, value.size), ...members]);
}

function cborValue(value: unknown): number | Buffer | string | Map<number | string, unknown> {
  assert.ok(typeof value === "number" || typeof value === "string" || Buffer.isBuffer(value) || value instanceof Map);
  return value;
}

function head(major: number, length: number): Buffer {
  if (length < 24) return Buffer.from([(major << 5) | length]);
  if (length < 256) return Buffer.from([(major << 5) | 24, length]);
  return Buffer.from([(major << 5) | 25, length >> 8, length & 255]);
}

const PRESENT = 0x01;
const VERIFIED = 0x04;
const WITH_CREDENTIAL = 0x40;

export interface AnswerOptions {
  /** The requesting page; the right one by default. */
  origin?: string;
  /** Whether the person was verified; true by default. */
  verified?: boolean;
}

/** Acts as a browser and its authenticator, with one ES256 credential in memory. */
export class SoftwareAuthenticator {
  readonly #origin: string;
  readonly #keys: { publicKey: KeyObject; privateKey: KeyObject };
  readonly #id = randomBytes(32);
  #userHandle = "";
  #counter = 0;

  constructor(origin: string) {
    this.#origin = origin;
    this.#keys = generateKeyPairSync("ec", { namedCurve: "P-256" });
  }

  get credentialId(): string {
    return base64url(this.#id);
  }

  /** Answers `PublicKeyCredentialCreationOptionsJSON`. */
  register(options: unknown, { origin = this.#origin, verified = true }: AnswerOptions = {}): Record<string, unknown> {
    const { challenge, rp, user } = optionsOf(options);
    this.#userHandle = textIn(user, "id");
    const { x, y } = this.#keys.publicKey.export({ format: "jwk" });
    const coordinate = (text: unknown) => Buffer.from(String(text), "base64url");
    const cose = cbor(
      new Map<number, unknown>([
        [1, 2],
        [3, -7],
        [-1, 1],
        [-2, coordinate(x)],
        [-3, coordinate(y)],
      ]),
    );
    const length = Buffer.from([0, this.#id.length]);
    const authData = Buffer.concat([
      this.#authenticatorData(textIn(rp, "id"), verified, WITH_CREDENTIAL),
      Buffer.alloc(16),
      length,
      this.#id,
      cose,
    ]);
    const attestation = cbor(
      new Map<string, unknown>([
        ["fmt", "none"],
        ["attStmt", new Map()],
        ["authData", authData],
      ]),
    );
    return this.#answer({
      clientDataJSON: base64url(clientData("webauthn.create", challenge, origin)),
      attestationObject: base64url(attestation),
      transports: ["internal"],
    });
  }

  /** Answers `PublicKeyCredentialRequestOptionsJSON`. */
  answer(options: unknown, { origin = this.#origin, verified = true }: AnswerOptions = {}): Record<string, unknown> {
    const { challenge, rpId } = optionsOf(options);
    this.#counter += 1;
    const authData = this.#authenticatorData(rpId, verified);
    const client = clientData("webauthn.get", challenge, origin);
    const signature = sign("sha256", Buffer.concat([authData, sha256(client)]), this.#keys.privateKey);
    return this.#answer({
      clientDataJSON: base64url(client),
      authenticatorData: base64url(authData),
      signature: base64url(signature),
      userHandle: this.#userHandle,
    });
  }

  #authenticatorData(rpId: string, verified: boolean, more = 0): Buffer {
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(this.#counter);
    return Buffer.concat([sha256(rpId), Buffer.from([PRESENT | (verified ? VERIFIED : 0) | more]), counter]);
  }

  #answer(response: Record<string, unknown>): Record<string, unknown> {
    return { id: this.credentialId, rawId: this.credentialId, type: "public-key", clientExtensionResults: {}, response };
  }
}

function clientData(type: string, challenge: string, origin: string): Buffer {
  return Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }));
}

function optionsOf(options: unknown): { challenge: string; rpId: string; rp: unknown; user: unknown } {
  const challenge = textIn(options, "challenge");
  const rpId = memberOf(options, "rpId");
  return { challenge, rpId: typeof rpId === "string" ? rpId : "", rp: memberOf(options, "rp"), user: memberOf(options, "user") };
}

function textIn(value: unknown, name: string): string {
  const member = memberOf(value, name);
  assert.ok(typeof member === "string", `${name} is no text`);
  return member;
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}
