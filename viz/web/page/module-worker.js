// Runs a module beside the page, so that the page stays alive while the module works, and can stop it. The worker's name
// is the module's file. It gets {id, request} or {id, request, files}, and posts {id, answer}, with {bytes} for an
// output's file, or {id, stopped}. background.js is its other side.
import { Module, Stopped } from './module.js';

let module, last = Promise.resolve();

/** Gives the module these files, in place of those it had. Returns the module's answer if it refuses one. */
async function take(files) {
  module.call({ do: 'forget' });
  for (const { name, file } of files) {
    const refused = module.call({ do: 'size', name, bytes: file.size });
    if (refused.error) return refused;
    const bytes = new Uint8Array(await file.arrayBuffer().catch(() => { throw new Error(`${name} cannot be read`); }));
    module.file(bytes.length).set(bytes);
    module.call({ do: 'file', name });
  }
  return null;
}

async function answer({ id, request, files }) {
  try {
    if (!module) {
      module = await Module.load(self.name);
      await module.start();
    }
    const given = (files && await take(files)) ?? module.call(request);
    const bytes = given.npy ? module.memory.slice(given.npy.at, given.npy.at + given.npy.bytes) : undefined;
    postMessage({ id, answer: given, bytes });
  } catch (problem) {
    postMessage(problem instanceof Stopped ? { id, stopped: problem.message } : { id, answer: { error: { message: problem.message } } });
  }
}

addEventListener('message', ({ data }) => { last = last.then(() => answer(data)); });
