import { chromium } from "playwright-core";
import { execFileSync } from "node:child_process";
const base = process.argv[2] ?? "http://localhost:18091";
const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox", "--disable-dev-shm-usage"] });
const page = await browser.newPage();
page.on("console", (m) => ["error", "warning"].includes(m.type()) && console.log("console:", m.text()));
page.on("pageerror", (e) => console.log("pageerror", e.message));
await page.setViewportSize({ width: 1280, height: 860 });
await page.goto(`${base}/portal`);
await page.getByLabel("E-mail", { exact: false }).first().fill("owner@shop-001.example");
await page.locator("input[autocomplete=current-password]").fill("terminal-relay-sandbox");
await page.keyboard.press("Enter");
await page.waitForSelector("input[autocomplete=one-time-code]", { timeout: 60000 });
const code = execFileSync("npm", ["run", "-s", "portal-code"], { cwd: "/tmp/wt/sandbox", stdio: ["ignore", "pipe", "ignore"] }).toString().trim();
await page.locator("input[autocomplete=one-time-code]").fill(code);
await page.keyboard.press("Enter");
await page.waitForSelector("nav.nav", { timeout: 60000 });
const paths: [string, string][] = [["overview", "/portal?day=2026-11-25"], ["overview-today", "/portal"], ["transactions", "/portal/transactions"], ["terminals", "/portal/terminals"], ["audit", "/portal/audit"], ["users", "/portal/users"], ["settings", "/portal/settings"]];
const only = process.argv[3]?.split(",");
for (const [width, height] of [[1280, 860], [360, 780]] as const) for (const theme of ["light", "dark"] as const) {
  if (only?.includes("quick") && theme === "dark") continue;
  await page.setViewportSize({ width, height });
  await page.emulateMedia({ colorScheme: theme });
  for (const [name, path] of paths) {
    await page.goto(base + path);
    await page.waitForSelector("h1", { timeout: 60000 });
    await page.waitForTimeout(2500);
    await page.screenshot({ path: `/tmp/shots2/${name}-${theme}-${width}.png`, fullPage: true });
    if (name === "transactions") {
      await page.locator(".row-button").first().click();
      await page.waitForTimeout(2000);
      await page.screenshot({ path: `/tmp/shots2/${name}-drawer-${theme}-${width}.png` });
    }
  }
}
await browser.close();
