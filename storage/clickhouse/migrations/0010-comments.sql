-- Comments of all tables, views and columns, which BI tools show. A view that is made anew loses its own: a later migration that does so writes them again.

ALTER TABLE relay.transactions MODIFY COMMENT 'Results of terminals and payments by link; a row for each version: read transactions_final or payments_final';

ALTER TABLE relay.transactions
    COMMENT COLUMN terminal_id 'The terminal; of a payment link the one that the link names',
    COMMENT COLUMN day 'The day of created_at, in UTC',
    COMMENT COLUMN uuid 'The uuid of the command, or of the payment link',
    COMMENT COLUMN version 'The highest version of a key counts',
    COMMENT COLUMN created_at 'When the relay stored the result (of a payment link: when it was created), in UTC; never changes',
    COMMENT COLUMN method 'CARD, SATISPAY, VOUCHER, PAYBYLINK, RECEIPT, SCAN, PRINT or UNKNOWN, as the result says; is_payment tells whether it is a payment',
    COMMENT COLUMN status 'OK (approved) or KO (declined)',
    COMMENT COLUMN amount_cents 'The same as amount_minor, under its former name',
    COMMENT COLUMN amount_minor 'Amount in minor units of the currency; what was given back is not subtracted',
    COMMENT COLUMN currency 'Code of ISO 4217; any other value is as the terminal sent it',
    COMMENT COLUMN merchant_id 'What the terminal said of itself, or is configured for it; decides nothing: shop is whose the row is',
    COMMENT COLUMN command_kind 'Kind of the command: payment, scan, print, cancel or administrative; empty for a result without one and for a payment link',
    COMMENT COLUMN service 'Service of the command: PAYCC, PAYTAG, VERIFYTAG, PAYBP, PAYSAT and so on; empty for a result without a command, for a payment link, and in rows of before',
    COMMENT COLUMN is_payment 'Whether it counts as a payment: the service charges somebody, or (without a command) the method is CARD, SATISPAY, VOUCHER or PAYBYLINK',
    COMMENT COLUMN sender 'Who sent the command or created the link: partner:7, terminal:T1, administrator; empty for a result without a command',
    COMMENT COLUMN unsolicited 'The terminal posted it without a command',
    COMMENT COLUMN amount_differs 'Its amount is not that of the command or the link',
    COMMENT COLUMN message 'Text of the terminal or the gateway',
    COMMENT COLUMN auth_code 'Authorization code',
    COMMENT COLUMN stan 'System trace audit number',
    COMMENT COLUMN action_code 'Action code of the terminal, or result code of the gateway',
    COMMENT COLUMN brand 'Brand of the card',
    COMMENT COLUMN masked_pan 'Masked card number',
    COMMENT COLUMN entry 'How the card was read: MAN (by hand), ICC (chip), NFC (contactless)',
    COMMENT COLUMN satispay_payment_id 'Id of the payment at Satispay',
    COMMENT COLUMN satispay_status 'Status at Satispay',
    COMMENT COLUMN satispay_outcome 'Outcome at Satispay',
    COMMENT COLUMN satispay_store 'Store at Satispay',
    COMMENT COLUMN satispay_code_identifier 'Code identifier at Satispay',
    COMMENT COLUMN provider_name 'Provider of the payment application',
    COMMENT COLUMN provider_model 'Model of the device',
    COMMENT COLUMN provider_client_version 'Version of the payment application',
    COMMENT COLUMN voucher 'Members of a voucher, as JSON',
    COMMENT COLUMN receipt 'Members of a receipt, as JSON',
    COMMENT COLUMN scanned_value 'What was scanned',
    COMMENT COLUMN barcode_format 'Format of the barcode',
    COMMENT COLUMN scan_result 'OK, CANCELLED or ERROR',
    COMMENT COLUMN print_result 'OK or KO',
    COMMENT COLUMN print_error 'Why a print failed',
    COMMENT COLUMN item 'The whole transaction as JSON',
    COMMENT COLUMN fed_at 'When ClickHouse received the row',
    COMMENT COLUMN store_version 'For the relay itself: the version of the commit in its store',
    COMMENT COLUMN shop 'The merchant whose the row is, as administered when the command was accepted; empty for none, and in rows of before';

ALTER TABLE relay.transactions_final MODIFY COMMENT 'Results of terminals and payments by link, each once, in its latest version; not all are payments: see is_payment and payments_final';

