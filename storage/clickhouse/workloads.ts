/**
 * The setting `workload` of queries for merchants' pages. The embedded ClickHouse gives them turns of their own; on a server, operators may bound them by
 * `CREATE WORKLOAD portal`. Without that, ClickHouse ignores the name.
 */
export const PORTAL_WORKLOAD = "portal";
