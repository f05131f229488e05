import { RelayError } from "../../engine/kernel/errors.ts";
import type { SharedCounts } from "../../engine/kernel/shared-counts.ts";
import type { ClientAddress } from "./client-address.ts";

/** A session without a login logs in, or is closed, within seconds: the fleet of a shop that comes back all at once tries again soon. */
const RETRY_LOGIN_SECONDS = 2;

/** Sockets with a login stay for hours. */
const RETRY_ALL_SECONDS = 30;

/** Bounds the WebSockets that one client address has open, over all threads of a node. */
export interface SocketsPerAddress {
  /** Counts a socket that opens, or answers with the error for one that is too many. */
  open(address: Pick<ClientAddress, "limitHigh" | "limitLow">): CountedSocket | RelayError;
}

/** A socket as it is counted. */
export interface CountedSocket {
  /** It has logged in: it counts no longer among those without a login. */
  loggedIn(): void;
  /** Called once. */
  closed(): void;
}

export interface SocketsPerAddressOptions {
  all: { counts: SharedCounts; max(): number };
  /** Among them. */
  withoutLogin: { counts: SharedCounts; max(): number };
  refused(bound: "all" | "without login"): void;
}

export function createSocketsPerAddress({ all, withoutLogin, refused }: SocketsPerAddressOptions): SocketsPerAddress {
  return {
    open: ({ limitHigh, limitLow }) => {
      if (!all.counts.take(limitHigh, limitLow, all.max())) {
        refused("all");
        return tooMany("This address has too many open WebSockets", RETRY_ALL_SECONDS);
      }
      if (!withoutLogin.counts.take(limitHigh, limitLow, withoutLogin.max())) {
        all.counts.giveBack(limitHigh, limitLow);
        refused("without login");
        return tooMany("This address has too many WebSockets that have not logged in yet", RETRY_LOGIN_SECONDS);
      }
      let isLoggedIn = false;
      return {
        loggedIn: () => {
          if (isLoggedIn) return;
          isLoggedIn = true;
          withoutLogin.counts.giveBack(limitHigh, limitLow);
        },
        closed: () => {
          all.counts.giveBack(limitHigh, limitLow);
          if (!isLoggedIn) withoutLogin.counts.giveBack(limitHigh, limitLow);
        },
      };
    },
  };
}

function tooMany(message: string, retryAfterSeconds: number): RelayError {
  return new RelayError("rate_limited", message, { retryAfterSeconds });
}
