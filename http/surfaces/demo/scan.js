// A till's page. It shows the sandbox's key to everyone; a till of one's own calls a proxy that adds the key.
const { key, terminal } = document.body.dataset;
const element = (id) => document.getElementById(id);
const [scan, cancel, state, scanned] = ["scan", "cancel", "state", "scanned"].map(element);

const scanner = window.RelayScan.createScanner({
  baseUrl: location.origin,
  terminalId: terminal,
  apiKey: key,
  timeoutSeconds: 60,
  pollMs: 1_000,
});
scanner.on("sent", () => {
  state.textContent = "Hold the code in front of the terminal.";
});
scanner.on("waiting", ({ state: life }) => {
  if (life === "queued") state.textContent = "Waiting for the terminal.";
});

scan.addEventListener("click", async () => {
  [scan.disabled, cancel.disabled] = [true, false];
  state.textContent = "Sending…";
  try {
    const { value, format } = await scanner.scan();
    const line = document.createElement("li");
    line.textContent = format === null ? value : `${value} (${format})`;
    scanned.prepend(line);
    state.textContent = "Scanned.";
  } catch (error) {
    state.textContent = error.message;
  }
  [scan.disabled, cancel.disabled] = [false, true];
});
cancel.addEventListener("click", () => scanner.cancel());
