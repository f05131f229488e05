import { LoadRefused, limitOf } from "./deployment.ts";
import { terminalIdsOf } from "./fleet.ts";
import { basicLogin, type HttpCaller, type Request } from "./http-caller.ts";
import type { LoadOptions } from "./options.ts";
import { HEADROOM } from "./paces.ts";
import { isInShare } from "./payment-of.ts";

/** What the relay lets all terminals behind one address do for their updates. */
export interface RolloutLimits {
  checksPerSecond: number;
  downloadsPerSecond: number;
  reportsPerSecond: number;
}

/** No app has a higher version code, so with it nothing is offered, and nothing counted. */
const HIGHEST_VERSION_CODE = 2_147_483_647;

/** Terminals outside the roll-out that ask as well. */
export const OTHERS_MAX = 50;

/** The roll-out begins when this share of the schedule without its ramp is over, and after so long at the latest: what comes before it is to be compared with. */
const BEFORE_SHARE = 0.1;
const BEFORE_MS_MAX = 10_000;

/** The terminals of a run that take the update: the same share of those that poll and of those with a WebSocket. */
export function updatedIdsOf(options: Pick<LoadOptions, "terminals" | "terminalPrefix" | "pollShare" | "updateShare">): string[] {
  const ids = terminalIdsOf(options);
  const polls = (index: number) => isInShare(index, options.pollShare);
  const byLink = [...ids.filter((_, index) => polls(index)), ...ids.filter((_, index) => !polls(index))];
  return byLink.filter((_, index) => isInShare(index, options.updateShare)).sort();
}

export function rolloutAfterMs({ forMs, rampMs }: Pick<LoadOptions, "forMs" | "rampMs">): number {
  return rampMs + Math.min(BEFORE_MS_MAX, (forMs - rampMs) * BEFORE_SHARE);
}

/** Asks the relay for its limits, and whether it knows the administrator, by requests that store nothing. Rejects with `LoadRefused`. */
export async function askRollout(options: LoadOptions, caller: HttpCaller): Promise<RolloutLimits> {
  const { administrator } = options;
  const [terminalId = ""] = terminalIdsOf(options);
  if (administrator === null) throw new Error("a roll-out wants an administrator");
  const listed = await caller.send({
    method: "GET",
    path: "/admin/app-versions",
    headers: basicLogin(administrator.username, administrator.password),
  });
  if (listed.type === "failed") throw new LoadRefused(`the relay does not answer an administrator: ${listed.reason}`);
  if (listed.status === 401)
    throw new LoadRefused(
      "the relay does not know this administrator: RELAY_LOAD_ADMIN_USERNAME and RELAY_LOAD_ADMIN_PASSWORD have to be a login with the role operator",
    );
  if (listed.status !== 200) throw new LoadRefused(`the relay answers ${listed.status} to an administrator who asks for app versions`);
  const limitAt = async (request: Omit<Request, "headers">): Promise<number> => {
    const limit = limitOf(await caller.send({ ...request, headers: {} }));
    if (limit === null)
      throw new LoadRefused(`the relay, or what is before it, does not say how often ${request.path} is allowed (RateLimit-Limit)`);
    return limit;
  };
  const check = `/api/v1/app/version?terminalId=${encodeURIComponent(terminalId)}&currentVersionCode=${HIGHEST_VERSION_CODE}`;
  return {
    checksPerSecond: await limitAt({ method: "GET", path: check }),
    downloadsPerSecond: await limitAt({ method: "GET", path: "/api/v1/app/download/none.apk" }),
    reportsPerSecond: await limitAt({ method: "POST", path: "/api/v1/app/install-log", body: "[]" }),
  };
}

/** Throws `LoadRefused` where the roll-out would ask for more, or would not be over with the schedule. */
export function checkRollout(options: LoadOptions, { checksPerSecond, downloadsPerSecond, reportsPerSecond }: RolloutLimits): void {
  const { terminals, checkIntervalMs, packageBytes, partBytes, installMs, forMs } = options;
  const updated = updatedIdsOf(options).length;
  const asking = updated + Math.min(OTHERS_MAX, terminals - updated) + 1;
  const most = checksPerSecond * HEADROOM;
  if ((asking * 1_000) / checkIntervalMs > most) {
    const seconds = Math.ceil(asking / most);
    throw new LoadRefused(
      `${asking} terminals that ask for a version every ${checkIntervalMs / 1_000} s are too many: all terminals behind one address may do so ${checksPerSecond} times in any second, ` +
        `of which a schedule can use nine tenths. Let them ask less often (--check-every ${seconds}s), or update fewer (--update)`,
    );
  }
  const parts = updated * Math.ceil(packageBytes / partBytes);
  const takesMs =
    rolloutAfterMs(options) +
    2 * checkIntervalMs +
    installMs +
    1_000 * Math.max(parts / (downloadsPerSecond * HEADROOM), updated / (reportsPerSecond * HEADROOM));
  if (takesMs > forMs) {
    throw new LoadRefused(
      `the roll-out to ${updated} terminals is not over in ${forMs / 1_000} s: ${parts} parts of packages at ${downloadsPerSecond} downloads a second and ${updated} reports at ` +
        `${reportsPerSecond} a second of one address, of which a schedule can use nine tenths, a check every ${checkIntervalMs / 1_000} s and the install take at least ` +
        `--for ${Math.ceil(takesMs / 1_000)}s. Or update fewer (--update), in larger parts (--part)`,
    );
  }
}
