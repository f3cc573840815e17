// A row's data-from lists the rows from which its operands come. A text line's data-p is its place in Python.
// Lights lines of the texts, and brings the first into sight in all but the one that the pointer is in.
function light(kernel, belongs, within) {
  for (const text of kernel.querySelectorAll('.two pre')) {
    let first = null;
    for (const line of text.children) {
      const on = belongs(line);
      line.classList.toggle('on', on);
      if (on && !first) first = line;
    }
    if (first && text !== within) text.scrollTop = first.offsetTop - text.offsetTop - text.clientHeight / 3;
  }
}
for (const kernel of document.querySelectorAll('.kernel')) {
  const rows = Array.from(kernel.querySelectorAll('tr.op')), side = kernel.querySelector('.side');
  const from = rows.map(r => r.dataset.from.split(' ').filter(Boolean).map(Number));
  let pinned = -1;
  function show(i) {
    rows.forEach((r, k) => {
      r.classList.toggle('on', k === i);
      r.classList.toggle('from', !!rows[i] && from[i].includes(k));
      r.classList.toggle('to', i >= 0 && from[k].includes(i));
    });
    if (!rows[i]) return;
    side.querySelector('.words').innerHTML = rows[i].querySelector('template').innerHTML;
    const wanted = new Set(rows[i].dataset.pics.split(' ').filter(Boolean));
    for (const pic of document.querySelectorAll('.pic')) pic.classList.toggle('on', false);
    for (const id of wanted) {
      const pic = document.getElementById(id);
      side.appendChild(pic);
      pic.classList.add('on');
    }
    light(kernel, line => line.dataset.n === rows[i].dataset.line, null);
  }
  rows.forEach((r, i) => {
    r.addEventListener('mouseenter', () => { if (pinned < 0) show(i); });
    r.addEventListener('click', () => { pinned = pinned === i ? -1 : i; show(i); });
    r.addEventListener('focus', () => show(i));
    r.tabIndex = 0;
  });
  document.addEventListener('keydown', e => { if (e.key === 'Escape') { pinned = -1; show(-1); } });
  for (const text of kernel.querySelectorAll('.two pre'))
    text.addEventListener('mouseover', e => {
      const { n, p } = (e.target.closest('.l') || text).dataset;
      if (n || p) light(kernel, line => n ? line.dataset.n === n : line.dataset.p === p, text);
    });
  show(Number(kernel.dataset.first));
}
