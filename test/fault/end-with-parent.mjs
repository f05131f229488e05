// Loaded into each node process that a fault test starts: its standard input is a pipe that the test holds, and ends with it, whatever
// becomes of the test. JavaScript, because it is loaded by --import beside tsx.
process.stdin.once("end", () => process.kill(process.pid, "SIGKILL"));
process.stdin.once("error", () => process.kill(process.pid, "SIGKILL"));
process.stdin.resume();
process.stdin.unref?.();
