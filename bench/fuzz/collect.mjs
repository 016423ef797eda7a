// Loaded into the gateway that is fuzzed: collects all garbage when it is asked to, and tells what was left. Twice, since
// what is kept by finalizers goes the second time.
process.on("message", () => {
  globalThis.gc();
  globalThis.gc();
  process.send(process.memoryUsage());
});
// A gateway that has stopped ends, whether or not it might be asked again.
process.channel.unref();
