-- What analysts should read: each is right even where a row came twice. Sums are views over FINAL and not kept incrementally, because
-- an incremental sum would count a second version of a row twice.

CREATE VIEW IF NOT EXISTS relay.transactions_final AS
SELECT * EXCEPT (item) FROM relay.transactions FINAL
SETTINGS do_not_merge_across_partitions_select_final = 1;

CREATE VIEW IF NOT EXISTS relay.command_lives_final AS
SELECT *, dateDiff('millisecond', accepted_at, sent_at) AS waited_ms, dateDiff('millisecond', accepted_at, finished_at) AS took_ms
FROM relay.command_lives FINAL
SETTINGS do_not_merge_across_partitions_select_final = 1;

CREATE VIEW IF NOT EXISTS relay.conflicts_final AS
SELECT * FROM relay.conflicts FINAL
SETTINGS do_not_merge_across_partitions_select_final = 1;

CREATE VIEW IF NOT EXISTS relay.transactions_hourly AS
SELECT
    toStartOfHour(created_at) AS hour,
    terminal_id,
    merchant_id,
    method,
    status,
    currency,
    count() AS transactions,
    sum(amount_cents) AS total_cents
FROM relay.transactions FINAL
GROUP BY hour, terminal_id, merchant_id, method, status, currency
SETTINGS do_not_merge_across_partitions_select_final = 1;

CREATE VIEW IF NOT EXISTS relay.transactions_daily AS
SELECT
    day,
    terminal_id,
    merchant_id,
    method,
    status,
    currency,
    count() AS transactions,
    sum(amount_cents) AS total_cents
FROM relay.transactions FINAL
GROUP BY day, terminal_id, merchant_id, method, status, currency
SETTINGS do_not_merge_across_partitions_select_final = 1;
