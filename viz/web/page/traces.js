// The page with traces: fields, words and the canvas around the module's answers. The module runs in a worker. This file
// knows nothing about traces: it shows what the module says, and asks it again when the user changes something.
import { fragmentOf, stateOf } from './link.js';
import { copied, element, saveFile, sentence } from './elements.js';
import { css, packed } from './picture.js';
import { servedFiles, watchFiles } from './served.js';
import { TimelinePainter } from './timeline.js';

const kPauseMs = 400; // the pause after which the address has the new state; browsers limit how often it may change
const kLongestLink = 1 << 16; // letters; a longer link holds no trace
const kLargeBytes = 32 << 20; // if a larger file is refused, its memory is given back
const kSample = /^(traces\/[\w.-]+|files\/\d+)$/; // files of the site, or those that `lanescope serve` was given
const $ = id => document.getElementById(id);
const dark = matchMedia('(prefers-color-scheme: dark)'), narrow = matchMedia('(max-width: 900px)');

let samples = [], files = [], opened = []; // the open trace is the last one, and the one before is compared with it: {name, file, text, sample}
let facts = null, panel = null, look = null, waiting = null; // waiting: the view of a link whose trace the user has to open
const canvas = $('timeline'), painter = new TimelinePainter(canvas);

function say(text, bad = false) {
  $('said').replaceChildren(...sentence(text).childNodes);
  $('said').classList.toggle('bad', bad);
}
function stopped(text) {
  $('stopped').textContent = text;
  $('stopped').hidden = !text;
}

// --- the worker ---

let worker, next = 0, answers = new Map();

function start() {
  worker?.terminate();
  for (const { reject } of answers.values()) reject(new Error('stopped'));
  answers = new Map();
  facts = panel = null;
  worker = new Worker('trace-worker.js', { type: 'module' });
  worker.onmessage = ({ data }) => {
    if (data.reading !== undefined) {
      $('reading').firstElementChild.textContent = data.reading === null ? 'Making the timeline…' : `Reading: ${Math.round(data.reading / 2 ** 20)} MiB so far`;
      return;
    }
    const { resolve, reject } = answers.get(data.id) ?? {};
    answers.delete(data.id);
    if (data.stopped !== undefined) reject?.(new Error(data.stopped, { cause: 'stopped' }));
    else resolve?.(data);
  };
  worker.onerror = event => {
    event.preventDefault();
    stopped(`This page cannot start: ${event.message || 'the browser does not load its worker'}. It needs Chromium 80, Firefox 114, Safari 16.4 or a later one.`);
  };
}

function request(asked, file) {
  return new Promise((resolve, reject) => {
    answers.set(next, { resolve, reject });
    worker.postMessage({ id: next++, request: asked, file });
  });
}

/** The module's answer; null after an error, which is told to the user. */
async function ask(asked) {
  let given;
  try {
    given = (await request(asked)).answer;
  } catch (problem) {
    if (problem.cause === 'stopped') await recover(problem);
    return null;
  }
  if (given.error) {
    say(given.error.message, true);
    return null;
  }
  return given;
}

/** After the module has stopped, opens the traces again. */
let recovered = -Infinity;
async function recover(problem) {
  const again = performance.now() - recovered > 10_000 ? opened : [];
  recovered = performance.now();
  start();
  showTrace();
  await reopen(again);
  stopped(`The program in the page stopped: ${problem.message}. It was started again${again.length ? ', and the trace was opened again' : ''}.`);
}

// --- opening ---

/** Opens a trace. The one that was open before can be compared with it. */
async function open(given) {
  say('');
  stopped('');
  $('reading').firstElementChild.textContent = `Reading ${given.name}…`;
  $('reading').hidden = false;
  let data;
  try {
    data = await request({ do: 'open', name: given.name }, given.file);
  } catch (problem) {
    if (problem.cause !== 'stopped') return false; // the user did
    const before = opened;
    start();
    showTrace();
    await reopen(before);
    stopped(`${given.name} could not be opened: ${/memory|alloc|unreachable/.test(problem.message) ? 'the browser gives the page no memory for it' : problem.message}. The program \`lanescope trace\` reads larger files.`);
    return false;
  } finally {
    $('reading').hidden = true;
  }
  if (data.answer.error) {
    const { message, line, column } = data.answer.error;
    // The module's memory does not shrink, so it starts again without a large file.
    if (data.bytes >= kLargeBytes) await startAgain();
    stopped(`${given.name} is not opened: ${message}${line ? ` (line ${line}, column ${column})` : ''}.`);
    return false;
  }
  opened = [...opened.slice(-1), { ...given, text: data.text }];
  facts = data.answer.trace;
  const state = waiting;
  waiting = null;
  if (state) await ask({ do: 'load', state });
  showTrace();
  await refresh();
  remember();
  return true;
}

