import type { CommitGuard } from "../workflow/workflow.ts";
import type { PortalLinkRecord } from "./portal-link.ts";

/** Reads the account again this often: others change the same account from other threads, each of them in turn. */
export const ACCOUNT_ATTEMPTS_MAX = 256;

/** Tracks portal links in the commits that change them, as the credentials of agents track what their links have come to. */
export type PortalLinkKeeper = CommitGuard<PortalLinkRecord>;