ALTER TABLE relay.transactions_final
    COMMENT COLUMN terminal_id 'The terminal; of a payment link the one that the link names',
    COMMENT COLUMN day 'The day of created_at, in UTC',
    COMMENT COLUMN uuid 'The uuid of the command, or of the payment link',
    COMMENT COLUMN version 'The highest version of a key counts',
    COMMENT COLUMN created_at 'When the relay stored the result (of a payment link: when it was created), in UTC; never changes',
    COMMENT COLUMN method 'CARD, SATISPAY, VOUCHER, PAYBYLINK, RECEIPT, SCAN, PRINT or UNKNOWN, as the result says; is_payment tells whether it is a payment',
    COMMENT COLUMN status 'OK (approved) or KO (declined)',
    COMMENT COLUMN amount_cents 'The same as amount_minor, under its former name',
    COMMENT COLUMN amount_minor 'Amount in minor units of the currency; what was given back is not subtracted',
    COMMENT COLUMN currency 'Code of ISO 4217; any other value is as the terminal sent it',
    COMMENT COLUMN merchant_id 'What the terminal said of itself, or is configured for it; decides nothing: shop is whose the row is',
    COMMENT COLUMN command_kind 'Kind of the command: payment, scan, print, cancel or administrative; empty for a result without one and for a payment link',
    COMMENT COLUMN service 'Service of the command: PAYCC, PAYTAG, VERIFYTAG, PAYBP, PAYSAT and so on; empty for a result without a command, for a payment link, and in rows of before',
    COMMENT COLUMN is_payment 'Whether it counts as a payment: the service charges somebody, or (without a command) the method is CARD, SATISPAY, VOUCHER or PAYBYLINK',
    COMMENT COLUMN sender 'Who sent the command or created the link: partner:7, terminal:T1, administrator; empty for a result without a command',
    COMMENT COLUMN unsolicited 'The terminal posted it without a command',
    COMMENT COLUMN amount_differs 'Its amount is not that of the command or the link',
    COMMENT COLUMN message 'Text of the terminal or the gateway',
    COMMENT COLUMN auth_code 'Authorization code',
    COMMENT COLUMN stan 'System trace audit number',
    COMMENT COLUMN action_code 'Action code of the terminal, or result code of the gateway',
    COMMENT COLUMN brand 'Brand of the card',
    COMMENT COLUMN masked_pan 'Masked card number',
    COMMENT COLUMN entry 'How the card was read: MAN (by hand), ICC (chip), NFC (contactless)',
    COMMENT COLUMN satispay_payment_id 'Id of the payment at Satispay',
    COMMENT COLUMN satispay_status 'Status at Satispay',
    COMMENT COLUMN satispay_outcome 'Outcome at Satispay',
    COMMENT COLUMN satispay_store 'Store at Satispay',
    COMMENT COLUMN satispay_code_identifier 'Code identifier at Satispay',
    COMMENT COLUMN provider_name 'Provider of the payment application',
    COMMENT COLUMN provider_model 'Model of the device',
    COMMENT COLUMN provider_client_version 'Version of the payment application',
    COMMENT COLUMN voucher 'Members of a voucher, as JSON',
    COMMENT COLUMN receipt 'Members of a receipt, as JSON',
    COMMENT COLUMN scanned_value 'What was scanned',
    COMMENT COLUMN barcode_format 'Format of the barcode',
    COMMENT COLUMN scan_result 'OK, CANCELLED or ERROR',
    COMMENT COLUMN print_result 'OK or KO',
    COMMENT COLUMN print_error 'Why a print failed',
    COMMENT COLUMN fed_at 'When ClickHouse received the row',
    COMMENT COLUMN shop 'The merchant whose the row is, as administered when the command was accepted; empty for none, and in rows of before';

ALTER TABLE relay.payments_final MODIFY COMMENT 'Payments, each once, with what was given back of them';

