-- Whose a row is: the administered merchant that was fixed when the command was accepted (engine/payments/feed-row.ts, `shop`). `merchant_id` is what a terminal may
-- have said of itself, and decides nothing.

ALTER TABLE relay.transactions ADD COLUMN IF NOT EXISTS shop String DEFAULT '';

ALTER TABLE relay.command_lives ADD COLUMN IF NOT EXISTS shop String DEFAULT '';

-- The same rows by merchant, for lists that merchants read: without SCAN, PRINT, CANCEL and administrators' commands, which are no transactions of a shop.
-- storage/feed/merchant-backfill.ts adds rows of before, with the same columns. No part of the key ever changes, so the highest version of a row is in the same place as the others.
-- A uuid alone is found by its index (1.3 MB for a million rows): all of a merchant's uuids would be read otherwise.

CREATE TABLE IF NOT EXISTS relay.merchant_transactions
(
    merchant_id String,
    day Date,
    created_at DateTime64(3, 'UTC'),
    uuid String,
    terminal_id String,
    version UInt64,
    method LowCardinality(String),
    status LowCardinality(String),
    amount_cents Int64,
    currency LowCardinality(String),
    command_kind LowCardinality(String),
    unsolicited Bool,
    amount_differs Bool,
    message String,
    auth_code String,
    action_code LowCardinality(String),
    brand LowCardinality(String),
    last4 String,
    entry LowCardinality(String),
    item String CODEC(ZSTD(3)),
    INDEX by_uuid lower(uuid) TYPE bloom_filter(0.01) GRANULARITY 1
)
ENGINE = ReplacingMergeTree(version)
PARTITION BY toYYYYMM(day)
ORDER BY (merchant_id, day, created_at, uuid, terminal_id)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, min_rows_to_fsync_after_merge = 1;

CREATE MATERIALIZED VIEW IF NOT EXISTS relay.merchant_transactions_fill TO relay.merchant_transactions AS
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
