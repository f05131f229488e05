// The page that a buyer sees while the bank's answer is missing. It asks every two seconds, and lets the buyer go after half a minute.
const POLL_MS = 2_000;
const WAIT_MS = 30_000;

const state = document.getElementById("state");
const progress = document.getElementById("progress");
const back = document.getElementById("back");
const startedMs = performance.now();

async function isDecided() {
  try {
    const response = await fetch(`${location.pathname}/state`, { cache: "no-store" });
    return response.ok && (await response.json()).decided === true;
  } catch {
    // Without a network the buyer waits as without an answer.
    return false;
  }
}

async function look() {
  // The same address then leads to the shop.
  if (await isDecided()) location.replace(location.pathname);
  else if (performance.now() - startedMs < WAIT_MS) setTimeout(look, POLL_MS);
  else giveUp();
}

function giveUp() {
  state.textContent = state.dataset.late;
  progress.hidden = true;
  if (back !== null) {
    back.hidden = false;
    back.querySelector("a").focus();
  }
}

setTimeout(look, POLL_MS);