ALTER TABLE relay.payments_final
    COMMENT COLUMN terminal_id 'The terminal; of a payment link the one that the link names',
    COMMENT COLUMN day 'The day of created_at, in UTC',
    COMMENT COLUMN uuid 'The uuid of the command, or of the payment link',
    COMMENT COLUMN created_at 'When the relay stored the result (of a payment link: when it was created), in UTC; never changes',
    COMMENT COLUMN shop 'The merchant whose the row is, as administered when the command was accepted; empty for none, and in rows of before',
    COMMENT COLUMN method 'CARD, SATISPAY, VOUCHER, PAYBYLINK, RECEIPT, SCAN, PRINT or UNKNOWN, as the result says; is_payment tells whether it is a payment',
    COMMENT COLUMN status 'OK (approved) or KO (declined)',
    COMMENT COLUMN amount_minor 'Amount in minor units of the currency; what was given back is not subtracted',
    COMMENT COLUMN refunded_minor 'What was given back of it until now by refunds and reversals that are done, whenever that was',
    COMMENT COLUMN net_minor 'amount_minor - refunded_minor of an approved payment, else 0',
    COMMENT COLUMN refund_state 'NONE, PARTLY_REFUNDED or REFUNDED',
    COMMENT COLUMN currency 'Code of ISO 4217; any other value is as the terminal sent it',
    COMMENT COLUMN service 'Service of the command: PAYCC, PAYTAG, VERIFYTAG, PAYBP, PAYSAT and so on; empty for a result without a command, for a payment link, and in rows of before',
    COMMENT COLUMN sender 'Who sent the command or created the link: partner:7, terminal:T1, administrator; empty for a result without a command',
    COMMENT COLUMN unsolicited 'The terminal posted it without a command',
    COMMENT COLUMN amount_differs 'Its amount is not that of the command or the link',
    COMMENT COLUMN message 'Text of the terminal or the gateway',
    COMMENT COLUMN auth_code 'Authorization code',
    COMMENT COLUMN stan 'System trace audit number',
    COMMENT COLUMN action_code 'Action code of the terminal, or result code of the gateway',
    COMMENT COLUMN brand 'Brand of the card',
    COMMENT COLUMN masked_pan 'Masked card number',
    COMMENT COLUMN entry 'How the card was read: MAN (by hand), ICC (chip), NFC (contactless)',
    COMMENT COLUMN satispay_payment_id 'Id of the payment at Satispay',
    COMMENT COLUMN satispay_status 'Status at Satispay',
    COMMENT COLUMN satispay_outcome 'Outcome at Satispay',
    COMMENT COLUMN satispay_store 'Store at Satispay',
    COMMENT COLUMN satispay_code_identifier 'Code identifier at Satispay',
    COMMENT COLUMN provider_name 'Provider of the payment application',
    COMMENT COLUMN provider_model 'Model of the device',
    COMMENT COLUMN provider_client_version 'Version of the payment application',
    COMMENT COLUMN voucher 'Members of a voucher, as JSON',
    COMMENT COLUMN receipt 'Members of a receipt, as JSON',
    COMMENT COLUMN merchant_id 'What the terminal said of itself, or is configured for it; decides nothing: shop is whose the row is',
    COMMENT COLUMN fed_at 'When ClickHouse received the row';

ALTER TABLE relay.transactions_hourly MODIFY COMMENT 'Payments by hour (UTC)';

ALTER TABLE relay.transactions_hourly
    COMMENT COLUMN hour 'Beginning of the hour, in UTC',
    COMMENT COLUMN terminal_id 'The terminal; of a payment link the one that the link names',
    COMMENT COLUMN shop 'The merchant whose the row is, as administered when the command was accepted; empty for none, and in rows of before',
    COMMENT COLUMN merchant_id 'What the terminal said of itself, or is configured for it; decides nothing: shop is whose the row is',
    COMMENT COLUMN method 'CARD, SATISPAY, VOUCHER, PAYBYLINK, RECEIPT, SCAN, PRINT or UNKNOWN, as the result says; is_payment tells whether it is a payment',
    COMMENT COLUMN status 'OK (approved) or KO (declined)',
    COMMENT COLUMN currency 'Code of ISO 4217; any other value is as the terminal sent it',
    COMMENT COLUMN transactions 'How many payments',
    COMMENT COLUMN total_minor 'Sum of their amounts in minor units; what was given back is not subtracted',
    COMMENT COLUMN refunded_minor 'What was given back of these payments until now, whenever that was',
    COMMENT COLUMN net_minor 'Sum of what is left of the approved ones',
    COMMENT COLUMN total_cents 'The same as total_minor, under its former name';

ALTER TABLE relay.transactions_daily MODIFY COMMENT 'Payments by day (UTC)';

