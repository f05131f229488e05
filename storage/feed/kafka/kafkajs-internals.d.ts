/** What kafkajs-patch.ts patches of kafkajs 2.2.4, and has no types of its own. */
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
