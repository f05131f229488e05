/** Uploads a package of 500 MB and downloads it 50 times in parallel, again and again, until its standard input ends. Started by bench/packages.ts. */
import { download, uploadLarge } from "./package-transfers.ts";

const MEBIBYTES = 500;
const DOWNLOADS = 50;

const [url = "", versionId = "", apkUrl = ""] = process.argv.slice(2);
process.stdin.on("end", () => process.exit(0)).resume();

async function downloads(): Promise<void> {
  // Gone when an upload has put another package in its place: then the next round asks for that.
  for (;;) await download(apkUrl, {}, Number.POSITIVE_INFINITY).catch(() => {});
}

async function uploads(): Promise<void> {
  for (;;) await uploadLarge(url, Number(versionId), MEBIBYTES);
}

console.log("running");
await Promise.all([uploads(), ...Array.from({ length: DOWNLOADS }, downloads)]);