ALTER TABLE relay.transactions_daily
    COMMENT COLUMN day 'The day of the payments, in UTC',
    COMMENT COLUMN terminal_id 'The terminal; of a payment link the one that the link names',
    COMMENT COLUMN shop 'The merchant whose the row is, as administered when the command was accepted; empty for none, and in rows of before',
    COMMENT COLUMN merchant_id 'What the terminal said of itself, or is configured for it; decides nothing: shop is whose the row is',
    COMMENT COLUMN method 'CARD, SATISPAY, VOUCHER, PAYBYLINK, RECEIPT, SCAN, PRINT or UNKNOWN, as the result says; is_payment tells whether it is a payment',
    COMMENT COLUMN status 'OK (approved) or KO (declined)',
    COMMENT COLUMN currency 'Code of ISO 4217; any other value is as the terminal sent it',
    COMMENT COLUMN transactions 'How many payments',
    COMMENT COLUMN total_minor 'Sum of their amounts in minor units; what was given back is not subtracted',
    COMMENT COLUMN refunded_minor 'What was given back of these payments until now, whenever that was',
    COMMENT COLUMN net_minor 'Sum of what is left of the approved ones',
    COMMENT COLUMN total_cents 'The same as total_minor, under its former name';

ALTER TABLE relay.merchant_transactions MODIFY COMMENT 'Results that are of a merchant, by merchant and time; a row for each version: read it with FINAL';

ALTER TABLE relay.merchant_transactions
    COMMENT COLUMN merchant_id 'The merchant whose the row is, as administered when the command was accepted',
    COMMENT COLUMN day 'The day of created_at, in UTC',
    COMMENT COLUMN created_at 'When the relay stored the result (of a payment link: when it was created), in UTC; never changes',
    COMMENT COLUMN uuid 'The uuid of the command, or of the payment link',
    COMMENT COLUMN terminal_id 'The terminal; of a payment link the one that the link names',
    COMMENT COLUMN version 'The highest version of a key counts',
    COMMENT COLUMN method 'CARD, SATISPAY, VOUCHER, PAYBYLINK, RECEIPT, SCAN, PRINT or UNKNOWN, as the result says; is_payment tells whether it is a payment',
    COMMENT COLUMN status 'OK (approved) or KO (declined)',
    COMMENT COLUMN amount_cents 'The same as amount_minor, under its former name',
    COMMENT COLUMN amount_minor 'Amount in minor units of the currency; what was given back is not subtracted',
    COMMENT COLUMN currency 'Code of ISO 4217; any other value is as the terminal sent it',
    COMMENT COLUMN command_kind 'Kind of the command: payment, scan, print, cancel or administrative; empty for a result without one and for a payment link',
    COMMENT COLUMN service 'Service of the command: PAYCC, PAYTAG, VERIFYTAG, PAYBP, PAYSAT and so on; empty for a result without a command, for a payment link, and in rows of before',
    COMMENT COLUMN is_payment 'Whether it counts as a payment: the service charges somebody, or (without a command) the method is CARD, SATISPAY, VOUCHER or PAYBYLINK',
    COMMENT COLUMN unsolicited 'The terminal posted it without a command',
    COMMENT COLUMN amount_differs 'Its amount is not that of the command or the link',
    COMMENT COLUMN message 'Text of the terminal or the gateway',
    COMMENT COLUMN auth_code 'Authorization code',
    COMMENT COLUMN action_code 'Action code of the terminal, or result code of the gateway',
    COMMENT COLUMN brand 'Brand of the card',
    COMMENT COLUMN last4 'Last four digits of the card',
    COMMENT COLUMN entry 'How the card was read: MAN (by hand), ICC (chip), NFC (contactless)',
    COMMENT COLUMN item 'The whole transaction as JSON';

ALTER TABLE relay.merchant_transactions_fill MODIFY COMMENT 'Fills merchant_transactions from transactions';

