const items = Array.from(document.querySelectorAll('li')), slider = document.querySelector('input');
let current = items.length - 1;
function show(number) {
  current = Math.max(0, Math.min(items.length - 1, number));
  const step = steps[current];
  document.querySelectorAll('.now').forEach(each => each.classList.remove('now'));
  for (const row of [items[current], document.getElementById('p' + step.ptx), document.getElementById('s' + step.source)]) {
    if (!row) continue;
    row.classList.add('now');
    const box = row.parentElement;
    box.scrollTop = row.offsetTop - box.offsetTop - box.clientHeight / 2;
  }
  document.getElementById('at').textContent =
    `step ${current + 1} of ${items.length}: ${step.warp}, moment ${step.moment}, cycle ${step.cycle}`;
  document.getElementById('warps').textContent = step.warps;
  document.getElementById('memory').textContent = step.memory || 'no barriers, nothing in flight';
  slider.value = current;
}
items.forEach((item, number) => item.addEventListener('click', () => show(number)));
slider.addEventListener('input', () => show(Number(slider.value)));
document.getElementById('back').addEventListener('click', () => show(current - 1));
document.getElementById('on').addEventListener('click', () => show(current + 1));
document.addEventListener('keydown', event => {
  if (event.target === slider || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === 'ArrowLeft') show(current - 1);
  if (event.key === 'ArrowRight') show(current + 1);
});
show(current);
