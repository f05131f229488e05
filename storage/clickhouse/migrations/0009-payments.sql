-- What is a payment (engine/payments/payment.ts), what was given back of it, and one naming of amounts (`_minor`).

-- The feed writes both. Rows of before have the kind of their command, and below the only service of payments that charges nobody.

ALTER TABLE relay.transactions
    ADD COLUMN IF NOT EXISTS service LowCardinality(String) DEFAULT '' AFTER command_kind,
    ADD COLUMN IF NOT EXISTS is_payment Bool DEFAULT command_kind = 'payment' OR (command_kind = '' AND method IN ('CARD', 'SATISPAY', 'VOUCHER', 'PAYBYLINK')) AFTER service,
    ADD COLUMN IF NOT EXISTS amount_minor Int64 ALIAS amount_cents AFTER amount_cents;

ALTER TABLE relay.merchant_transactions
    ADD COLUMN IF NOT EXISTS service LowCardinality(String) DEFAULT '' AFTER command_kind,
    ADD COLUMN IF NOT EXISTS is_payment Bool DEFAULT command_kind = 'payment' OR (command_kind = '' AND method IN ('CARD', 'SATISPAY', 'VOUCHER', 'PAYBYLINK')) AFTER service,
    ADD COLUMN IF NOT EXISTS amount_minor Int64 ALIAS amount_cents AFTER amount_cents;

ALTER TABLE relay.command_lives ADD COLUMN IF NOT EXISTS amount_minor Int64 ALIAS amount_cents AFTER amount_cents;

ALTER TABLE relay.merchant_transactions_fill MODIFY QUERY
SELECT
    shop AS merchant_id,
    day,
    created_at,
    uuid,
    terminal_id,
    version,
    method,
    status,
    amount_cents,
    currency,
    command_kind,
    service,
    is_payment,
    unsolicited,
    amount_differs,
    message,
    auth_code,
    action_code,
    brand,
    if(match(masked_pan, '[0-9]{4}$'), right(masked_pan, 4), '') AS last4,
    entry,
    item
FROM relay.transactions
WHERE shop != '' AND command_kind IN ('', 'payment');

-- Few rows: the same again, with the same versions, of which the one that was inserted last counts. The second statement has those that merchant-backfill.ts has copied.

INSERT INTO relay.transactions
SELECT * REPLACE ('VERIFYTAG' AS service, false AS is_payment)
FROM
(
    SELECT *
    FROM relay.transactions FINAL
    WHERE service = '' AND command_kind = 'payment'
        AND terminal_id IN (SELECT terminal_id FROM relay.command_lives WHERE service = 'VERIFYTAG')
        AND (terminal_id, uuid) IN (SELECT terminal_id, uuid FROM relay.command_lives WHERE service = 'VERIFYTAG')
)
SETTINGS max_threads = 1, do_not_merge_across_partitions_select_final = 1;

INSERT INTO relay.merchant_transactions
SELECT * REPLACE ('VERIFYTAG' AS service, false AS is_payment)
FROM
(
    SELECT *
    FROM relay.merchant_transactions FINAL
    WHERE service = '' AND command_kind = 'payment' AND (terminal_id, uuid) IN (SELECT terminal_id, uuid FROM relay.command_lives WHERE service = 'VERIFYTAG')
)
SETTINGS max_threads = 1, do_not_merge_across_partitions_select_final = 1;

-- Settings of the relay that views need; each node writes its own when it starts (storage/clickhouse/installation.ts).

CREATE TABLE IF NOT EXISTS relay.installation
(
    name String COMMENT 'Name of a setting. time_zone: the zone whose days the view reconciliation has (RELAY_TIME_ZONE)',
    value String COMMENT 'Its value',
    changed_at DateTime64(3, 'UTC') DEFAULT now64(3, 'UTC') COMMENT 'When a node wrote it; the latest one counts'
)
ENGINE = ReplacingMergeTree(changed_at)
ORDER BY name
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, min_rows_to_fsync_after_merge = 1
COMMENT 'Settings of the relay that views need';

CREATE OR REPLACE VIEW relay.transactions_final AS
SELECT * EXCEPT (item, store_version), amount_cents AS amount_minor
FROM relay.transactions FINAL
SETTINGS do_not_merge_across_partitions_select_final = 1;

CREATE OR REPLACE VIEW relay.command_lives_final AS
SELECT
    * EXCEPT (store_version, shop),
    amount_cents AS amount_minor,
    if(sent_at < accepted_at, 0, dateDiff('millisecond', accepted_at, sent_at)) AS waited_ms,
    if(finished_at < accepted_at, 0, dateDiff('millisecond', accepted_at, finished_at)) AS took_ms
FROM relay.command_lives FINAL
SETTINGS do_not_merge_across_partitions_select_final = 1;

-- A refund names its payment by the uuid, which only one payment by link has; a terminal may have posted a result under the same one. `ifNull` is for clients that set
-- join_use_nulls.