ALTER TABLE relay.merchant_transactions_fill
    COMMENT COLUMN merchant_id 'The merchant whose the row is, as administered when the command was accepted',
    COMMENT COLUMN day 'The day of created_at, in UTC',
    COMMENT COLUMN created_at 'When the relay stored the result (of a payment link: when it was created), in UTC; never changes',
    COMMENT COLUMN uuid 'The uuid of the command, or of the payment link',
    COMMENT COLUMN terminal_id 'The terminal; of a payment link the one that the link names',
    COMMENT COLUMN version 'The highest version of a key counts',
    COMMENT COLUMN method 'CARD, SATISPAY, VOUCHER, PAYBYLINK, RECEIPT, SCAN, PRINT or UNKNOWN, as the result says; is_payment tells whether it is a payment',
    COMMENT COLUMN status 'OK (approved) or KO (declined)',
    COMMENT COLUMN amount_cents 'The same as amount_minor, under its former name',
    COMMENT COLUMN currency 'Code of ISO 4217; any other value is as the terminal sent it',
    COMMENT COLUMN command_kind 'Kind of the command: payment, scan, print, cancel or administrative; empty for a result without one and for a payment link',
    COMMENT COLUMN service 'Service of the command: PAYCC, PAYTAG, VERIFYTAG, PAYBP, PAYSAT and so on; empty for a result without a command, for a payment link, and in rows of before',
    COMMENT COLUMN is_payment 'Whether it counts as a payment: the service charges somebody, or (without a command) the method is CARD, SATISPAY, VOUCHER or PAYBYLINK',
    COMMENT COLUMN unsolicited 'The terminal posted it without a command',
    COMMENT COLUMN amount_differs 'Its amount is not that of the command or the link',
    COMMENT COLUMN message 'Text of the terminal or the gateway',
    COMMENT COLUMN auth_code 'Authorization code',
    COMMENT COLUMN action_code 'Action code of the terminal, or result code of the gateway',
    COMMENT COLUMN brand 'Brand of the card',
    COMMENT COLUMN last4 'Last four digits of the card',
    COMMENT COLUMN entry 'How the card was read: MAN (by hand), ICC (chip), NFC (contactless)',
    COMMENT COLUMN item 'The whole transaction as JSON';

ALTER TABLE relay.command_lives MODIFY COMMENT 'Commands whose life ended; a row for each version: read command_lives_final';

ALTER TABLE relay.command_lives
    COMMENT COLUMN terminal_id 'The terminal',
    COMMENT COLUMN day 'The day of accepted_at, in UTC',
    COMMENT COLUMN uuid 'The uuid of the command',
    COMMENT COLUMN version 'The highest version of a key counts',
    COMMENT COLUMN accepted_at 'When the relay accepted the command',
    COMMENT COLUMN sent_at 'When it was sent to the terminal; NULL if it never was',
    COMMENT COLUMN finished_at 'When its life ended',
    COMMENT COLUMN state 'done, unknown, expired or cancelled; a late result turns unknown into done, with a higher version',
    COMMENT COLUMN kind 'payment, scan, print, cancel or administrative',
    COMMENT COLUMN service 'PAYCC, PAYTAG, VERIFYTAG, PAYBP, PAYSAT, SCAN, PRINT, CANCEL or a service of an administrator',
    COMMENT COLUMN amount_cents 'The same as amount_minor, under its former name',
    COMMENT COLUMN amount_minor 'Amount of the command in minor units; 0 for what is no charge',
    COMMENT COLUMN sender 'Who sent it: partner:7, terminal:T1, administrator',
    COMMENT COLUMN channel 'websocket or poll; empty if it was never sent',
    COMMENT COLUMN attempt 'How often it was sent',
    COMMENT COLUMN fed_at 'When ClickHouse received the row',
    COMMENT COLUMN store_version 'For the relay itself: the version of the commit in its store',
    COMMENT COLUMN shop 'The merchant whose it is, as administered when it was accepted; empty for none, and in rows of before';

ALTER TABLE relay.command_lives_final MODIFY COMMENT 'Commands whose life ended, each once, in its latest version';

ALTER TABLE relay.command_lives_final
    COMMENT COLUMN terminal_id 'The terminal',
    COMMENT COLUMN day 'The day of accepted_at, in UTC',
    COMMENT COLUMN uuid 'The uuid of the command',
    COMMENT COLUMN version 'The highest version of a key counts',
    COMMENT COLUMN accepted_at 'When the relay accepted the command',
    COMMENT COLUMN sent_at 'When it was sent to the terminal; NULL if it never was',
    COMMENT COLUMN finished_at 'When its life ended',
    COMMENT COLUMN state 'done, unknown, expired or cancelled; a late result turns unknown into done, with a higher version',
    COMMENT COLUMN kind 'payment, scan, print, cancel or administrative',
    COMMENT COLUMN service 'PAYCC, PAYTAG, VERIFYTAG, PAYBP, PAYSAT, SCAN, PRINT, CANCEL or a service of an administrator',
    COMMENT COLUMN amount_cents 'The same as amount_minor, under its former name',
    COMMENT COLUMN amount_minor 'Amount of the command in minor units; 0 for what is no charge',
    COMMENT COLUMN sender 'Who sent it: partner:7, terminal:T1, administrator',
    COMMENT COLUMN channel 'websocket or poll; empty if it was never sent',
    COMMENT COLUMN attempt 'How often it was sent',
    COMMENT COLUMN fed_at 'When ClickHouse received the row',
    COMMENT COLUMN waited_ms 'Milliseconds from acceptance to sending; NULL if it was never sent',
    COMMENT COLUMN took_ms 'Milliseconds from acceptance to its end';

