// Loads the WebAssembly module and passes JSON to it. The module has a few system calls of WASI (preview 1). Here they
// have a clock, but no files and no random numbers; text that the module writes goes to the browser's console.

const kNotSupported = 52; // WASI's ENOSYS
const kBadFile = 8; // WASI's EBADF

/** The module stopped in the middle of a request. Its memory is not used again: start() makes a new one. */
export class Stopped extends Error {}

export class Module {
  /** Compiles the module. Errors: the file is missing, or the browser has no WebAssembly. */
  static async load(url) {
    const answer = await fetch(url);
    if (!answer.ok) throw new Error(`${url} is missing (${answer.status})`);
    // Browsers compile while they read, and keep the result, if the server names the file's type. Some do not.
    const named = answer.headers.get('Content-Type')?.split(';')[0].trim() === 'application/wasm';
    return new Module(named ? await WebAssembly.compileStreaming(answer) : await WebAssembly.compile(await answer.arrayBuffer()));
  }

  constructor(compiled) {
    this.compiled = compiled;
    this.said = '';
  }

  /** Makes a new memory, in which no request has been made. */
  async start() {
    const wasi = {
      fd_write: (file, list, count, written) => this.write(list, count, written),
      proc_exit: code => { throw new Stopped(this.said || `the module ended with ${code}`); },
      fd_fdstat_get: () => kBadFile,
      fd_prestat_get: () => kBadFile,
      clock_time_get: (clock, precision, time) => {
        new DataView(this.memory).setBigUint64(time, BigInt(Math.round((performance.timeOrigin + performance.now()) * 1e6)), true);
        return 0;
      },
    };
    const imports = {};
    for (const { module, name } of WebAssembly.Module.imports(this.compiled)) {
      imports[module] ??= {};
      imports[module][name] = (module === 'wasi_snapshot_preview1' && wasi[name]) || (() => kNotSupported);
    }
    this.instance = await WebAssembly.instantiate(this.compiled, imports);
    this.instance.exports._initialize();
  }

  get memory() { return this.instance.exports.memory.buffer; }

  /** The module's memory for a file of so many bytes, which its next request `open` reads. */
  file(bytes) {
    const at = this.guarded(() => this.instance.exports.lanescope_file(bytes)); // the memory may be another one afterwards
    return new Uint8Array(this.memory, at, bytes);
  }

  write(list, count, written) {
    const view = new DataView(this.memory);
    let bytes = 0;
    for (let i = 0; i < count; i++) {
      const at = view.getUint32(list + 8 * i, true), length = view.getUint32(list + 8 * i + 4, true);
      this.said += new TextDecoder().decode(new Uint8Array(this.memory, at, length));
      bytes += length;
    }
    this.said = this.said.slice(-2000);
    view.setUint32(written, bytes, true);
    return 0;
  }

  /** Answers a request. Throws Stopped if the module cannot go on, for example because it has no memory left. */
  call(request) {
    const { lanescope_take: take, lanescope_call: ask, lanescope_size: size } = this.instance.exports;
    return this.guarded(() => {
      const bytes = new TextEncoder().encode(JSON.stringify(request));
      const at = take(bytes.length);
      if (!at) throw new Stopped('the browser gives the page no more memory');
      new Uint8Array(this.memory, at, bytes.length).set(bytes);
      const answer = ask(at, bytes.length);
      return JSON.parse(new TextDecoder().decode(new Uint8Array(this.memory, answer, size())));
    });
  }

  guarded(act) {
    try {
      return act();
    } catch (problem) {
      if (problem instanceof WebAssembly.RuntimeError || problem instanceof RangeError)
        throw new Stopped(this.said.trim() || problem.message);
      throw problem;
    }
  }
}
