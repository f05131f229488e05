import { monitorEventLoopDelay } from "node:perf_hooks";
import { Gauge, type Registry } from "prom-client";

export function watchEventLoop(registry: Registry, thread: string): void {
  const delay = monitorEventLoopDelay({ resolution: 10 });
  delay.enable();
  new Gauge({
    name: "relay_event_loop_delay_seconds",
    help: "Delay of the event loop since the metrics were last requested.",
    labelNames: ["thread", "quantile"],
    registers: [registry],
    collect() {
      this.set({ thread, quantile: "0.5" }, delay.percentile(50) / 1e9);
      this.set({ thread, quantile: "0.99" }, delay.percentile(99) / 1e9);
      this.set({ thread, quantile: "1" }, delay.max / 1e9);
      delay.reset();
    },
  });
}
