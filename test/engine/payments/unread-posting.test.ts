import assert from "node:assert/strict";
import { test } from "node:test";
import { maskText } from "../../../engine/kernel/mask.ts";
import { namedUuid } from "../../../engine/payments/unread-posting.ts";

test("a uuid is told only where the text names one and no other", () => {
  const cases: [string, string | null][] = [
    ['{"uuid":"a-1","result":', "a-1"],
    ['{"UUID" : "a-1"', "a-1"],
    ["uuid=a-1&result=OK", "a-1"],
    ["<uuid>a-1</uuid>", "a-1"],
    ["uuid: a-1", "a-1"],
    ["{'uuid':'a-1'}", "a-1"],
    ['{"uuid":"a-1","data":{"uuid":"a-1"}}', "a-1"],
    ['{"uuid":"a-1","data":{"uuid":"a-2"}}', null],
    ['{"guuid":"a-1"}', null],
    ["no uuid here", null],
    [`{"uuid":"${"a".repeat(65)}"}`, null],
    ["", null],
  ];
  for (const [text, expected] of cases) assert.equal(namedUuid(text), expected, text);
});

test("a text of any form is masked by what stands before a value, and by Luhn", () => {
  const cases: [string, string][] = [
    ['{"pan":"4000123412341234","cvv":"12', '{"pan":"400012******1234","cvv":"****'],
    ["pan=4000123412341234&pin=1234&amount=1050", "pan=400012******1234&pin=****&amount=1050"],
    ["<Track2>4111111111111111=2512</Track2><cvc>123</cvc>", "<Track2>****</Track2><cvc>****</cvc>"],
    ["cardNumber: 4000123412341234;", "cardNumber: 400012******1234;"],
    ["paid with 4111 1111 1111 1111", "paid with 411111******1111"],
    ['{"pan":"4000123412341234"}', '{"pan":"400012******1234"}'],
    // All values of a member that comes twice, each masked by its name.
    [
      '{"pan":"4000123412341234","cvv":"1","pan":"5","amount":1,"amount":2}',
      '{"pan":["400012******1234","5"],"cvv":"****","amount":[1,2]}',
    ],
    ["company=Bar & Co", "company=Bar & Co"],
  ];
  for (const [text, expected] of cases) assert.equal(maskText(text), expected, text);
});

test("a hostile text is read within the time that a test has", { timeout: 10_000 }, () => {
  for (const piece of ["a", '"', "pan=", '"pan":"\\', "<pan>", "1 ", "a:", "uuid ", "\0"]) {
    const text = piece.repeat(65_536 / piece.length);
    assert.ok(maskText(text).length > 0);
    assert.equal(namedUuid(text), null);
  }
});