ALTER TABLE relay.conflicts MODIFY COMMENT 'Second, different results for a uuid that had one; a row may be there twice: read conflicts_final';

ALTER TABLE relay.conflicts
    COMMENT COLUMN terminal_id 'The terminal that posted it',
    COMMENT COLUMN day 'The day of at, in UTC',
    COMMENT COLUMN id 'Tells one conflict from others',
    COMMENT COLUMN uuid 'The uuid that already had a result',
    COMMENT COLUMN at 'When it was posted',
    COMMENT COLUMN posted_by 'Login that posted it',
    COMMENT COLUMN raw 'What was posted, masked, as JSON',
    COMMENT COLUMN fed_at 'When ClickHouse received the row';

ALTER TABLE relay.conflicts_final MODIFY COMMENT 'Second, different results for a uuid that had one';

ALTER TABLE relay.conflicts_final
    COMMENT COLUMN terminal_id 'The terminal that posted it',
    COMMENT COLUMN day 'The day of at, in UTC',
    COMMENT COLUMN id 'Tells one conflict from others',
    COMMENT COLUMN uuid 'The uuid that already had a result',
    COMMENT COLUMN at 'When it was posted',
    COMMENT COLUMN posted_by 'Login that posted it',
    COMMENT COLUMN raw 'What was posted, masked, as JSON',
    COMMENT COLUMN fed_at 'When ClickHouse received the row';

ALTER TABLE relay.merchant_objects MODIFY COMMENT 'Links, refunds, disputes, alerts, subscriptions and charges of merchants, as they stand; a row for each version: read it with FINAL';

ALTER TABLE relay.merchant_objects
    COMMENT COLUMN merchant_id 'The merchant',
    COMMENT COLUMN livemode 'Whether the money of the merchant is real; of a refund as it was when that was last told',
    COMMENT COLUMN object 'link, refund, dispute, alert, subscription or charge (an attempt at the payment of a subscription)',
    COMMENT COLUMN day 'The day of created_at, in UTC',
    COMMENT COLUMN created_at 'When it was made, in UTC; of a refund and a charge when it was first asked for',
    COMMENT COLUMN id 'Its id',
    COMMENT COLUMN version 'The highest version of a key counts',
    COMMENT COLUMN state 'Its state; the guide lists the states of each object',
    COMMENT COLUMN category 'link: who made it. refund: who asked for it. dispute: its category. alert: its source. Else empty',
    COMMENT COLUMN reason 'link: late. dispute: its outcome. alert, subscription: what ended it. charge: why it failed. Else empty',
    COMMENT COLUMN amount_minor 'Amount in minor units: of a link what was ordered, of a subscription what a cycle costs',
    COMMENT COLUMN currency 'Code of ISO 4217',
    COMMENT COLUMN uuid 'The payment that it is about: of a refund, dispute or alert, of a paid link or charge; else empty',
    COMMENT COLUMN parent 'link: the credential or subscription that made it. charge: its subscription. dispute: its alert. subscription: its plan. Else empty',
    COMMENT COLUMN attempt 'charge: which attempt at its cycle, from 1; else 0',
    COMMENT COLUMN due_at 'charge: when its cycle was due. dispute, alert: until when it is to be answered. Else NULL',
    COMMENT COLUMN active_at 'subscription: when it first became ACTIVE or TRIALING; else NULL',
    COMMENT COLUMN ended_at 'When it was paid, cancelled, expired, done, refused or closed; NULL while it has not ended',
    COMMENT COLUMN monthly_minor 'subscription: what it comes to in a month, in minor units; else 0',
    COMMENT COLUMN store_version 'For the relay itself: the version of the commit in its store';