/** Starts the module again, and opens the traces that are shown. */
async function startAgain() {
  const before = opened, view = facts && await ask({ do: 'share' });
  start();
  showTrace();
  opened = [];
  for (const [n, trace] of before.entries()) {
    if (n === before.length - 1) waiting = view;
    await open(trace);
  }
}

async function reopen(list) {
  opened = [];
  for (const given of list) await open(given);
}

/** Opens a file of the server. */
async function openSample(address) {
  const name = files.find(file => file.address === address)?.name ?? address.slice(address.lastIndexOf('/') + 1);
  try {
    const answer = await fetch(address);
    if (!answer.ok) throw new Error(String(answer.status));
    return await open({ name, sample: address, file: new File([await answer.blob()], name) });
  } catch (problem) {
    say(`${name} cannot be loaded: ${problem.message}`, true);
    return false;
  }
}

/** Opens a served file again after it was saved. The view stays, and the trace can be compared with the one before. */
async function openAgain(file) {
  if (opened.at(-1)?.sample !== file.address) return;
  waiting = await ask({ do: 'share' });
  if (await openSample(file.address)) say(`${file.name} was saved, and is opened again.`);
}

function openFile(file) {
  if (file) open({ name: file.name, file });
}

// --- drawing ---

function lookNow() {
  const style = getComputedStyle(document.documentElement), value = name => style.getPropertyValue(name).trim();
  return { scale: devicePixelRatio || 1, words: value('--words'), ground: value('--ground'), panel: value('--panel'), ink: value('--ink'),
           faint: value('--faint'), rule: value('--rule'), edge: value('--edge'), accent: value('--accent'), warning: value('--warning'),
           lit: value('--lit'), chosen: value('--accent') };
}

let drawing = false, stale = false;
/** Draws in the next frame of the browser. While the module makes a frame, a later one waits. */
function later() {
  if (drawing) {
    stale = true;
    return;
  }
  drawing = true;
  requestAnimationFrame(async () => {
    await draw();
    drawing = false;
    if (stale) stale = false, later();
  });
}

async function draw() {
  if (!facts || canvas.hidden || !canvas.clientWidth) return;
  const { scale } = look, width = Math.floor(canvas.clientWidth * scale), height = Math.floor(canvas.clientHeight * scale);
  const shows = panel?.shows ?? { overlap: true };
  const size = painter.layOut(width, height, [facts.overview && 56, shows.overlap && 42, shows.occupancy && 42], look);
  const began = performance.now();
  const given = await ask({ do: 'frame', ...size, scale, style: { ground: packed(look.ground), ink: packed(look.ink), accent: packed(look.accent), rule: packed(look.rule), dark: dark.matches } });
  if (!given?.frame || canvas.width !== width) return;
  painter.paint(given.frame, size);
  canvas.dataset.drawn = String(Number(canvas.dataset.drawn ?? 0) + 1);
  canvas.dataset.frameMs = (performance.now() - began).toFixed(1);
  // The places of some bars in the canvas, for scripts that drive the page.
  canvas.dataset.labels = JSON.stringify(given.frame.labels.slice(0, 40).map(([x0, x1, y0, y1, name]) => [(painter.left + (x0 + x1) / 2) / scale, (painter.top + (y0 + y1) / 2) / scale, name]));
}

/** Asks for the words beside the timeline. While the module works on a large trace, asks again. */
async function refresh() {
  const given = await ask({ do: 'panel' });
  if (!given) return;
  showPanel(given.panel);
  later();
  if (given.panel?.busy) setTimeout(refresh);
}

async function go(to, more = {}) {
  const given = await ask({ do: 'go', to, ...more });
  if (!given) return;
  showPanel(given.panel);
  later();
  remember();
}

async function set(fields) {
  const given = await ask({ do: 'set', fields });
  if (!given) return;
  showPanel(given.panel);
  later();
  if (given.panel.busy) refresh();
  remember();
}

// --- words ---

function swatch(colour) {
  const made = element('span', { class: 'swatch', 'aria-hidden': 'true' });
  made.style.setProperty('--fill', css(colour));
  return made;
}

