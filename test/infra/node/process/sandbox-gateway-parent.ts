import { planSandboxGateway } from "../../../../infra/node/process/sandbox-gateway.ts";

/** A process that has a sandbox gateway, for a test that kills it. */
const gateway = await planSandboxGateway({
  port: 0,
  dataDirectory: process.argv[2] ?? ".",
  printed: () => undefined,
  died: () => undefined,
});
await gateway.start();
process.stdout.write(`${gateway.url}\n`);