ALTER TABLE relay.reconciliation MODIFY COMMENT 'Payments, links and refunds of the days of merchants, in the time zone of the installation';

ALTER TABLE relay.reconciliation
    COMMENT COLUMN day 'Day of created_at in the time zone',
    COMMENT COLUMN merchant_id 'The merchant',
    COMMENT COLUMN item 'payments, links or refunds',
    COMMENT COLUMN terminal_id 'The terminal of payments; else empty',
    COMMENT COLUMN method 'The method of payments; else empty',
    COMMENT COLUMN state 'payments: OK or KO. links, refunds: their state',
    COMMENT COLUMN currency 'Code of ISO 4217',
    COMMENT COLUMN transactions 'How many',
    COMMENT COLUMN total_minor 'Sum of their amounts in minor units; what was given back is not subtracted',
    COMMENT COLUMN refunded_minor 'payments: what was given back of them until now, whenever that was; else 0',
    COMMENT COLUMN net_minor 'payments: what is left of the approved ones; else 0';

ALTER TABLE relay.reconciliation_rows MODIFY COMMENT 'Payments, links and refunds that reconciliation puts into days';

ALTER TABLE relay.reconciliation_rows
    COMMENT COLUMN created_at 'When the payment or link was made, or the refund was asked for, in UTC',
    COMMENT COLUMN merchant_id 'The merchant',
    COMMENT COLUMN item 'payments, links or refunds',
    COMMENT COLUMN terminal_id 'The terminal of payments; else empty',
    COMMENT COLUMN method 'The method of payments; else empty',
    COMMENT COLUMN state 'payments: OK or KO. links, refunds: their state',
    COMMENT COLUMN currency 'Code of ISO 4217',
    COMMENT COLUMN amount_minor 'Amount in minor units; what was given back is not subtracted',
    COMMENT COLUMN refunded_minor 'payments: what was given back of them until now, whenever that was; else 0',
    COMMENT COLUMN net_minor 'payments: what is left of the approved ones; else 0';

ALTER TABLE relay.workflow_log MODIFY COMMENT 'Steps of what is a merchant''s; read it with FINAL';

ALTER TABLE relay.workflow_log
    COMMENT COLUMN merchant_id 'The merchant',
    COMMENT COLUMN day 'The day of at, in UTC',
    COMMENT COLUMN at 'When, in UTC',
    COMMENT COLUMN id 'Begins with the time',
    COMMENT COLUMN object_type 'payment_link, link, payment_intent or webhook_endpoint',
    COMMENT COLUMN object_id 'What it is about; empty for nothing',
    COMMENT COLUMN event 'What happened',
    COMMENT COLUMN from_state 'State before; empty for a new one',
    COMMENT COLUMN to_state 'State after',
    COMMENT COLUMN outcome 'done or refused; of calls also failed',
    COMMENT COLUMN request_id 'The request that caused it; empty for none';

ALTER TABLE relay.call_log MODIFY COMMENT 'Requests of the relay to others about what is a merchant''s; read it with FINAL';

ALTER TABLE relay.call_log
    COMMENT COLUMN merchant_id 'The merchant',
    COMMENT COLUMN day 'The day of at, in UTC',
    COMMENT COLUMN at 'When, in UTC',
    COMMENT COLUMN id 'Begins with the time',
    COMMENT COLUMN target 'gateway, webhook, callback or mail',
    COMMENT COLUMN operation 'What was asked for',
    COMMENT COLUMN host 'Host that was called',
    COMMENT COLUMN object_id 'What it is about; empty for nothing',
    COMMENT COLUMN http_status 'Status of the answer; 0 without one',
    COMMENT COLUMN outcome 'done or refused; of calls also failed',
    COMMENT COLUMN detail 'Code or word of the outcome',
    COMMENT COLUMN ms 'Milliseconds that it took',
    COMMENT COLUMN request_id 'The request that caused it; empty for none';

ALTER TABLE relay.schema_migrations MODIFY COMMENT 'Steps of the schema that were applied';

ALTER TABLE relay.schema_migrations
    COMMENT COLUMN version 'Number of a step of the schema',
    COMMENT COLUMN name 'Its name',
    COMMENT COLUMN applied_at 'When it was applied';

ALTER TABLE relay.reconciliation_in MODIFY COMMENT 'The same as reconciliation for any time zone: reconciliation_in(zone = ''Europe/Rome'')';
