// The page's state in the fragment of its address: `#1=` and the state as JSON, compressed (deflate) and written in
// base64 with the letters of URLs (RFC 4648, section 5). 1 is the version of this form; a later version gets another
// number, and this one stays readable.

const kVersion = '1';
const kMostBytes = 1 << 20; // the largest state; the text of a layout has at most 64 KiB

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

/** The fragment for a state, with its `#`. */
export async function fragmentOf(state) {
  const stream = new Blob([JSON.stringify(state)]).stream().pipeThrough(new CompressionStream('deflate-raw'));
  let letters = '';
  for (const byte of await bytesOf(stream)) letters += String.fromCharCode(byte);
  return `#${kVersion}=${btoa(letters).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')}`;
}

/** The state in a fragment; null if the fragment is empty. Throws an Error that says why a link cannot be read. */
export async function stateOf(fragment) {
  if (fragment === '' || fragment === '#') return null;
  const match = /^#(\d+)=([A-Za-z0-9_-]+)$/.exec(fragment);
  if (!match) throw new Error('it is cut off, or something was added to it');
  if (match[1] !== kVersion) throw new Error(`it is of version ${match[1]}, and this page reads version ${kVersion}`);
  let state;
  try {
    const letters = atob(match[2].replaceAll('-', '+').replaceAll('_', '/'));
    const bytes = Uint8Array.from(letters, letter => letter.charCodeAt(0));
    const text = await bytesOf(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw')));
    state = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(text));
  } catch (problem) {
    throw new Error(problem.message === 'it is too long' ? problem.message : 'it is damaged');
  }
  if (state === null || typeof state !== 'object' || Array.isArray(state)) throw new Error('it is damaged');
  return state;
}
