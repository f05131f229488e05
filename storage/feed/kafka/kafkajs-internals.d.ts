/**
 * Types of the kafkajs 2.2.4 module that kafkajs-patch.ts patches, since kafkajs declares none for
 * it.
 */
declare module "kafkajs/src/network/requestQueue/index.js" {
  class RequestQueue {
    constructor(options: { enforceRequestTimeout: boolean; maxInFlightRequests: number | null; requestTimeout: number });
    readonly pending: unknown[];
    readonly throttleCheckTimeoutId: NodeJS.Timeout | null;
    scheduleCheckPendingRequests(): void;
    destroy(): void;
  }
  export = RequestQueue;
}
