-- The times of lives from before may run backwards, where the clocks of two machines differed: nobody waited for less than nothing.

CREATE OR REPLACE VIEW relay.command_lives_final AS
SELECT
    * EXCEPT (store_version),
    if(sent_at < accepted_at, 0, dateDiff('millisecond', accepted_at, sent_at)) AS waited_ms,
    if(finished_at < accepted_at, 0, dateDiff('millisecond', accepted_at, finished_at)) AS took_ms
FROM relay.command_lives FINAL
SETTINGS do_not_merge_across_partitions_select_final = 1;
