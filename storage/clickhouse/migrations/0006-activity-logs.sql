-- The logs of merchants (engine/kernel/activity-log.ts): steps of what is theirs, and the relay's requests to others about it. Ids, words, hosts and figures only.
-- A batch whose answer was lost is inserted again, so the same id may come twice; FINAL counts it once. The id begins with the time, so it orders a merchant's entries.
-- How long they are kept is a setting (RELAY_LOG_RETENTION_DAYS): storage/activity/activity-retention.ts changes the TTL when a node starts with another one.
-- They are not synced as they come: a crash of the machine may cost the last seconds, and nothing is owed by them. A partition is a week, so that what is over goes in small pieces.

CREATE TABLE IF NOT EXISTS relay.workflow_log
(
    merchant_id String,
    day Date,
    at DateTime64(3, 'UTC'),
    id String,
    object_type LowCardinality(String),
    object_id String,
    event LowCardinality(String),
    from_state LowCardinality(String),
    to_state LowCardinality(String),
    outcome LowCardinality(String),
    request_id String,
    INDEX by_object object_id TYPE bloom_filter(0.01) GRANULARITY 1,
    INDEX by_request request_id TYPE bloom_filter(0.01) GRANULARITY 1
)
ENGINE = ReplacingMergeTree
PARTITION BY toMonday(day)
ORDER BY (merchant_id, day, id)
TTL toDateTime(at) + toIntervalDay(30);

CREATE TABLE IF NOT EXISTS relay.call_log
(
    merchant_id String,
    day Date,
    at DateTime64(3, 'UTC'),
    id String,
    target LowCardinality(String),
    operation LowCardinality(String),
    host String,
    object_id String,
    http_status UInt16,
    outcome LowCardinality(String),
    detail String,
    ms UInt32,
    request_id String,
    INDEX by_object object_id TYPE bloom_filter(0.01) GRANULARITY 1,
    INDEX by_request request_id TYPE bloom_filter(0.01) GRANULARITY 1
)
ENGINE = ReplacingMergeTree
PARTITION BY toMonday(day)
ORDER BY (merchant_id, day, id)
TTL toDateTime(at) + toIntervalDay(30);
