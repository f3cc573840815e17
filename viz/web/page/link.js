// The page's state in the fragment of its address: `#1=` and the state as JSON, compressed (deflate) and written in
// base64 with the letters of URLs (RFC 4648, section 5). 1 is the version of this form; a later version gets another
// number, and this one stays readable.

const kVersion = '1';
const kMostBytes = 1 << 20; // the largest state; the text of a layout has at most 64 KiB
const kMostFiles = 256; // of a kernel; viz/host/LinkedFiles.cpp has the same

/** Reads all of a stream, but no more than kMostBytes: a short link must not fill the memory. */
async function bytesOf(stream) {
  const parts = [], reader = stream.getReader();
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    parts.push(value);
    size += value.length;
    if (size > kMostBytes) {
      await reader.cancel();
      throw new Error('it is too long');
    }
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

const lettersOf = bytes => {
  let letters = '';
  for (const byte of bytes) letters += String.fromCharCode(byte);
  return btoa(letters).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
};
const bytesOfLetters = text => Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), letter => letter.charCodeAt(0));

/** The files of a link as {name, file}. They are written as viz/host/LinkedFiles.h says. */
export function filesOf(list) {
  if (!Array.isArray(list) || !list.length || list.length > kMostFiles) throw new Error('it has no files');
  return list.map(({ name, text, base64 }) => {
    if (typeof name !== 'string' || !name || typeof (text ?? base64) !== 'string') throw new Error('a file in it is damaged');
    return { name, file: new Blob([text ?? bytesOfLetters(base64)]) };
  });
}

/** The fragment for a state, with its `#`. */
export async function fragmentOf(state) {
  const stream = new Blob([JSON.stringify(state)]).stream().pipeThrough(new CompressionStream('deflate-raw'));
  return `#${kVersion}=${lettersOf(await bytesOf(stream))}`;
}

/** The state in a fragment; null if the fragment is empty. Throws an Error that says why a link cannot be read. */
export async function stateOf(fragment) {
  if (fragment === '' || fragment === '#') return null;
  const match = /^#(\d+)=([A-Za-z0-9_-]+)$/.exec(fragment);
  if (!match) throw new Error('it is cut off, or something was added to it');
  if (match[1] !== kVersion) throw new Error(`it is of version ${match[1]}, and this page reads version ${kVersion}`);
  let state;
  try {
    const text = await bytesOf(new Blob([bytesOfLetters(match[2])]).stream().pipeThrough(new DecompressionStream('deflate-raw')));
    state = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(text));
  } catch (problem) {
    throw new Error(problem.message === 'it is too long' ? problem.message : 'it is damaged');
  }
  if (state === null || typeof state !== 'object' || Array.isArray(state)) throw new Error('it is damaged');
  return state;
}