function legend(list, entries) {
  list.replaceChildren(...entries.map(entry => element('li', {}, swatch(entry.colour), element('span', {}, entry.words))));
}

function showTrace() {
  const some = facts && !facts.empty;
  for (const id of ['bar', 'aside', 'timeline']) $(id).hidden = !some;
  $('empty').hidden = some;
  $('title').textContent = facts?.title ?? '';
  document.title = facts ? `${facts.title} · Lanescope` : 'Lanescope: traces';
  if (facts?.empty) stopped('This trace has no slices.');
  if (!some) return;
  canvas.setAttribute('aria-label', `${facts.title}: ${facts.slices} slices on ${facts.tracks} tracks, ${facts.length}. Arrow keys select a slice.`);
  $('compare').hidden = !facts.previous;
  $('compare').title = `with the trace before, ${facts.previous} (C)`;
  $('collapse').hidden = $('expand').hidden = facts.groups < 2;
  $('warnings').hidden = !facts.warnings.length;
  $('warnings').lastElementChild.replaceChildren(...facts.warnings.map(warning => sentence(`${warning.message}${warning.line ? ` (line ${warning.line})` : ''}`, 'p', { class: 'warning' })));
}

function sliceWords(slice) {
  if (!slice) return [element('p', { class: 'faint' }, 'Point at a slice, or go to the timeline with Tab and press the arrow keys. A click keeps a slice here, with the reasons why it took so long.')];
  return [element('p', {}, swatch(slice.colour), ' ', element('strong', {}, slice.name)), element('p', {}, slice.times), ...(slice.detail ? [sentence(slice.detail)] : []),
          element('p', { class: 'faint' }, slice.track), ...(slice.place ? [element('p', {}, 'line: ', element('code', {}, slice.place))] : []),
          ...(slice.before ? [element('p', {}, slice.before)] : []), ...slice.links.map(line => sentence(line, 'p', { class: 'faint' }))];
}

function showSlice(slice, pinned) {
  $('detailsTitle').textContent = pinned || !slice ? 'Selected slice' : 'Under the pointer';
  $('details').replaceChildren(...sliceWords(slice));
}

function showPanel(given) {
  panel = given;
  if (!panel) return;
  showSlice(panel.slice, true);
  $('chain').hidden = !panel.chain.length;
  $('chain').querySelector('ol').replaceChildren(...panel.chain.map((link, index) => {
    const words = sentence(link.words, 'span', { class: link.before ? 'faint' : '' });
    return element('li', {}, link.leads ? element('button', { type: 'button', class: 'plain', title: 'go there', onclick: () => go('link', { index }).then(() => canvas.focus()) }, words) : words);
  }));
  $('chain').lastElementChild.replaceChildren(...panel.chainShares.map(line => sentence(line)));
  const part = (id, shown, ...words) => {
    $(id).hidden = !shown;
    $(id).querySelector('div').replaceChildren(...words);
  };
  part('pathPart', panel.path, ...(panel.path ? [element('p', { class: 'faint' }, `${panel.path.length}, back from what finished last`), ...panel.path.lines.map(line => sentence(line))] : []));
  part('comparison', panel.comparison, ...(panel.comparison?.lines ?? []).map(line => sentence(line)));
  $('comparison').querySelector('tbody').replaceChildren(...(panel.comparison?.regions ?? []).map(({ name, now, change, tone }) =>
    element('tr', {}, element('th', { scope: 'row' }, name), element('td', {}, now), element('td', { class: tone }, change))));
  part('notes', panel.notes.length, ...panel.notes.map(note => element('p', {}, note)));
  legend($('overlapPart').querySelector('ul'), panel.overlap);
  $('overlapPart').querySelector('p').hidden = !panel.overlapNamed;
  part('occupancyPart', panel.shows.occupancy && panel.occupancy.length, ...panel.occupancy.map(line => element('p', {}, line)));
  legend($('occupancyPart').querySelector('ul'), panel.occupancyLegend ?? []);
  $('regionsTitle').textContent = panel.range ? 'Regions in the selected stretch' : 'Regions';
  $('scope').textContent = panel.busy ? `${panel.scope}. Large trace: still counting…` : panel.scope;
  $('regions').tBodies[0].replaceChildren(...panel.regions.map(row => element('tr', { title: row.details, class: row.matches ? '' : 'faint' },
    element('th', { scope: 'row' }, swatch(row.colour), ' ', row.name), ...row.cells.map(cell => element('td', {}, cell)))));
  $('remarks').replaceChildren(...panel.remarks.map(line => sentence(line, 'p', { class: 'faint' })));
  for (const name of ['path', 'overlap', 'occupancy', 'compare']) $(name).setAttribute('aria-pressed', String(panel.shows[name]));
  const compared = $('what').querySelector('[value="compare.json"]');
  compared.hidden = compared.disabled = !panel.comparison;
  if (document.activeElement !== $('search')) $('search').value = panel.search;
}

