// A module in a worker (module-worker.js): requests, and a stop that ends them.

const kPatienceMs = 200; // after this time, the page says what it waits for

export class Background {
  /** `module`: the file. `wait(text)` shows what the page waits for, and hides it again for null; `broken(message)` says that the browser loads no worker. */
  constructor(module, wait, broken) {
    Object.assign(this, { module, wait, broken, next: 0, answers: new Map() });
  }

  /** Starts the module, or starts it again. Requests without an answer fail with the cause: 'user', or 'replaced' by other files. */
  start(cause = 'user') {
    this.worker?.terminate();
    for (const { reject } of this.answers.values()) reject(new Error('stopped by the user', { cause }));
    this.answers = new Map();
    this.worker = new Worker('module-worker.js', { type: 'module', name: this.module });
    this.worker.onmessage = ({ data }) => {
      const { resolve, reject } = this.answers.get(data.id) ?? {};
      this.answers.delete(data.id);
      if (data.stopped !== undefined) reject?.(new Error(data.stopped, { cause: 'stopped' }));
      else resolve?.(data);
    };
    this.worker.onerror = event => {
      event.preventDefault();
      this.broken(event.message || 'the browser does not load its worker');
    };
  }

  /** The module's answer. While it takes long, `doing` says what happens. `files`: {name, file}, in place of those that the module has. */
  async request(asked, doing, files) {
    const timer = setTimeout(() => this.wait(doing), kPatienceMs);
    try {
      return await new Promise((resolve, reject) => {
        this.answers.set(this.next, { resolve, reject });
        this.worker.postMessage({ id: this.next++, request: asked, files });
      });
    } finally {
      clearTimeout(timer);
      this.wait(null);
    }
  }
}

/** What to say after the module has stopped by itself. */
export function stopWords(problem, work, program) {
  return `The program in the page stopped: ${/memory|alloc|unreachable/.test(problem.message) ? `the browser gives the page no memory for this ${work}` : problem.message}. The program \`${program}\` has no such limit.`;
}
