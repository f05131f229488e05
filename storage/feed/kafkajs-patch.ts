/**
 * A patch of kafkajs 2.2.4, its last release: each connection looks every millisecond, for ever, whether a request waits for room (tulios/kafkajs issue
 * 1704), and a node has eight connections. Where none waits there is nothing to look for; one that comes to wait begins the looks itself.
 * Imported where clients are made (kafka-client.ts).
 */
import RequestQueue from "kafkajs/src/network/requestQueue/index.js";

const schedule = RequestQueue.prototype.scheduleCheckPendingRequests;

RequestQueue.prototype.scheduleCheckPendingRequests = function (this: RequestQueue): void {
  if (this.pending.length > 0) schedule.call(this);
};
