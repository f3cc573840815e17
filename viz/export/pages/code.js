// The attribute `data-from` of a line lists the snippet's lines that it comes from. Pointing at a line highlights all
// lines that share one of them.
const tabs = [...document.querySelectorAll('nav button')], pages = [...document.querySelectorAll('pre')];
function show(n) {
  tabs.forEach((tab, i) => tab.setAttribute('aria-selected', i == n));
  pages.forEach((page, i) => page.classList.toggle('shown', i == n));
}
tabs.forEach((tab, i) => tab.addEventListener('click', () => show(i)));
const byLine = new Map();
for (const line of document.querySelectorAll('pre div[data-from]'))
  for (const from of line.dataset.from.split(' '))
    byLine.set(from, [...(byLine.get(from) || []), line]);
let lit = [];
document.addEventListener('mouseover', event => {
  const line = event.target.closest && event.target.closest('pre div[data-from]');
  if (!line) return;
  lit.forEach(each => each.classList.remove('lit'));
  lit = line.dataset.from.split(' ').flatMap(from => byLine.get(from));
  lit.forEach(each => each.classList.add('lit'));
});
show(0);