// --- the address ---

/** The state of a link: the view, and the traces if they are small or samples. */
async function state() {
  const view = await ask({ do: 'share' });
  if (!view) return null;
  const compared = view.compare ? opened : opened.slice(-1);
  const traces = compared.map(({ name, text, sample }) => sample ? { sample } : text != null ? { name, text } : { name });
  return { view, traces };
}
async function fragment() {
  const now = facts && await state();
  if (!now) return '';
  const whole = await fragmentOf(now).catch(() => null);
  if (whole && whole.length <= kLongestLink) return whole;
  return fragmentOf({ ...now, traces: now.traces.map(({ name, sample }) => sample ? { sample } : { name }) });
}
let remembering;
function remember() {
  clearTimeout(remembering);
  remembering = setTimeout(async () => {
    const made = await fragment();
    if (made) history.replaceState(null, '', made);
  }, kPauseMs);
}

/** Shows the state of the address. A link that cannot be read is told, and the page stays as it is. */
async function openLink() {
  let given;
  try {
    given = await stateOf(location.hash);
    if (given && (!Array.isArray(given.traces) || !given.traces.length || given.traces.length > 2)) throw new Error('it has no trace');
  } catch (problem) {
    return say(`This link cannot be read: ${problem.message}.`, true);
  }
  if (!given) return;
  start();
  opened = [];
  showTrace();
  for (const [n, trace] of given.traces.entries()) {
    if (n === given.traces.length - 1) waiting = given.view && typeof given.view === 'object' ? given.view : null;
    if (typeof trace?.sample === 'string' && kSample.test(trace.sample)) await openSample(trace.sample);
    else if (typeof trace?.text === 'string') await open({ name: String(trace.name ?? 'trace.json').slice(0, 200), file: new File([trace.text], 'trace.json') });
    else say(`This link is about \`${String(trace?.name ?? 'a trace').slice(0, 200)}\`, which is too large for a link. Open that file to see it.`);
  }
}

// --- what the user does ---

const at = event => {
  const box = canvas.getBoundingClientRect(), { scale } = look;
  return { x: (event.clientX - box.left) * scale - painter.left, y: (event.clientY - box.top) * scale - painter.top };
};
/** The graph of all tracks at a place of the canvas, as shares of its size. */
function overviewAt({ x, y }) {
  const graph = painter.frame?.overview, from = painter.graphTops?.[0] - painter.top;
  if (!graph || x < 0 || y < from || y > from + graph.height) return null;
  return { x: x / (canvas.width - painter.left), y: (y - from) / graph.height };
}

let pointing = false, lastPoint = null, pointer = null;
/** Tells the module where the pointer is, one place at a time. */
async function point(event) {
  lastPoint = event && { ...at(event), clientX: event.clientX, clientY: event.clientY };
  if (pointing) return;
  pointing = true;
  while (lastPoint !== undefined) {
    const place = lastPoint;
    lastPoint = undefined;
    pointer = place;
    const given = await ask({ do: 'point', ...(place && place.x >= 0 ? { x: place.x, y: place.y } : { x: -1, y: -1 }) });
    if (!given?.pointed) continue;
    const { slice, changed, gap } = given.pointed;
    if (changed) {
      if (!panel?.slice) showSlice(slice, false);
      later();
    }
    showTip(place, slice ? `${slice.name}, ${slice.times}` : gap, Boolean(slice) && !panel?.slice && !narrow.matches);
  }
  pointing = false;
}

/** Words beside the pointer, unless the list beside the timeline has them. */
function showTip(place, words, beside) {
  $('tip').hidden = !place || !words || beside;
  if ($('tip').hidden) return;
  $('tip').textContent = words;
  const box = $('room').getBoundingClientRect(), width = $('tip').offsetWidth, height = $('tip').offsetHeight;
  const x = place.clientX - box.left, y = place.clientY - box.top;
  $('tip').style.left = `${Math.max(0, Math.min(x + 14, box.width - width))}px`;
  $('tip').style.top = `${y + 22 + height > box.height ? Math.max(0, y - height - 10) : y + 22}px`;
}

