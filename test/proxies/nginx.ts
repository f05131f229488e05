import type { TestContext } from "node:test";
import { installDebianPackage } from "../../infra/local/debian-package.ts";
import { skipReason } from "../support/node/server-process.ts";
import { NODE_NAMES, PROXY_ADDRESS, type ProxyPlace, type RunningProxy, startProxy } from "./proxy.ts";

/** Why a suite on nginx cannot run here, or false. Has its Debian package installed where it may. */
export async function nginxMissing(): Promise<string | false> {
  return skipReason(await installDebianPackage("nginx", ["-v"]));
}

/** Folders that the Debian package has elsewhere. */
const TEMPORARY = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];

/** Starts it with infra/compose/nginx.conf before three nodes. */
export function startNginx(test: TestContext, nodePorts: readonly number[]): Promise<RunningProxy> {
  const program = {
    program: "nginx",
    shipped: "nginx.conf",
    checkArguments: (file: string) => ["-t", ...runArguments(file)],
    runArguments,
    replacements: ({ port, directory }: ProxyPlace) => [
      ["listen 8080;", `listen 127.0.0.1:${port};`] as const,
      ["proxy_http_version 1.1;", `proxy_http_version 1.1; proxy_bind ${PROXY_ADDRESS};`] as const,
      ["http {", `http { access_log off; ${TEMPORARY.map((name) => `${name}_temp_path ${directory}/${name};`).join(" ")}`] as const,
      ...NODE_NAMES.map((name, node) => [`${name}:8080`, `127.0.0.1:${nodePorts[node]}`] as const),
    ],
  };
  return startProxy(test, program, nodePorts);
}

/** In one process: workers would outlive a kill -9 of theirs. */
function runArguments(file: string): string[] {
  return ["-c", file, "-e", "stderr", "-g", `pid ${file}.pid; error_log stderr; daemon off; master_process off;`];
}
