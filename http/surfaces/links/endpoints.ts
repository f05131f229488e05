import type { Endpoint } from "../../endpoint/endpoint.ts";
import { linkQrCode, linkStatus, paymentStatus, verifyLink } from "./ask-link.ts";
import { createBancomatPayLink, createLink, createTerminalLink, initiatePayment } from "./create-link.ts";
import { cancelPayment, finalizePayment, refundPayment } from "./follow-up.ts";
import { gatewayNotification } from "./gateway-notification.ts";
import type { LinkOperations } from "./surface.ts";

/** Payment links, captures and reversals under `/api/payment` (which the adapter uses too), and QR codes as the relay's own addition. */
export const linkEndpoints: Endpoint<LinkOperations>[] = [
  createLink,
  createTerminalLink,
  createBancomatPayLink,
  linkStatus,
  paymentStatus,
  verifyLink,
  linkQrCode,
  gatewayNotification,
  initiatePayment,
  finalizePayment,
  cancelPayment,
  refundPayment,
];
