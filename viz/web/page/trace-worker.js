// Runs the traces' module beside the page, so that the page stays alive while a large trace is read, and can stop it.
// It gets {id, request} or {id, request, file}, and posts {id, answer} with {bytes, text} of the file, {id, stopped} or {reading}.
import { Module, Stopped } from './module.js';

const kMostBytes = 1 << 30; // the largest trace, expanded; the program has the same limit
const kLinkedBytes = 1 << 19; // a trace of so many bytes may be in a link
const kReportedBytes = 8 << 20;

let module, last = Promise.resolve();

/** Puts the expanded bytes of a file into the module's memory. Returns their number, and the text if that is short. */
async function take(file) {
  const start = new Uint8Array(await file.slice(0, 2).arrayBuffer());
  const packed = start[0] === 0x1f && start[1] === 0x8b;
  const stream = packed ? file.stream().pipeThrough(new DecompressionStream('gzip')) : file.stream();
  const parts = [], reader = stream.getReader();
  let size = 0, reported = 0;
  for (;;) {
    let part;
    try {
      part = await reader.read();
    } catch {
      throw new Error(packed ? `${file.name} is a damaged or cut off gzip file` : `${file.name} cannot be read`);
    }
    if (part.done) break;
    parts.push(part.value);
    size += part.value.length;
    if (size > kMostBytes) {
      await reader.cancel();
      throw new Error(`${file.name} has more than the 1024 MiB that a trace may have`);
    }
    if (size - reported >= kReportedBytes) postMessage({ reading: reported = size });
  }
  const text = size <= kLinkedBytes ? await new Blob(parts).text() : null;
  const memory = module.file(size);
  let at = 0;
  for (const part of parts) memory.set(part, at), at += part.length;
  return { bytes: size, text };
}

/** Replaces the places of fills in a frame by copies of the fills. */
function withFills(frame, moved) {
  const copy = place => {
    const fills = module.memory.slice(place.at, place.at + place.count * 20);
    moved.push(fills);
    return fills;
  };
  for (const name of ['bars', 'ghosts', 'headings']) frame[name] = copy(frame[name]);
  for (const name of ['overlap', 'occupancy', 'overview']) if (frame[name]) frame[name].fills = copy(frame[name].fills);
}

async function answer({ id, request, file }) {
  try {
    if (!module) {
      module = await Module.load('traces.wasm');
      await module.start();
    }
    const { bytes, text } = file ? await take(file) : {};
    if (file) postMessage({ reading: null }); // all bytes are there
    const given = module.call(request), moved = [];
    if (given.frame) withFills(given.frame, moved);
    postMessage({ id, answer: given, bytes, text }, moved);
  } catch (problem) {
    postMessage(problem instanceof Stopped ? { id, stopped: problem.message } : { id, answer: { error: { message: problem.message } } });
  }
}

addEventListener('message', ({ data }) => { last = last.then(() => answer(data)); });
