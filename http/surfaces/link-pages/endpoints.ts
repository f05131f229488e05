import type { Endpoint } from "../../endpoint/endpoint.ts";
import { linkPage } from "./link-page.ts";
import { linkReturn, linkReturnState } from "./link-return.ts";
import { payLink } from "./pay-link.ts";
import { shopLogo } from "./shop-logo.ts";
import type { LinkPageOperations } from "./surface.ts";

/** What the customer of a payment link sees of the relay. The script of the page that waits is served with the pages of payment intents. */
export const linkPageEndpoints: Endpoint<LinkPageOperations>[] = [linkPage, payLink, linkReturn, linkReturnState, shopLogo];
