/**
 * The setting `workload` of queries for merchants' pages. The embedded ClickHouse gives them turns of their own; on a server, operators may bound them by
 * `CREATE WORKLOAD portal`. Without that, ClickHouse ignores the name.
 */
export const PORTAL_WORKLOAD = "portal";

/** The same of their reports, which take longer: a list never waits for one of them. */
export const REPORTS_WORKLOAD = "portal_reports";
