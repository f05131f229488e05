-- What a merchant has beside its payments, one row for each thing as it stands: links, refunds, disputes, alerts, subscriptions and their charges
-- (engine/payments/object-row.ts). Ids, words, times and figures only: nothing personal. Read it with FINAL; a higher version replaces a lower one, and no part of the key
-- ever changes.

CREATE TABLE IF NOT EXISTS relay.merchant_objects
(
    merchant_id String,
    livemode Bool,
    object LowCardinality(String),
    day Date,
    created_at DateTime64(3, 'UTC'),
    id String,
    version UInt64,
    state LowCardinality(String),
    category LowCardinality(String),
    reason LowCardinality(String),
    amount_minor Int64,
    currency LowCardinality(String),
    uuid String,
    parent String,
    attempt UInt32,
    due_at Nullable(DateTime64(3, 'UTC')),
    active_at Nullable(DateTime64(3, 'UTC')),
    ended_at Nullable(DateTime64(3, 'UTC')),
    monthly_minor Int64,
    store_version UInt64
)
ENGINE = ReplacingMergeTree(version)
PARTITION BY toYYYYMM(day)
ORDER BY (merchant_id, object, day, created_at, id)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, min_rows_to_fsync_after_merge = 1;
