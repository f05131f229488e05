-- The version that the store gave the commit a row came from. It was on the store's disk before the row could get here: a store whose last version is
-- lower than the highest here has been taken back to an earlier copy. 0 in rows of former releases.

ALTER TABLE relay.transactions ADD COLUMN IF NOT EXISTS store_version UInt64 DEFAULT 0;

ALTER TABLE relay.command_lives ADD COLUMN IF NOT EXISTS store_version UInt64 DEFAULT 0;
