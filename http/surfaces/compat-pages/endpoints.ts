import type { Endpoint } from "../../endpoint/endpoint.ts";
import { payPage } from "./pay-page.ts";
import { returnPage, returnScript, returnState } from "./return-page.ts";
import type { CompatPageOperations } from "./surface.ts";

/** What the buyer of a payment intent sees of the relay. */
export const compatPageEndpoints: Endpoint<CompatPageOperations>[] = [payPage, returnPage, returnState, returnScript];
