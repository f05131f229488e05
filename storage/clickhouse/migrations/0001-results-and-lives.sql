-- Rows come at least once (engine/payments/feed-row.ts): the same key with the highest version is the one that counts, and FINAL says so.
-- A key never changes its day, so FINAL never has to look across partitions.
-- The feed forgets a row when its insert is answered, so an insert is on disk before that, and a merge before it replaces its parts.

CREATE TABLE IF NOT EXISTS relay.transactions
(
    terminal_id String,
    day Date,
    uuid String,
    version UInt64,
    created_at DateTime64(3, 'UTC'),
    method LowCardinality(String),
    status LowCardinality(String),
    amount_cents Int64,
    currency LowCardinality(String),
    merchant_id String,
    command_kind LowCardinality(String),
    sender String,
    unsolicited Bool,
    amount_differs Bool,
    message String,
    auth_code String,
    stan String,
    action_code LowCardinality(String),
    brand LowCardinality(String),
    masked_pan String,
    entry LowCardinality(String),
    satispay_payment_id String,
    satispay_status LowCardinality(String),
    satispay_outcome LowCardinality(String),
    satispay_store String,
    satispay_code_identifier String,
    provider_name LowCardinality(String),
    provider_model LowCardinality(String),
    provider_client_version LowCardinality(String),
    voucher String,
    receipt String,
    scanned_value String,
    barcode_format LowCardinality(String),
    scan_result LowCardinality(String),
    print_result LowCardinality(String),
    print_error String,
    item String CODEC(ZSTD(3)),
    fed_at DateTime64(3, 'UTC') DEFAULT now64(3, 'UTC')
)
ENGINE = ReplacingMergeTree(version)
PARTITION BY toYYYYMM(day)
ORDER BY (terminal_id, day, uuid)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, min_rows_to_fsync_after_merge = 1;

CREATE TABLE IF NOT EXISTS relay.command_lives
(
    terminal_id String,
    day Date,
    uuid String,
    version UInt64,
    accepted_at DateTime64(3, 'UTC'),
    sent_at Nullable(DateTime64(3, 'UTC')),
    finished_at DateTime64(3, 'UTC'),
    state LowCardinality(String),
    kind LowCardinality(String),
    service LowCardinality(String),
    amount_cents Int64,
    sender String,
    channel LowCardinality(String),
    attempt UInt32,
    fed_at DateTime64(3, 'UTC') DEFAULT now64(3, 'UTC')
)
ENGINE = ReplacingMergeTree(version)
PARTITION BY toYYYYMM(day)
ORDER BY (terminal_id, day, uuid)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, min_rows_to_fsync_after_merge = 1;

CREATE TABLE IF NOT EXISTS relay.conflicts
(
    terminal_id String,
    day Date,
    id String,
    uuid String,
    at DateTime64(3, 'UTC'),
    posted_by String,
    raw String CODEC(ZSTD(3)),
    fed_at DateTime64(3, 'UTC') DEFAULT now64(3, 'UTC')
)
ENGINE = ReplacingMergeTree
PARTITION BY toYYYYMM(day)
ORDER BY (terminal_id, day, id)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, min_rows_to_fsync_after_merge = 1;
