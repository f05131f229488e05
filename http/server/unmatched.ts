import { RelayError } from "../../engine/kernel/errors.ts";
import type { Method } from "../endpoint/endpoint.ts";
import type { WebSocketMount } from "./websocket.ts";

/** A request that no endpoint takes. */
export interface Unmatched {
  id: string;
  path: string;
  /** Null for one that no path has. */
  method: Method | null;
  withoutBody: boolean;
}

interface Refused {
  error: RelayError;
  headers: { readonly [name: string]: string };
}

/** 404, 405 or 426: `methods` are what the path takes, `mounts` where WebSockets are. */
export function refusalOf({ path, method }: Unmatched, methods: readonly string[], mounts: readonly WebSocketMount[]): Refused {
  if (methods.length > 0) return notAllowed(methods);
  const mount = mounts.find((other) => path === other.path || path.startsWith(`${other.path}/`));
  if (mount === undefined) return { error: new RelayError("not_found", "There is nothing at this path."), headers: {} };
  if (path !== mount.path) {
    const hint = `There is nothing at this path: SockJS is not supported. Connect a WebSocket to ${mount.path} itself.`;
    return { error: new RelayError("not_found", hint), headers: {} };
  }
  if (method !== "GET") return notAllowed(["GET"]);
  const hint = `This path accepts WebSocket connections only: send Connection: Upgrade and Upgrade: websocket. A proxy must forward both headers.`;
  return { error: new RelayError("upgrade_required", hint), headers: { Upgrade: "websocket", Connection: "Upgrade" } };
}

function notAllowed(methods: readonly string[]): Refused {
  return {
    error: new RelayError("method_not_allowed", `This path accepts ${methods.join(", ")}.`),
    headers: { Allow: methods.join(", ") },
  };
}
