import type { SecretBox } from "../../../engine/kernel/secret-box.ts";
import type { Mail } from "../../../engine/mails/mail.ts";

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

/** Seals by a mark and the place, so that a test can tell a sealed text from an open one, and one in another place is refused. */
export const BOX: SecretBox = {
  seal: (secret, context) => `sealed:${Buffer.from(`${context}\n${secret}`).toString("base64")}`,
  open: (sealed, context) => {
    const [place, ...rest] = Buffer.from(sealed.slice("sealed:".length), "base64").toString("utf8").split("\n");
    if (place !== context) throw new Error("sealed for another place");
    return rest.join("\n");
  },
};

export function mail(id: string, members: Partial<Mail> = {}): Mail {
  return {
    id,
    kind: "invitation",
    to: "ada@shop.example",
    subject: "You are invited",
    text: "Open https://relay.example/portal/invitation/token-of-ada within 72 hours.",
    merchantId: "SHOP-001",
    ...members,
  };
}
