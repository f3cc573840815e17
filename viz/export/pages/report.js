// Sorts by the cells' data-by where they have it, else by their text.
const body = document.querySelector('tbody'), heads = Array.from(document.querySelectorAll('th'));
const keyOf = (row, column) => row.cells[column].dataset.by ?? row.cells[column].textContent;
heads.forEach((head, column) => head.querySelector('button').addEventListener('click', () => {
  const down = head.getAttribute('aria-sort') === 'ascending';
  heads.forEach(other => other.removeAttribute('aria-sort'));
  head.setAttribute('aria-sort', down ? 'descending' : 'ascending');
  const rows = Array.from(body.rows);
  rows.sort((a, b) => keyOf(a, column).localeCompare(keyOf(b, column), 'en', {numeric: true}) * (down ? -1 : 1));
  body.append(...rows);
}));
document.querySelector('input').addEventListener('input', event => {
  const words = event.target.value.toLowerCase();
  for (const row of body.rows) row.hidden = !row.textContent.toLowerCase().includes(words);
});
