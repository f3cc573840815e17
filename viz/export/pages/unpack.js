// Restores the text that viz/export/LinePacking.h has packed.
function unpackedLines(form) {
  const lines = form.split('\n'), out = [];
  let next = 2;
  const kinds = JSON.parse(lines[0]).map(pieces => ({ pieces, row: 0,
    columns: pieces.slice(1).map(() => ({ steps: lines[next++].split(','), sum: 0 })) }));
  for (const kind of lines[1].split(',').map(k => kinds[k])) {
    let line = kind.pieces[0];
    kind.columns.forEach((column, i) => {
      column.sum += Number(column.steps[kind.row]);
      line += column.sum + kind.pieces[i + 1];
    });
    ++kind.row;
    out.push(line);
  }
  return out.join('\n');
}

// The page keeps its content compressed in the element `packed` (viz/export/PackedPage.h).
async function unpacked() {
  const bytes = Uint8Array.from(atob(document.getElementById('packed').textContent), c => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
  return unpackedLines(await new Response(stream).text());
}

const packed = document.querySelector('lanescope-layout');
try {
  packed.innerHTML = await unpacked();
} catch {
  packed.replaceWith('This browser is too old to unpack the pictures.');
}
