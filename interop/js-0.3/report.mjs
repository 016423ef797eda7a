/** Prints one line per check and counts; a check fails by throwing. */
export class Report {
  passed = 0;
  failed = 0;

  /** Runs one check within its time. */
  async check(title, run, seconds = 15) {
    try {
      await within(run(), seconds);
      this.passed += 1;
      console.log(`ok      ${title}`);
    } catch (thrown) {
      this.failed += 1;
      console.log(
        `not ok  ${title}: ${thrown?.stack?.split("\n").slice(0, 3).join(" | ") ?? thrown}`,
      );
    }
  }

  close() {
    console.log(`${this.passed} passed, ${this.failed} failed`);
    process.exitCode = this.failed > 0 ? 1 : 0;
  }
}

async function within(promise, seconds) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no result in ${seconds} s`)), seconds * 1000);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
