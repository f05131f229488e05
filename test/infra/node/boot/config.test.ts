import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isCookieSecure, isTlsOnly, readConfig } from "../../../../infra/node/boot/config.ts";
import { ConfigRefused } from "../../../../infra/node/boot/config-reader.ts";

type Environment = { [name: string]: string };

/** What production needs at least. */
const PRODUCTION: Environment = {
  RELAY_MODE: "production",
  RELAY_TRUSTED_PROXIES: "10.0.0.0/8",
  RELAY_TERMINAL_SECRET: "a-secret-of-at-least-16",
  RELAY_SECRET_KEY: "q2r9C2Xq0o6Qb0V3J8cVbFh3b0k4m1Zl7pXn5sYtT2E=",
};

const SANDBOX_SECRET_KEY = "6f1d0a83c25e47b99b7c3e14f8a05d62c4e81b7f2093da56e7450c9b8a1f36d2";
const KEY_COMPLAINT = /RELAY_SECRET_KEY has a value that is not allowed; allowed: 32 random bytes in base64 or hex/;

/** What is set, and the lines that the refusal has to hold. */
const REFUSED: [title: string, environment: Environment, told: RegExp[]][] = [
  ["a mode that there is not", { RELAY_MODE: "prod" }, [/RELAY_MODE is "prod"; allowed: sandbox, production/]],
  ["a port that is no number", { RELAY_PORT: "http" }, [/RELAY_PORT is "http"; allowed: an integer from 0 to 65535/]],
  ["a port out of range", { RELAY_PORT: "65536" }, [/RELAY_PORT is "65536"/]],
  ["a negative port", { RELAY_PORT: "-1" }, [/RELAY_PORT is "-1"/]],
  ["no shards", { RELAY_SHARDS: "0" }, [/RELAY_SHARDS is "0"; allowed: an integer from 1 to 64/]],
  ["too many shards", { RELAY_SHARDS: "65" }, [/RELAY_SHARDS is "65"/]],
  ["half a shard", { RELAY_SHARDS: "1.5" }, [/RELAY_SHARDS is "1.5"/]],
  ["the sandbox on every address", { RELAY_HOST: "0.0.0.0" }, [/RELAY_HOST is "0.0.0.0"; allowed: a loopback address/]],
  ["the sandbox on every IPv6 address", { RELAY_HOST: "::" }, [/RELAY_HOST is "::"/]],
  ["the sandbox on an address of the network", { RELAY_HOST: "192.168.1.10" }, [/RELAY_HOST is "192.168.1.10"/]],
  ["the sandbox on a name, which may be anything", { RELAY_HOST: "relay.example" }, [/RELAY_HOST is "relay.example"/]],
  [
    "the sandbox behind a proxy of the network",
    { RELAY_TRUSTED_PROXIES: "127.0.0.0/8,10.0.0.0/8" },
    [/RELAY_TRUSTED_PROXIES is .* only networks in 127/],
  ],
  ["the sandbox behind a proxy anywhere", { RELAY_TRUSTED_PROXIES: "0.0.0.0/0" }, [/RELAY_TRUSTED_PROXIES is "0.0.0.0\/0"/]],
  ["the sandbox behind a network that is too wide", { RELAY_TRUSTED_PROXIES: "127.0.0.0/7" }, [/RELAY_TRUSTED_PROXIES is "127.0.0.0\/7"/]],
  ["the sandbox behind IPv6 anywhere", { RELAY_TRUSTED_PROXIES: "::1/0" }, [/RELAY_TRUSTED_PROXIES is "::1\/0"/]],
  [
    "the sandbox under a public name",
    { RELAY_PUBLIC_URL: "https://relay.example.com" },
    [/RELAY_PUBLIC_URL has a value that is not allowed; allowed: a loopback address/],
  ],
  ["the sandbox under a name that looks like here", { RELAY_PUBLIC_URL: "http://127.0.0.1.example.com" }, [/RELAY_PUBLIC_URL/]],
  [
    "a short analyst's password in production",
    { ...PRODUCTION, RELAY_ANALYST_PASSWORD: "analyst" },
    [/RELAY_ANALYST_PASSWORD .* at least 16/],
  ],
  [
    "a host for metrics without their port",
    { RELAY_METRICS_HOST: "127.0.0.1" },
    [/RELAY_METRICS_HOST is .* together with RELAY_METRICS_PORT/],
  ],
  ["a port for metrics that is none", { RELAY_METRICS_PORT: "9464/tcp" }, [/RELAY_METRICS_PORT is "9464\/tcp"/]],
  [
    "the sandbox's metrics on every address",
    { RELAY_METRICS_PORT: "9464", RELAY_METRICS_HOST: "0.0.0.0" },
    [/RELAY_METRICS_HOST is "0.0.0.0"/],
  ],
  [
    "a host for metrics that is a name",
    { ...PRODUCTION, RELAY_METRICS_PORT: "1", RELAY_METRICS_HOST: "relay" },
    [/RELAY_METRICS_HOST is "relay"/],
  ],
  ["a short token in production", { ...PRODUCTION, RELAY_METRICS_TOKEN: "short" }, [/RELAY_METRICS_TOKEN .* at least 16 characters/]],
  ["a token with a blank", { RELAY_METRICS_TOKEN: "a token" }, [/RELAY_METRICS_TOKEN has a value that is not allowed/]],
  ["a node id with a blank", { RELAY_NODE_ID: "node 1" }, [/RELAY_NODE_ID is "node 1"; allowed: 1 to 64 of/]],
  ["a certificate without its key", { RELAY_TLS_CERT: "cert.pem" }, [/RELAY_TLS_KEY is not set: set it together/]],
  [
    "authorities of registers without a certificate",
    { RELAY_TLS_CLIENT_CA: "ca.pem" },
    [/RELAY_TLS_CLIENT_CA is "ca.pem"; allowed: set it together/],
  ],
  ["a port of registers that is none", { RELAY_ZVT_PORT: "70000" }, [/RELAY_ZVT_PORT is "70000"; allowed: an integer from 0/]],
  ["a key without its certificate", { RELAY_TLS_KEY: "key.pem" }, [/RELAY_TLS_CERT is not set: set it together/]],
  ["a proxy that is no address", { RELAY_TRUSTED_PROXIES: "10.0.0.0/8,proxy" }, [/RELAY_TRUSTED_PROXIES is "10.0.0.0\/8,proxy"/]],
  ["a proxy with too long a prefix", { RELAY_TRUSTED_PROXIES: "10.0.0.0/33" }, [/RELAY_TRUSTED_PROXIES is "10.0.0.0\/33"/]],
  ["a prefix of two segments", { RELAY_SERVICE_PREFIX: "a/b" }, [/RELAY_SERVICE_PREFIX is "a\/b"; allowed: one path segment/]],
  [
    "a time zone that there is not",
    { RELAY_TIME_ZONE: "Europe/Milan" },
    [/RELAY_TIME_ZONE is "Europe\/Milan"; allowed: an IANA time zone/],
  ],
  ["a retention of nothing", { RELAY_UUID_RETENTION_DAYS: "0" }, [/RELAY_UUID_RETENTION_DAYS is "0"; allowed: an integer from 1/]],
  ["a result retention in words", { RELAY_RESULT_RETENTION_DAYS: "1y" }, [/RELAY_RESULT_RETENTION_DAYS is "1y"/]],
  ["a log level that there is not", { RELAY_LOG_LEVEL: "verbose" }, [/RELAY_LOG_LEVEL is "verbose"; allowed: trace, debug, info/]],
  ["a switch that is neither", { RELAY_OPEN_TERMINAL_LOGS: "yes" }, [/RELAY_OPEN_TERMINAL_LOGS is "yes"; allowed: 0, 1/]],
  ["a default rule that there is not", { RELAY_PARTNER_DEFAULT_RULE: "ANY" }, [/RELAY_PARTNER_DEFAULT_RULE is "ANY"; allowed: .*\bnone/]],
  [
    "no WebSockets of an address",
    { RELAY_WEBSOCKETS_PER_ADDRESS_MAX: "0" },
    [/RELAY_WEBSOCKETS_PER_ADDRESS_MAX is "0"; allowed: an integer from 1/],
  ],
  [
    "a bound of sockets without a login in words",
    { RELAY_WEBSOCKETS_WITHOUT_LOGIN_PER_ADDRESS_MAX: "few" },
    [/RELAY_WEBSOCKETS_WITHOUT_LOGIN_PER_ADDRESS_MAX is "few"/],
  ],
  ["too many waiting look-ups", { RELAY_WAITING_LOOKUPS_PER_CALLER_MAX: "1000001" }, [/RELAY_WAITING_LOOKUPS_PER_CALLER_MAX is "1000001"/]],
  ["a fleet's name without its password", { RELAY_TERMINAL_USERNAME: "fleet" }, [/RELAY_TERMINAL_PASSWORD is not set/]],
  ["a fleet's password without its name", { RELAY_TERMINAL_PASSWORD: "fleet" }, [/RELAY_TERMINAL_USERNAME is not set/]],
  [
    "a public URL that is none",
    { RELAY_PUBLIC_URL: "relay.example" },
    [/RELAY_PUBLIC_URL has a value that is not allowed; allowed: an http/],
  ],
  ["a context path without a slash", { RELAY_ADAPTER_CONTEXT_PATH: "CG" }, [/RELAY_ADAPTER_CONTEXT_PATH is "CG"; allowed: a path such as/]],
  ["a context path that ends with one", { RELAY_ADAPTER_CONTEXT_PATH: "/CG/" }, [/RELAY_ADAPTER_CONTEXT_PATH is/]],
  [
    "a network that is none",
    { RELAY_CALLBACK_ALLOWED_NETWORKS: "10.0.0.0/8,lan" },
    [/RELAY_CALLBACK_ALLOWED_NETWORKS is .* addresses or CIDRs/],
  ],
  [
    "replicas without Redis",
    { RELAY_REDIS_WAIT_REPLICAS: "1" },
    [/RELAY_REDIS_WAIT_REPLICAS is "1"; allowed: 0 or unset without RELAY_REDIS_URL/],
  ],
  [
    "Sentinels without the name of their primary",
    { RELAY_REDIS_URL: "redis-sentinel://s1:26379,s2:26379/0" },
    [/RELAY_REDIS_URL has a value that is not allowed; allowed: a redis or rediss URL, or redis-sentinel:/],
  ],
  [
    "Sentinels in production that may lose what was acknowledged",
    { ...PRODUCTION, RELAY_REDIS_URL: "redis-sentinel://s1?name=m" },
    [/RELAY_REDIS_WAIT_REPLICAS is not set: 1 or more with Sentinels/],
  ],
  ["a gateway that is no URL", { RELAY_GATEWAY_URL: "gateway" }, [/RELAY_GATEWAY_URL has a value that is not allowed/]],
  ["a gateway with a query", { RELAY_GATEWAY_URL: "https://gw.example/CG?x=1" }, [/RELAY_GATEWAY_URL has a value .* without a query/]],
  [
    "a gateway in the clear, in production",
    { RELAY_MODE: "production", RELAY_HOST: "127.0.0.1", RELAY_GATEWAY_URL: "http://gw.example/CG" },
    [/RELAY_GATEWAY_URL has a value .* an https URL/],
  ],
  [
    "a server for mail without a sender",
    { RELAY_SMTP_URL: "smtp://mail.example" },
    [/RELAY_MAIL_FROM is not set: set it together with the other of RELAY_SMTP_URL and RELAY_MAIL_FROM/],
  ],
  ["a sender without a server for mail", { RELAY_MAIL_FROM: "no-reply@shop.example" }, [/RELAY_SMTP_URL is not set: set it together/]],
  [
    "a server for mail by another protocol",
    { RELAY_SMTP_URL: "https://mail.example", RELAY_MAIL_FROM: "no-reply@shop.example" },
    [/RELAY_SMTP_URL has a value that is not allowed; allowed: smtp:/],
  ],
  [
    "a server for mail with a user and no password",
    { RELAY_SMTP_URL: "smtp://relay@mail.example", RELAY_MAIL_FROM: "no-reply@shop.example" },
    [/RELAY_SMTP_URL has a value/],
  ],
  [
    "a server for mail with settings that there are not",
    { RELAY_SMTP_URL: "smtp://mail.example?tls=no", RELAY_MAIL_FROM: "no-reply@shop.example" },
    [/RELAY_SMTP_URL has a value .*\?tls=required or \?tls=optional/],
  ],
  [
    "TLS from the first byte that is optional",
    { RELAY_SMTP_URL: "smtps://mail.example?tls=optional", RELAY_MAIL_FROM: "no-reply@shop.example" },
    [/RELAY_SMTP_URL has a value/],
  ],
  [
    "a sender that is no address",
    { RELAY_SMTP_URL: "smtp://mail.example", RELAY_MAIL_FROM: "Payments" },
    [/RELAY_MAIL_FROM is "Payments"; allowed: an address/],
  ],
  [
    "a sender that would begin another header",
    { RELAY_SMTP_URL: "smtp://mail.example", RELAY_MAIL_FROM: "Pay\nBcc: <eve@evil.example>" },
    [/RELAY_MAIL_FROM is/],
  ],
  ["a ClickHouse by another protocol", { RELAY_CLICKHOUSE_URL: "tcp://ch:9000" }, [/RELAY_CLICKHOUSE_URL has a value that is not allowed/]],
  [
    "a sandbox key of another shape",
    { RELAY_SANDBOX_API_KEY: "hunter2" },
    [/RELAY_SANDBOX_API_KEY has a value that is not allowed; allowed: pk_live_/],
  ],
  ["a misspelt name", { RELAY_PROT: "8080" }, [/RELAY_PROT has a value that is not allowed; allowed: one of the documented names/]],
  ["production without its secret", { RELAY_MODE: "production", RELAY_HOST: "127.0.0.1" }, [/RELAY_TERMINAL_SECRET is not set: required/]],
  [
    "production in the open without TLS",
    { RELAY_MODE: "production", RELAY_TERMINAL_SECRET: "a-secret-of-at-least-16" },
    [/RELAY_TLS_CERT is not set: a certificate, or RELAY_TRUSTED_PROXIES/],
  ],
  ["a short secret in production", { ...PRODUCTION, RELAY_TERMINAL_SECRET: "short" }, [/RELAY_TERMINAL_SECRET .* at least 16 characters/]],
  ["a short password in production", { ...PRODUCTION, RELAY_ADMIN_PASSWORD: "admin" }, [/RELAY_ADMIN_PASSWORD .* at least 16 characters/]],
  [
    "the sandbox's fleet in production",
    { ...PRODUCTION, RELAY_TERMINAL_USERNAME: "terminal", RELAY_TERMINAL_PASSWORD: "terminal" },
    [/RELAY_TERMINAL_PASSWORD .* at least 16 characters/],
  ],
  [
    "the sandbox's secret in production",
    { ...PRODUCTION, RELAY_TERMINAL_SECRET: "sandbox-terminal-secret" },
    [/RELAY_TERMINAL_SECRET .* everyone knows/],
  ],
  [
    "a demo partner in production",
    { ...PRODUCTION, RELAY_SANDBOX_API_KEY: "pk_live_sandbox_0000000000000000000000000000" },
    [/RELAY_SANDBOX_API_KEY .* has no demo partner/],
  ],
  ["a secret key that is too short", { RELAY_SECRET_KEY: "c2hvcnQ=" }, [KEY_COMPLAINT]],
  ["a secret key in another form", { RELAY_SECRET_KEY: "not a key of any form, whatever its length is" }, [KEY_COMPLAINT]],
  ["a secret key of one byte, repeated", { RELAY_SECRET_KEY: "00".repeat(32) }, [KEY_COMPLAINT]],
  [
    "a secret key that is a text",
    { RELAY_SECRET_KEY: Buffer.from("correct horse battery staple 123").toString("base64") },
    [KEY_COMPLAINT],
  ],
  ["a weak old secret key", { RELAY_SECRET_KEY_OLD: "ab".repeat(32) }, [/RELAY_SECRET_KEY_OLD has a value that is not allowed/]],
  ["an old secret key that is the present one", { RELAY_SECRET_KEY_OLD: SANDBOX_SECRET_KEY }, [/another key than RELAY_SECRET_KEY/]],
  ["production without a secret key", { ...PRODUCTION, RELAY_SECRET_KEY: "" }, [/RELAY_SECRET_KEY is not set: required in production/]],
  [
    "the sandbox's secret key in production",
    { ...PRODUCTION, RELAY_SECRET_KEY: SANDBOX_SECRET_KEY },
    [/RELAY_SECRET_KEY .* everyone knows/],
  ],
  [
    "everything that is wrong at once",
    { RELAY_PORT: "x", RELAY_SHARDS: "y", RELAY_MODE: "z" },
    [/RELAY_PORT/, /RELAY_SHARDS/, /RELAY_MODE/],
  ],
];

