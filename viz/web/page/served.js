// The files that `lanescope serve` was given. A page from another server has none.

const kLookMs = 1000; // between two looks at whether a file was saved
const served = new URLSearchParams(location.search).has('files');

/** The files of one kind, "trace" or "layout": {name, address, kind, stamp}. */
export async function servedFiles(kind) {
  if (!served) return [];
  for (const link of document.querySelectorAll('nav a')) link.search = '?files';
  return (await fetchedList()).filter(file => file.kind === kind);
}

async function fetchedList() {
  const answer = await fetch('files.json');
  if (!answer.ok) throw new Error(await answer.text());
  return answer.json();
}

/** Calls `changed` with a file each time that it was saved. `gone` is told when the server does not answer any more. */
export function watchFiles(files, changed, gone) {
  const stamps = new Map(files.map(file => [file.address, file.stamp]));
  const look = async () => {
    try {
      for (const file of document.hidden ? [] : await fetchedList()) {
        if (!stamps.has(file.address) || !file.stamp || stamps.get(file.address) === file.stamp) continue;
        stamps.set(file.address, file.stamp);
        await changed(file);
      }
    } catch {
      return gone();
    }
    setTimeout(look, kLookMs);
  };
  if (files.length) setTimeout(look, kLookMs);
}
