import { createCipheriv, createDecipheriv, createHash, randomBytes } from "node:crypto";
import { RelayError } from "../../../engine/kernel/errors.ts";
import type { SecretBox } from "../../../engine/kernel/secret-box.ts";
import type { SecretKeys } from "./secret-key.ts";

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** `box1.<key id>.<context, base64url>.<nonce, ciphertext and tag, base64url>`; no other stored value begins with this prefix. */
const SEALED = /^box1\.([0-9a-f]{8})\.([A-Za-z0-9_-]*)\.([A-Za-z0-9_-]+)$/;

/** The secret box of a node, which also encrypts again what was encrypted with the previous key. */
export interface RotatingSecretBox extends SecretBox {
  /** The stored value with all texts under another key encrypted again with the present key; null if there are none. */
  renewed(value: unknown): unknown;
  /** Whether there is a previous key. */
  readonly rotates: boolean;
}

interface Key {
  id: string;
  bytes: Buffer;
}

/**
 * Encrypts with AES-256-GCM under the present key. A sealed text names its key, so that the old key still decrypts it during a rotation,
 * and its context, which is authenticated: in another record it is refused. Throws RelayError `internal` for a text that cannot be
 * decrypted.
 */
export function createSecretBox({ current, old }: SecretKeys): RotatingSecretBox {
  const present = keyOf(current);
  const keys = [present, ...(old === null ? [] : [keyOf(old)])];

  function seal(secret: string, context: string): string {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv("aes-256-gcm", present.bytes, nonce);
    cipher.setAAD(Buffer.from(context, "utf8"));
    const bytes = Buffer.concat([nonce, cipher.update(secret, "utf8"), cipher.final(), cipher.getAuthTag()]);
    return `box1.${present.id}.${Buffer.from(context, "utf8").toString("base64url")}.${bytes.toString("base64url")}`;
  }

  function open(sealed: string, context: string): string {
    const [, id, told = "", payload = ""] = SEALED.exec(sealed) ?? [];
    const key = keys.find((candidate) => candidate.id === id);
    if (key === undefined || Buffer.from(told, "base64url").toString("utf8") !== context) throw unopened();
    const bytes = Buffer.from(payload, "base64url");
    if (bytes.length < NONCE_BYTES + TAG_BYTES) throw unopened();
    try {
      const decipher = createDecipheriv("aes-256-gcm", key.bytes, bytes.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES });
      decipher.setAAD(Buffer.from(context, "utf8"));
      decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
      return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()]).toString("utf8");
    } catch (cause) {
      throw unopened(cause);
    }
  }

  function again(value: unknown, found: () => void): unknown {
    if (typeof value === "string") {
      const [, id, context = ""] = SEALED.exec(value) ?? [];
      if (id === undefined || id === present.id) return value;
      found();
      const place = Buffer.from(context, "base64url").toString("utf8");
      return seal(open(value, place), place);
    }
    if (Array.isArray(value)) return value.map((item) => again(item, found));
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, again(member, found)]));
  }

  return {
    seal,
    open,
    rotates: old !== null,
    renewed: (value) => {
      let changed = false;
      const copy = again(value, () => {
        changed = true;
      });
      return changed ? copy : null;
    },
  };
}

function keyOf(hex: string): Key {
  const bytes = Buffer.from(hex, "hex");
  // A digest identifies the key without revealing it.
  return { bytes, id: createHash("sha256").update("terminal-relay key id\n").update(bytes).digest("hex").slice(0, 8) };
}

function unopened(cause?: unknown): RelayError {
  return new RelayError("internal", "A stored secret cannot be decrypted", {
    cause: new Error("neither RELAY_SECRET_KEY nor RELAY_SECRET_KEY_OLD decrypts a stored secret, or it belongs to another record", {
      cause,
    }),
  });
}
