import { createHmac, timingSafeEqual } from "node:crypto";

/** What a gateway's notification names (PROTOCOL.md, "Notification"). */
export interface Notification {
  merId: string;
  txId: string;
  paymentId: string;
}

/** The signature of a notification: lower-case hex. */
export function signNotification({ merId, txId, paymentId }: Notification, secret: string): string {
  return createHmac("sha256", secret).update(`merId=${merId}&txId=${txId}&paymentId=${paymentId}`).digest("hex");
}

/** Compares in a time that tells nothing about how much of the signature is right. */
export function isNotificationSigned(notification: Notification, signature: string, secret: string): boolean {
  const expected = Buffer.from(signNotification(notification, secret));
  const given = Buffer.from(signature.toLowerCase());
  return given.length === expected.length && timingSafeEqual(given, expected);
}
