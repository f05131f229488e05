import assert from "node:assert/strict";
import { test } from "node:test";
import { isSentinelUrl, parseSentinelUrl, redisPlace } from "../../../storage/redis/sentinel-url.ts";

const PLAIN = {
  sentinels: [{ host: "s1", port: 26_379 }],
  name: "mymaster",
  username: null,
  password: null,
  database: 0,
  sentinelUsername: null,
  sentinelPassword: null,
  tls: false,
};

const READ: [url: string, address: ReturnType<typeof parseSentinelUrl>][] = [
  ["redis-sentinel://s1?name=mymaster", PLAIN],
  ["redis-sentinel://s1/?name=mymaster", PLAIN],
  [
    "redis-sentinel://s1:26380/3?name=my.master-1",
    { ...PLAIN, sentinels: [{ host: "s1", port: 26_380 }], database: 3, name: "my.master-1" },
  ],
  [
    "rediss-sentinel://relay:p%40ss%3Aword@10.0.0.1:1,[::1]:2,s3/0?name=m&sentinel-username=u&sentinel-password=p%2Bw",
    {
      sentinels: [
        { host: "10.0.0.1", port: 1 },
        { host: "::1", port: 2 },
        { host: "s3", port: 26_379 },
      ],
      name: "m",
      username: "relay",
      password: "p@ss:word",
      database: 0,
      sentinelUsername: "u",
      sentinelPassword: "p+w",
      tls: true,
    },
  ],
  ["redis-sentinel://:word@s1?name=mymaster", { ...PLAIN, password: "word" }],
];

for (const [url, address] of READ) test(`reads ${url}`, () => assert.deepEqual(parseSentinelUrl(url), address));

const REFUSED = [
  "redis-sentinel://s1",
  "redis-sentinel://s1/0",
  "redis-sentinel://?name=m",
  "redis-sentinel://s1,?name=m",
  "redis-sentinel://s1:0?name=m",
  "redis-sentinel://s1:65536?name=m",
  "redis-sentinel://s1:x?name=m",
  "redis-sentinel://s1/16?name=m",
  "redis-sentinel://s1/x?name=m",
  "redis-sentinel://s1?name=",
  "redis-sentinel://s1?name=a b",
  "redis-sentinel://s1?name=m&name=n",
  "redis-sentinel://s1?name=m&role=slave",
  "redis-sentinel://s1?name=m#x",
  "redis-sentinel://user@s1?name=m",
  "redis-sentinel://user:@s1?name=m",
  "redis-sentinel://user:%zz@s1?name=m",
  "redis-sentinel://a:b:c@s1?name=m",
  `redis-sentinel://${Array.from({ length: 17 }, (_, index) => `s${index}`).join(",")}?name=m`,
];

for (const url of REFUSED) test(`refuses ${url.slice(0, 60)}`, () => assert.equal(parseSentinelUrl(url), null));

test("the URL of one Redis is none of Sentinels, and messages name both without credentials", () => {
  assert.deepEqual(["redis://s1", "rediss://s1", "redis-sentinel://", "rediss-sentinel:x"].map(isSentinelUrl), [false, false, true, true]);
  assert.equal(redisPlace("redis://user:word@redis.example:6380/0"), "the Redis at redis.example:6380");
  assert.equal(
    redisPlace("redis-sentinel://user:word@s1,[::1]:2/0?name=m&sentinel-password=p"),
    "the Redis m of the Sentinels s1:26379, [::1]:2",
  );
});