/** Values that no error may repeat. */
const SECRETS: Environment[] = [
  { RELAY_ADMIN_PASSWORD: "hunter2" },
  { RELAY_TERMINAL_SECRET: "hunter2" },
  { RELAY_TERMINAL_PASSWORD: "hunter2" },
  { RELAY_METRICS_TOKEN: "hunter2 hunter2" },
  { RELAY_SANDBOX_API_KEY: "hunter2" },
  { RELAY_SECRET_KEY: "hunter2" },
  { RELAY_SECRET_KEY_OLD: "hunter2" },
  { RELAY_CLICKHOUSE_URL: "tcp://relay:hunter2@ch:9000" },
  { RELAY_SMTP_URL: "smtp://relay:hunter2@mail.example/path" },
  { RELAY_PUBLIC_URL: "ftp://relay:hunter2@relay.example" },
  { RELAY_ADMIN_PASSWRD: "hunter2" },
  { RELAY_TERMINAL_SECERT: "hunter2" },
  { RELAY_TOKEN: "hunter2" },
];

describe("the configuration", () => {
  for (const [title, environment, told] of REFUSED) {
    it(`refuses ${title}, by name, with the value and what is allowed`, () => {
      const message = refusalOf(environment);
      for (const line of told) assert.match(message, line);
    });
  }

  it("never repeats what is or may be a secret", () => {
    for (const environment of SECRETS) {
      const message = refusalOf({ ...PRODUCTION, ...environment });
      for (const name of Object.keys(environment)) assert.ok(message.includes(name), message);
      assert.ok(!message.includes("hunter2"), message);
    }
  });

  it("is a whole sandbox on loopback when nothing is set", () => {
    const config = readConfig({});
    assert.equal(config.mode, "sandbox");
    assert.equal(config.host, "127.0.0.1");
    assert.equal(config.port, 8080);
    assert.ok(config.shards >= 1);
    assert.equal(config.sandboxApiKey, "pk_live_sandbox_0000000000000000000000000000");
    assert.deepEqual(config.administrator, { username: "admin", password: "admin", email: "admin@relay.example" });
    assert.deepEqual(config.fleet, { username: "terminal", password: "terminal" });
    assert.equal(config.timeZone, "Europe/Rome");
  });

  it("has nothing of the sandbox in production", () => {
    const config = readConfig(PRODUCTION);
    assert.equal(config.host, "0.0.0.0");
    assert.equal(config.zvtPort, null);
    assert.equal(config.sandboxApiKey, null);
    assert.equal(config.fleet, null);
    assert.deepEqual(config.administrator, { username: "admin", password: null, email: null });
    assert.equal(config.openTerminalLogs, false);
  });

  it("tells browsers to keep to TLS where clients of production come over it, whoever terminates it", () => {
    const own = { RELAY_TLS_CERT: "cert.pem", RELAY_TLS_KEY: "key.pem" };
    const cases: [environment: Environment, tlsOnly: boolean][] = [
      [{ ...PRODUCTION, ...own }, true],
      [{ ...PRODUCTION, RELAY_PUBLIC_URL: "HTTPS://relay.example" }, true],
      [{ ...PRODUCTION, RELAY_PUBLIC_URL: "http://relay.example" }, false],
      [PRODUCTION, false],
      [own, false],
      [{ RELAY_PUBLIC_URL: "https://localhost" }, false],
    ];
    for (const [environment, tlsOnly] of cases) assert.equal(isTlsOnly(readConfig(environment)), tlsOnly, JSON.stringify(environment));
  });

  it("keeps the portal's cookie for TLS in production, also behind a proxy whose address it does not know", () => {
    const own = { RELAY_TLS_CERT: "cert.pem", RELAY_TLS_KEY: "key.pem" };
    const cases: [environment: Environment, isSecure: boolean][] = [
      [PRODUCTION, true],
      [{ ...PRODUCTION, ...own }, true],
      [{ ...PRODUCTION, RELAY_PUBLIC_URL: "https://relay.example" }, true],
      [{ ...PRODUCTION, RELAY_PUBLIC_URL: "http://relay.example" }, false],
      [{}, false],
      [own, true],
      [{ RELAY_PUBLIC_URL: "https://localhost" }, true],
    ];
    for (const [environment, isSecure] of cases)
      assert.equal(isCookieSecure(readConfig(environment)), isSecure, JSON.stringify(environment));
  });

  it("takes a secret key in base64 and in hex as the same", () => {
    const base64 = readConfig({ ...PRODUCTION, RELAY_SECRET_KEY_OLD: SANDBOX_SECRET_KEY }).secretKeys;
    const hex = Buffer.from(PRODUCTION["RELAY_SECRET_KEY"] ?? "", "base64").toString("hex");
    assert.deepEqual(base64, { current: hex, old: SANDBOX_SECRET_KEY });
    assert.deepEqual(readConfig({ ...PRODUCTION, RELAY_SECRET_KEY: hex }).secretKeys, { current: hex, old: null });
  });

  it("requires TLS of a server for mail in production, unless it is on this machine or its URL says otherwise", () => {
    const from = { RELAY_MAIL_FROM: "Payments <no-reply@shop.example>" };
    const cases: [environment: Environment, url: string, secure: boolean, requireTls: boolean, port: number][] = [
      [PRODUCTION, "smtp://mail.example", false, true, 587],
      [PRODUCTION, "smtps://mail.example", true, true, 465],
      [PRODUCTION, "smtp://mail.example:2525/?tls=optional", false, false, 2525],
      [PRODUCTION, "smtp://127.0.0.1:25", false, false, 25],
      [PRODUCTION, "smtp://[::1]:25", false, false, 25],
      [{}, "smtp://mail.example", false, false, 587],
      [{}, "smtp://mail.example?tls=required", false, true, 587],
    ];
    for (const [environment, url, secure, requireTls, port] of cases) {
      const { smtp } = readConfig({ ...environment, ...from, RELAY_SMTP_URL: url });
      assert.deepEqual([smtp?.secure, smtp?.requireTls, smtp?.port], [secure, requireTls, port], url);
    }
    const { smtp } = readConfig({ ...from, RELAY_SMTP_URL: "smtp://re%40lay:p%40ss%3Aword@mail.example" });
    assert.deepEqual(smtp, {
      ...{ host: "mail.example", port: 587, secure: false, requireTls: false, from: from.RELAY_MAIL_FROM },
      login: { user: "re@lay", password: "p@ss:word" },
    });
    assert.equal(readConfig(PRODUCTION).smtp, null);
  });

  it("takes names that are not its own, blanks around values, and empty values as not set", () => {
    const config = readConfig({ PATH: "/bin", RELAY_PORT: " 9000 ", RELAY_SHARDS: "", RELAY_TRUSTED_PROXIES: "127.0.0.1, ::1/128" });
    assert.equal(config.port, 9000);
    assert.ok(config.shards >= 1);
    assert.deepEqual(config.trustedProxies, ["127.0.0.1/32", "::1/128"]);
  });
});

function refusalOf(environment: Environment): string {
  try {
    readConfig(environment);
  } catch (error) {
    assert.ok(error instanceof ConfigRefused);
    return error.message;
  }
  throw new assert.AssertionError({ message: `accepts ${JSON.stringify(environment)}` });
}