CREATE VIEW IF NOT EXISTS relay.payments_final AS
SELECT
    terminal_id,
    day,
    uuid,
    created_at,
    shop,
    method,
    status,
    amount_cents AS amount_minor,
    if(status = 'OK', ifNull(refunded, 0), 0) AS refunded_minor,
    if(status = 'OK', amount_cents - ifNull(refunded, 0), 0) AS net_minor,
    multiIf(refunded_minor = 0, 'NONE', refunded_minor >= amount_cents, 'REFUNDED', 'PARTLY_REFUNDED') AS refund_state,
    currency,
    service,
    sender,
    unsolicited,
    amount_differs,
    message,
    auth_code,
    stan,
    action_code,
    brand,
    masked_pan,
    entry,
    satispay_payment_id,
    satispay_status,
    satispay_outcome,
    satispay_store,
    satispay_code_identifier,
    provider_name,
    provider_model,
    provider_client_version,
    voucher,
    receipt,
    merchant_id,
    fed_at
FROM (SELECT * FROM relay.transactions FINAL WHERE is_payment) AS payments
ANY LEFT JOIN
(
    SELECT uuid AS refunded_uuid, sum(amount_minor) AS refunded
    FROM relay.merchant_objects FINAL
    WHERE object = 'refund' AND state = 'done'
    GROUP BY uuid
) AS refunds ON payments.uuid = refunds.refunded_uuid AND payments.method = 'PAYBYLINK'
SETTINGS do_not_merge_across_partitions_select_final = 1;

CREATE OR REPLACE VIEW relay.transactions_hourly AS
SELECT
    toStartOfHour(created_at) AS hour,
    terminal_id,
    merchant_id,
    method,
    status,
    currency,
    count() AS transactions,
    total_minor AS total_cents,
    shop,
    sum(amount_minor) AS total_minor,
    sum(refunded_minor) AS refunded_minor,
    sum(net_minor) AS net_minor
FROM relay.payments_final
GROUP BY hour, terminal_id, merchant_id, method, status, currency, shop;

CREATE OR REPLACE VIEW relay.transactions_daily AS
SELECT
    day,
    terminal_id,
    merchant_id,
    method,
    status,
    currency,
    count() AS transactions,
    total_minor AS total_cents,
    shop,
    sum(amount_minor) AS total_minor,
    sum(refunded_minor) AS refunded_minor,
    sum(net_minor) AS net_minor
FROM relay.payments_final
GROUP BY day, terminal_id, merchant_id, method, status, currency, shop;

-- What days are closed by (engine/reconciliation/), before it is put into days. A view with a parameter has no columns of its own, so tools cannot show it: the days of the
-- installation's zone have a view without one.

CREATE VIEW IF NOT EXISTS relay.reconciliation_rows AS
SELECT
    payments.created_at AS created_at,
    payments.merchant_id AS merchant_id,
    'payments' AS item,
    payments.terminal_id AS terminal_id,
    toString(payments.method) AS method,
    toString(payments.status) AS state,
    toString(payments.currency) AS currency,
    payments.amount_cents AS amount_minor,
    if(state = 'OK', ifNull(refunds.refunded, 0), 0) AS refunded_minor,
    if(state = 'OK', payments.amount_cents - ifNull(refunds.refunded, 0), 0) AS net_minor
FROM (SELECT * FROM relay.merchant_transactions FINAL WHERE is_payment) AS payments
ANY LEFT JOIN
(
    SELECT merchant_id AS refunded_merchant, uuid AS refunded_uuid, sum(amount_minor) AS refunded
    FROM relay.merchant_objects FINAL
    WHERE object = 'refund' AND state = 'done'
    GROUP BY merchant_id, uuid
) AS refunds
ON payments.merchant_id = refunds.refunded_merchant AND payments.uuid = refunds.refunded_uuid AND payments.method = 'PAYBYLINK'
UNION ALL
SELECT created_at, merchant_id, concat(toString(object), 's'), '', '', toString(state), toString(currency), amount_minor, 0, 0
FROM relay.merchant_objects FINAL
WHERE object IN ('link', 'refund')
SETTINGS do_not_merge_across_partitions_select_final = 1;

CREATE OR REPLACE VIEW relay.reconciliation AS
SELECT
    toDate(toTimeZone(created_at, (SELECT if(count() = 0, 'UTC', any(value)) FROM relay.installation FINAL WHERE name = 'time_zone'))) AS day,
    merchant_id,
    item,
    terminal_id,
    method,
    state,
    currency,
    count() AS transactions,
    sum(amount_minor) AS total_minor,
    sum(refunded_minor) AS refunded_minor,
    sum(net_minor) AS net_minor
FROM relay.reconciliation_rows
GROUP BY day, merchant_id, item, terminal_id, method, state, currency;

CREATE VIEW IF NOT EXISTS relay.reconciliation_in AS
SELECT
    toDate(toTimeZone(created_at, {zone:String})) AS day,
    merchant_id,
    item,
    terminal_id,
    method,
    state,
    currency,
    count() AS transactions,
    sum(amount_minor) AS total_minor,
    sum(refunded_minor) AS refunded_minor,
    sum(net_minor) AS net_minor
FROM relay.reconciliation_rows
GROUP BY day, merchant_id, item, terminal_id, method, state, currency;
