/**
 * A patch of kafkajs 2.2.4, its last release. Each connection checks every millisecond, forever,
 * whether a request waits for a slot (tulios/kafkajs issue 1704), and a node has eight connections.
 * With the patch a connection checks only while a request waits, and a waiting request starts the
 * checks. kafka-client.ts imports the patch, because it creates the clients.
 */
import RequestQueue from "kafkajs/src/network/requestQueue/index.js";

const schedule = RequestQueue.prototype.scheduleCheckPendingRequests;

RequestQueue.prototype.scheduleCheckPendingRequests = function (this: RequestQueue): void {
  if (this.pending.length > 0) schedule.call(this);
};
