import assert from "node:assert/strict";
import { test } from "node:test";
import { contradictedMember } from "../../../engine/payments/contradicted-member.ts";

test("a posting contradicts itself where it names uuid, amount, currency or outcome twice, with different values", () => {
  const cases: [string, string][] = [
    ['{"uuid":"a","uuid":"b","result":"OK"}', "uuid"],
    ['{"uuid":"a","amount":100,"result":"OK","amount":99900}', "amount"],
    ['{"uuid":"a","amountCents":100,"amountCents":200,"result":"OK"}', "amountCents"],
    ['{"uuid":"a","currency":"EUR","currency":"USD","result":"OK"}', "currency"],
    ['{"uuid":"a","result":"OK","result":"KO"}', "result"],
    // The first and the last agree, and the one between them does not.
    ['{"uuid":"a","result":"OK","result":"KO","result":"OK"}', "result"],
    ['{"uuid":"a","approved":true,"approved":false}', "approved"],
    ['{"uuid":"a","status":"OK","status":null}', "status"],
    ['{"uuid":"a","result":"OK","data":{"result":"KO","result":"OK"}}', "data.result"],
    ['{"uuid":"a","result":"OK","data":{"payment":{"status":"KO","status":"OK"}}}', "data.payment.status"],
    ['{"uuid":"a","result":"OK","data":{"result":"KO"},"data":{"result":"OK"}}', "data"],
    ['{"uuid":"a","result":"OK","data":{"result":"KO"},"data":{}}', "data"],
    ['{"uuid":"a","result":"OK","satispay":{"status":"ACCEPTED","status":"CANCELED"}}', "satispay.status"],
    ['{"uuid":"a","service":"SCAN","scan":{"scanResult":"OK","scanResult":"ERROR"}}', "scan.scanResult"],
    ['{"uuid":"a","result":"OK","amount":{},"amount":{}}', "amount"],
  ];
  for (const [text, member] of cases) assert.equal(contradictedMember(text), member, text);
});

test("the same value again, and any other member that comes twice, changes nothing about the payment", () => {
  for (const text of [
    '{"uuid":"a","uuid":"a","amount":100,"amount":100,"result":"OK","result":"OK"}',
    '{"uuid":"a","amount":100,"amount":1e2,"result":"OK"}',
    '{"uuid":"a","result":"OK","authCode":"1","authCode":"2"}',
    '{"uuid":"a","result":"OK","card":{"pan":"1","pan":"2"},"message":"a","message":"b"}',
    '{"uuid":"a","result":"OK","data":{"result":"OK","note":1},"data":{"result":"OK","note":2}}',
    '{"uuid":"a","result":"OK","receipt":{"amount":1,"amount":2,"result":"a","result":"b"}}',
    '{"uuid":"a","result":"OK","extra":{"uuid":"b","uuid":"c"}}',
    '{"uuid":"a","result":"OK"}',
    "[]",
    "null",
  ])
    assert.equal(contradictedMember(text), null, text);
});