function listenToPointer() {
  const pressed = new Map(); // the place of each pointer that is down; two fingers zoom
  let moved = false, range = null;
  canvas.addEventListener('pointerdown', event => {
    if (event.button !== 0) return;
    canvas.setPointerCapture(event.pointerId);
    pressed.set(event.pointerId, { x: event.clientX, y: event.clientY });
    const place = at(event);
    if (pressed.size === 1) moved = false;
    range = event.shiftKey && place.x >= 0 && place.y >= 0 ? place.x : null;
    const all = overviewAt(place);
    if (all) go('overview', all);
  });
  canvas.addEventListener('pointermove', event => {
    const before = pressed.get(event.pointerId), { scale } = look;
    if (!before) return void point(event);
    if (overviewAt(at(event)) && !moved) return void go('overview', overviewAt(at(event)));
    const x = event.clientX - before.x, y = event.clientY - before.y;
    if (!moved && Math.hypot(x, y) < 5) return;
    moved = true;
    $('tip').hidden = true;
    const other = [...pressed.entries()].find(([id]) => id !== event.pointerId)?.[1];
    if (range !== null) go('range', { x: range, x1: at(event).x });
    else if (other) {
      const factor = Math.abs(event.clientX - other.x) / Math.max(1, Math.abs(before.x - other.x));
      go('zoom', { factor, x: (at(event).x + at({ clientX: other.x, clientY: other.y }).x) / 2 });
    } else go('pan', { x: x * scale, y: y * scale });
    pressed.set(event.pointerId, { x: event.clientX, y: event.clientY });
  });
  const release = async event => {
    const was = pressed.delete(event.pointerId);
    if (!was || moved || event.type !== 'pointerup') return;
    const place = at(event);
    if (place.x < 0 && place.y >= 0) return go('fold', { y: place.y });
    if (place.y < 0 || place.x < 0) return;
    const given = await ask({ do: 'click', ...place });
    if (given) showPanel(given.panel), later(), remember();
  };
  for (const name of ['pointerup', 'pointercancel']) canvas.addEventListener(name, release);
  canvas.addEventListener('pointerleave', () => { if (!pressed.size) point(null); });
  canvas.addEventListener('dblclick', event => { if (at(event).x >= 0 && at(event).y >= 0) go('focus'); });
  canvas.addEventListener('wheel', event => {
    // On a page that scrolls, the wheel scrolls it.
    if (narrow.matches && !event.ctrlKey) return;
    event.preventDefault();
    const place = at(event), { scale } = look;
    if (event.shiftKey || place.x < 0) go('scroll', { y: (event.deltaY || event.deltaX) * scale });
    else if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) go('pan', { x: -event.deltaX * scale, y: 0 });
    else go('zoom', { factor: 1.25 ** -Math.sign(event.deltaY), x: place.x });
  }, { passive: false });
}

const toggle = name => set({ [name]: $(name).getAttribute('aria-pressed') !== 'true' });
let folded = false;
function listenToKeys() {
  canvas.addEventListener('keydown', event => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const pan = 0.08 * (canvas.width - painter.left), page = 0.7 * (canvas.height - painter.top), zoomAt = pointer && pointer.x >= 0 ? { x: pointer.x } : {};
    const act = {
      ArrowLeft: () => go('next', { steps: -1 }), ',': () => go('next', { steps: -1 }), ArrowRight: () => go('next'), '.': () => go('next'),
      ArrowUp: () => go('beside', { steps: -1 }), ArrowDown: () => go('beside'),
      w: () => go('zoom', { factor: 1.25, ...zoomAt }), '+': () => go('zoom', { factor: 1.25, ...zoomAt }), '=': () => go('zoom', { factor: 1.25, ...zoomAt }),
      s: () => go('zoom', { factor: 0.8, ...zoomAt }), '-': () => go('zoom', { factor: 0.8, ...zoomAt }),
      a: () => go('pan', { x: pan, y: 0 }), d: () => go('pan', { x: -pan, y: 0 }), PageUp: () => go('scroll', { y: -page }), PageDown: () => go('scroll', { y: page }),
      f: () => go('focus'), Home: () => go('all'), r: () => go('selectedRange'), m: () => go('mark', zoomAt), Escape: () => go('nothing'),
      p: () => toggle('path'), o: () => toggle('overlap'), b: () => toggle('occupancy'), c: () => facts.previous && toggle('compare'),
      x: () => go('foldAll', { folded: folded = !folded }), '/': () => $('search').focus(),
    }[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!act) return;
    event.preventDefault();
    act();
  });
  let typing;
  $('search').addEventListener('input', () => {
    clearTimeout(typing);
    typing = setTimeout(() => set({ search: $('search').value }), 120);
  });
  $('search').addEventListener('keydown', async event => {
    if (event.key === 'Enter') {
      clearTimeout(typing);
      await set({ search: $('search').value });
      go('match', { steps: event.shiftKey ? -1 : 1 });
    } else if (event.key === 'Escape') canvas.focus();
  });
}

