-- Figures of merchants' days, as the relay closes them (engine/reconciliation/): SELECT * FROM relay.reconciliation(zone = 'Europe/Rome') WHERE day = '2026-11-23'. Days are
-- those of the zone, with its clock changes. What they show is as of now; what was closed then, and what has changed since, the interface tells.

CREATE VIEW IF NOT EXISTS relay.reconciliation AS
SELECT
    toDate(toTimeZone(created_at, {zone:String})) AS day,
    merchant_id,
    'payments' AS item,
    terminal_id,
    toString(method) AS method,
    toString(status) AS state,
    toString(currency) AS currency,
    count() AS transactions,
    sum(amount_cents) AS total_minor
FROM relay.merchant_transactions FINAL
WHERE method NOT IN ('SCAN', 'PRINT') AND command_kind NOT IN ('scan', 'print', 'cancel', 'administrative')
GROUP BY day, merchant_id, item, terminal_id, method, state, currency
UNION ALL
SELECT
    toDate(toTimeZone(created_at, {zone:String})) AS day,
    merchant_id,
    concat(toString(object), 's') AS item,
    '' AS terminal_id,
    '' AS method,
    toString(state) AS state,
    toString(currency) AS currency,
    count() AS transactions,
    sum(amount_minor) AS total_minor
FROM relay.merchant_objects FINAL
WHERE object IN ('link', 'refund')
GROUP BY day, merchant_id, item, terminal_id, method, state, currency;
