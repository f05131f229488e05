import assert from "node:assert/strict";
import { test } from "node:test";
import { isReturnScheme, RETURN_SCHEMES_MAX, returnSchemesOf } from "../../../engine/partners/return-schemes.ts";
import { grant, merchantWorld } from "./merchant-world.ts";

test("schemes of apps may be registered, those of browsers, systems and protocols may not", () => {
  for (const scheme of ["myapp", "com.example.shop", "my-app", "my+app", "app2", "fb1234567890"])
    assert.equal(isReturnScheme(scheme), true, scheme);
  const never = [
    ...["http", "https", "javascript", "data", "file", "blob", "intent", "about", "vbscript", "view-source", "filesystem", "content"],
    ...["android-app", "chrome", "ftp", "ws", "wss", "mailto", "tel", "sms", "ms-settings", "ms-msdt", "itms-services"],
    ...["", "a", "1app", "my app", "my_app", "myapp:", "myapp://", "MyApp", "x".repeat(65)],
  ];
  for (const scheme of never) assert.equal(isReturnScheme(scheme), false, scheme);
});

test("schemes are kept in small letters, each once and in order", () => {
  assert.deepEqual(returnSchemesOf(["myapp", "Other", "MYAPP"]), ["myapp", "other"]);
  assert.deepEqual(returnSchemesOf([]), []);
  assert.throws(() => returnSchemesOf(["myapp", "JavaScript"]), /^RelayError: schemes: javascript is not the scheme of an app$/);
  assert.throws(() => returnSchemesOf(["4111 1111 1111 1111"]), /^RelayError: schemes: one of them is not the scheme of an app$/);
  assert.throws(() => returnSchemesOf(Array.from({ length: RETURN_SCHEMES_MAX + 1 }, (_, index) => `app${index}`)), /at most 16 items/);
});

test("a merchant's schemes are in what its keys open, until they are replaced; a deactivated merchant's are not changed", async () => {
  const { merchants, ownMerchant, merchantByKey } = merchantWorld();
  const made = await merchants.create(grant(), { merchantId: "M1" }, "o1");
  assert.ok(made.type === "created");
  const schemes = async (key: string) => {
    const found = await merchantByKey(key);
    return typeof found === "string" ? null : found?.returnSchemes;
  };
  assert.equal(await schemes(made.keys.publishable), undefined);
  assert.deepEqual(await ownMerchant.saveReturnSchemes("M1", ["myapp"]), ["myapp"]);
  assert.deepEqual([await schemes(made.keys.secret), await schemes(made.keys.publishable)], [["myapp"], ["myapp"]]);
  assert.deepEqual(await ownMerchant.saveReturnSchemes("M1", []), []);
  assert.deepEqual(await schemes(made.keys.secret), []);
  await assert.rejects(ownMerchant.saveReturnSchemes("M2", ["myapp"]), /There is no such merchant/);
  await merchants.patch(grant(), "M1", { active: false });
  assert.equal(await ownMerchant.saveReturnSchemes("M1", ["myapp"]), null);
});
