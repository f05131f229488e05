import type { Bench } from "tinybench";
import { FrameParser } from "../../http/stomp/frame-parser.ts";
import { CLIENT_FRAME_LIMITS } from "../../http/stomp/limits.ts";
import { messageFrame } from "../../http/stomp/server-frames.ts";

/** A command on its way out, and a result on its way in. */
export function addStomp(bench: Bench): void {
  const subscription = {
    id: "0",
    terminalId: "T1",
    destination: "/topic/terminal/T1",
    ackMode: "auto",
    engineSessionId: "s1",
  } as const;
  const uuid = "7d9f0a52-6c2e-4a83-9f5d-2c1d0d1b8f11";
  const command = `{"uuid":"${uuid}","amount":1050,"service":"PAYCC","terminalId":"T1","expiresAt":"2026-11-21T10:01:00.000Z","serverTime":"2026-11-21T10:00:00.120Z"}`;
  bench.add("stomp: write a MESSAGE", () => {
    messageFrame("1.2", subscription, "m1", command);
  });
  const result = `{"uuid":"${uuid}","result":"OK","amount":1050,"authCode":"482913","stan":"000123","brand":"VISA"}`;
  const send = Buffer.from(`SEND\ndestination:/app/terminal/T1/receipt\nreceipt:r1\ncontent-length:${result.length}\n\n${result}\0`);
  const parser = new FrameParser(CLIENT_FRAME_LIMITS);
  bench.add("stomp: read a SEND", () => {
    parser.feed(send);
    if (parser.next() === null) throw new Error("the frame is whole");
  });
}