function listen() {
  listenToPointer();
  listenToKeys();
  for (const id of ['open', 'choose']) $(id).onclick = () => $('file').click();
  $('file').onchange = () => { openFile($('file').files[0]); $('file').value = ''; };
  addEventListener('dragover', event => { event.preventDefault(); document.body.classList.add('dropping'); });
  addEventListener('dragleave', event => { if (!event.relatedTarget) document.body.classList.remove('dropping'); });
  addEventListener('drop', async event => {
    event.preventDefault();
    document.body.classList.remove('dropping');
    for (const file of [...event.dataTransfer.files].slice(0, 2)) await open({ name: file.name, file });
  });
  $('samples').onchange = () => {
    if ($('samples').value) openSample($('samples').value);
    $('samples').value = '';
  };
  $('stop').onclick = async () => {
    const before = opened;
    $('reading').hidden = true;
    start();
    showTrace();
    say('Stopped.');
    await reopen(before);
  };
  for (const name of ['path', 'overlap', 'occupancy', 'compare']) $(name).onclick = () => toggle(name);
  $('all').onclick = () => go('all');
  $('in').onclick = () => go('zoom', { factor: 1.5 });
  $('out').onclick = () => go('zoom', { factor: 1 / 1.5 });
  $('collapse').onclick = () => go('foldAll', { folded: true });
  $('expand').onclick = () => go('foldAll', { folded: false });
  $('link').onclick = async () => {
    const made = await fragment();
    if (!made) return say('Open a trace first.', true);
    clearTimeout(remembering);
    history.replaceState(null, '', made);
    const whole = (await stateOf(made)).traces.every(trace => trace.sample || trace.text !== undefined);
    const isCopied = await copied(location.href);
    say((isCopied ? 'The link is copied, and in the address bar.' : 'The browser does not let the page copy; the link is in the address bar.') +
      (whole ? '' : ' The trace is too large to be in it: whoever opens it needs the file, too.'), !isCopied);
  };
  $('save').onclick = async () => {
    const what = $('what').value, given = await ask({ do: 'text', what }), name = facts.title.replace(/(\.json)?(\.gz)?$/, '');
    if (!given) return;
    const file = `${name}${{ svg: '.svg', summary: '.summary.txt', explain: '.explain.txt', 'explain.json': '.explain.json', 'compare.json': '.compare.json' }[what]}`;
    saveFile(file, given.text);
    say(`Saved ${file}.`);
  };
  $('help').onclick = () => $('about').showModal();
  dark.addEventListener('change', () => { look = lookNow(); refresh(); });
  addEventListener('resize', () => { look = lookNow(); later(); });
  new ResizeObserver(later).observe($('room'));
  addEventListener('hashchange', openLink);
}

async function begin() {
  start();
  look = lookNow();
  listen();
  samples = await fetch('traces.json').then(answer => answer.json());
  files = await servedFiles('trace');
  $('samples').replaceChildren(element('option', { value: '' }, 'choose one…'), ...files.map(file => element('option', { value: file.address }, file.name)),
                               ...samples.map(sample => element('option', { value: sample.file }, sample.title)));
  await openLink();
  if (!location.hash && files.length) await openSample(files[0].address);
  watchFiles(files, openAgain, () => say('The server has ended. What is open stays.', true));
  document.body.dataset.ready = 'yes';
}

begin().catch(problem => stopped(`This page cannot start: ${problem.message}.`)).finally(() => {
  requestAnimationFrame(() => setTimeout(() => navigator.serviceWorker?.register('offline.js').catch(() => {})));
});
