// The page: fields, pictures and words around the module's answers. It shows what the module says, and asks it again
// when the user changes something. It knows nothing about layouts.
import { Module, Stopped } from './module.js';
import { fragmentOf, stateOf } from './link.js';
import { CanvasSurface, lookOf } from './canvas.js';
import { Picture } from './pane.js';
import { css } from './picture.js';
import { copied, element, saveFile, sentence } from './elements.js';
import { servedFiles, watchFiles } from './served.js';

const kTypingMs = 150; // the pause in typing after which a text is read
const kPauseMs = 400; // the pause after which the address has the new state; browsers limit how often it may change
const $ = id => document.getElementById(id);
const dark = matchMedia('(prefers-color-scheme: dark)'), narrow = matchMedia('(max-width: 900px)');

let module, names, state, samples = [];
const pictures = new Map(); // name -> Picture
const host = { pictures, narrow: () => narrow.matches, ask, change, lit, remember, look: null, get module() { return module; } };

function say(text, bad = false) {
  $('said').replaceChildren(...sentence(text).childNodes);
  $('said').classList.toggle('bad', bad);
}

// --- asking the module ---

const kRestartMs = 10_000; // a module that stops again so soon is started without its state
let lastGood = null; // the state before the request that stopped the module
let restarted = -Infinity;
async function restart(problem) {
  if (performance.now() - restarted < kRestartMs) lastGood = null;
  restarted = performance.now();
  $('stopped').textContent = `The program in the page stopped: ${problem.message}. It was started again, ${lastGood ? 'as it was before your last change' : 'with its first picture'}.`;
  $('stopped').hidden = false;
  await module.start();
  const again = module.call({ do: 'start', theme: dark.matches ? 'dark' : 'light' });
  names = again.names;
  const loaded = lastGood && module.call({ do: 'load', state: lastGood });
  for (const picture of pictures.values()) picture.surface.version = -1;
  show(loaded?.state ?? again.state);
}

/** The module's answer; null if it stopped. An answer that is an error is told to the user. */
function ask(request) {
  let answer;
  try {
    answer = module.call(request);
  } catch (problem) {
    if (!(problem instanceof Stopped)) throw problem;
    restart(problem).catch(again => fail(again));
    return null;
  }
  if (answer.error) {
    say(answer.error.message, true);
    return null;
  }
  return answer;
}

/** Makes a request that changes the pictures. */
function change(request) {
  const answer = ask(request);
  if (!answer) return;
  $('stopped').hidden = true;
  show(answer.state);
  lastGood = ask({ do: 'share' });
  remember();
}

/** Puts the state into the address, once the user pauses and the pictures are drawn. */
let remembering;
function remember() {
  clearTimeout(remembering);
  remembering = setTimeout(async () => {
    const shared = ask({ do: 'share' });
    if (!shared) return;
    lastGood = shared;
    history.replaceState(null, '', await fragmentOf(shared));
  }, kPauseMs);
}
const set = fields => change({ do: 'set', fields });

function fail(problem) {
  $('stopped').textContent = `This page cannot start: ${problem.message}. It needs a browser with WebAssembly, such as Chromium 80, Firefox 113 or Safari 16.4, or a later one.`;
  $('stopped').hidden = false;
}

// --- pictures ---

/** Shows a changed selection in all pictures and in words. */
function lit(answer) {
  for (const picture of pictures.values()) picture.later();
  $('selectedTitle').textContent = answer.pinned && !answer.hovering ? 'Selected element' : answer.hovering ? 'Under the pointer' : 'Selected element';
  const words = answer.words.map(line => sentence(line));
  if (!words.length)
    words.push(element('p', { class: 'faint' }, 'Point at a cell, or go to a picture with Tab and press the arrow keys: the element lights up in every picture, with all that is held at the same place. A click keeps it lit.'));
  else if (answer.linked > 1)
    words.push(element('p', { class: 'faint' }, `${answer.linked} elements are lit: what is held at the same place.`));
  $('words').replaceChildren(...words);
  const access = state.facts.access;
  $('conflicts').hidden = !access;
  if (access)
    $('conflicts').lastElementChild.replaceChildren(
      ...access.sentences.map(line => sentence(line, 'p', { class: access.bad ? 'warning' : 'good' })), ...answer.access.map(line => sentence(line)));
  $('steps').hidden = !answer.steps.length;
  $('steps').lastElementChild.replaceChildren(...answer.steps.map(line => element('li', {}, line)));
}

// --- the state in the fields ---

function options(select, values, chosen, textOf = value => value) {
  const wanted = values.map(value => element('option', { value: String(value) }, textOf(value)));
  select.replaceChildren(...wanted);
  select.value = String(chosen);
}

function field(id, value) {
  if (document.activeElement !== $(id) && $(id).value !== value) $(id).value = value;
}

function problemText(problem) {
  const lines = problem.text.split('\n').slice(1).filter(line => line.trim());
  const made = element('div', {}, sentence(problem.message, 'p', { class: problem.severity === 'error' ? 'bad' : 'warning' }));
  // The place, if it is not the whole of a short text.
  if (problem.begin !== undefined && lines.length >= 2) made.append(element('pre', {}, lines.slice(0, 2).join('\n')));
  for (const note of problem.notes) made.append(sentence(note, 'p', { class: 'faint' }));
  return made;
}

function showProblems() {
  for (const id of ['layout', 'compare', 'shape', 'dtype', 'slice']) {
    const own = state.facts.problems.filter(problem => (problem.field || 'layout') === id ||
      (id === 'layout' && !['layout', 'compare', 'shape', 'dtype', 'slice'].includes(problem.field)));
    $(`${id}-problem`).replaceChildren(...own.map(problemText));
    if ($(id)) $(id).setAttribute('aria-invalid', String(own.some(problem => problem.severity === 'error')));
  }
  if (state.message) say(state.message, state.messageBad);
}

function showSlices() {
  const sizes = state.facts.shape.slice(0, -2), chosen = state.input.slice;
  $('slices').hidden = !sizes.length;
  if (!sizes.length) return;
  const one = element('input', { type: 'checkbox', checked: chosen.length > 0 });
  one.onchange = () => set({ slice: one.checked ? sizes.map(() => 0) : [] });
  const indices = chosen.map((at, d) => {
    const number = element('input', { type: 'number', min: 0, max: sizes[d] - 1, value: at, 'aria-label': `index in dimension ${d}` });
    number.onchange = () => set({ slice: chosen.map((old, i) => i === d ? Math.max(0, Math.min(sizes[d] - 1, Math.round(Number(number.value)) || 0)) : old) });
    return number;
  });
  $('slices').replaceChildren(element('label', {}, one, ' one slice'), ...indices);
}

function showTexts() {
  $('texts').replaceChildren(...state.facts.texts.map(({ title, text }) => {
    const copy = element('button', { type: 'button', 'aria-label': `Copy the text: ${title}` }, 'Copy');
    copy.onclick = () => copyText(text, `Copied: ${title}`);
    return element('figure', {}, element('figcaption', {}, title, copy), element('pre', { tabIndex: 0 }, text));
  }), ...state.facts.remarks.map(remark => sentence(remark, 'p', { class: 'faint' })));
}

function swatch(entry) {
  const made = element('span', { class: entry.hatched ? 'swatch hatched' : 'swatch' });
  const fill = entry.bands.length > 1
    ? `linear-gradient(90deg, ${entry.bands.flatMap((band, i) => [`${css(band)} ${100 * i / entry.bands.length}%`, `${css(band)} ${100 * (i + 1) / entry.bands.length}%`]).join(', ')})`
    : css(entry.fill);
  made.style.setProperty('--fill', fill);
  made.style.setProperty('--on', css(entry.ink));
  made.textContent = entry.sample;
  made.setAttribute('aria-hidden', 'true');
  return made;
}

function showLegends() {
  const several = state.panes.filter(pane => pane.open).length > 1;
  $('legends').parentElement.hidden = !state.legends.length;
  $('legends').replaceChildren(...state.legends.map(section => element('div', {},
    ...(several ? [element('h3', {}, section.title)] : []),
    element('ul', {}, ...section.entries.map(entry => entry.caption ? element('li', { class: 'caption' }, entry.text) : element('li', {}, swatch(entry), element('span', {}, entry.text)))),
    ...section.notes.map(note => sentence(note, 'p', { class: 'faint' })))));
}

function showPictures() {
  const open = state.panes.filter(pane => pane.open), parent = $('pictures');
  for (const pane of open) {
    if (!pictures.has(pane.name)) pictures.set(pane.name, new Picture(pane.name, host, new CanvasSurface(pane.name, host)));
    pictures.get(pane.name).update(pane, open.length > 1);
  }
  const roots = open.map(pane => pictures.get(pane.name).root);
  if (roots.length !== parent.children.length || roots.some((root, i) => parent.children[i] !== root)) parent.replaceChildren(...roots);
  parent.dataset.count = String(Math.min(roots.length, 5));
  const legend = $('show').firstElementChild;
  const focused = document.activeElement?.dataset?.pane;
  $('show').replaceChildren(legend, ...state.panes.filter(pane => pane.offered).map(pane => {
    const box = element('button', { type: 'button', class: 'toggle', title: pane.about, 'aria-pressed': String(pane.open) }, pane.title);
    box.dataset.pane = pane.name;
    box.onclick = () => change({ do: 'open', pane: pane.name, open: !pane.open });
    return box;
  }));
  if (focused) $('show').querySelector(`[data-pane="${focused}"]`)?.focus();
  $('saved').closest('section').hidden = !open.some(pane => pane.scene);
  options($('saved'), open.filter(pane => pane.scene).map(pane => pane.name), open.some(pane => pane.name === $('saved').value) ? $('saved').value : state.front,
          name => state.panes.find(pane => pane.name === name).title);
}

function show(next) {
  const { input, facts } = state = next;
  for (const id of ['layout', 'compare', 'shape', 'tmem', 'tiling']) field(id, input[id]);
  for (const id of ['dtype', 'colourBy', 'smemColour', 'stage', 'swizzle', 'access']) $(id).value = String(input[id]);
  $('transpose').checked = input.transpose;
  $('memoryField').hidden = facts.choices.length < 2;
  const memories = { shared: 'memory', registers: '(thread, value)', tmem: 'tensor memory' };
  options($('memory'), ['', ...facts.choices], input.memory, value => memories[value] ?? (!input.memory && facts.read ? `auto: ${memories[facts.read]}` : 'auto'));
  const openNames = state.panes.filter(pane => pane.open).map(pane => pane.name);
  $('tmemControls').hidden = !openNames.includes('tmem');
  $('smemControls').hidden = !openNames.includes('smem');
  $('tmemForms').replaceChildren(...facts.tmemForms.map(value => element('option', { value })));
  $('found').hidden = !facts.found.length;
  $('found').replaceChildren(facts.found.length === 1 ? 'One layout in the text: ' : `${facts.found.length} layouts in the text: `, ...facts.found.slice(0, 24).map((found, index) =>
    element('button', { type: 'button', title: found.text, onclick: () => { document.activeElement?.blur(); change({ do: 'choose', index }); } }, [found.name, found.shape].filter(Boolean).join('  '))));
  $('compared').hidden = !facts.comparison.length;
  $('compared').lastElementChild.replaceChildren(...facts.comparison.map((line, i) => sentence(line, 'p', { class: i ? '' : facts.equal ? 'good' : 'warning' })));
  showProblems();
  showSlices();
  showTexts();
  showLegends();
  showPictures();
  const now = ask({ do: 'leave' });
  if (now) lit(now.lit);
  document.title = `${input.layout.trim().split('\n')[0].slice(0, 60)} · Lanescope`;
}

// --- what the user does ---

async function copyText(text, done) {
  if (await copied(text)) say(done);
  else say('The browser does not let the page copy.', true);
}

function typing(id, act) {
  let timer;
  $(id).addEventListener('input', () => {
    clearTimeout(timer);
    timer = setTimeout(act, kTypingMs);
  });
  $(id).addEventListener('change', () => { clearTimeout(timer); act(); });
}

function listen() {
  for (const id of ['layout', 'compare', 'shape', 'tmem', 'tiling'])
    typing(id, () => {
      const value = $(id).value;
      if (value === state.input[id]) return;
      say('');
      if (id === 'layout' && value.trimStart().startsWith('view(')) return document.activeElement.blur(), change({ do: 'paste', text: value });
      set({ [id]: value });
    });
  for (const id of ['dtype', 'colourBy', 'smemColour', 'stage', 'access', 'memory']) $(id).onchange = () => set({ [id]: $(id).value });
  $('swizzle').onchange = () => set({ swizzle: Number($('swizzle').value) });
  $('transpose').onchange = () => set({ transpose: $('transpose').checked });
  for (const [list, id] of [['catalogue', 'layout'], ['compareCatalogue', 'compare']])
    $(list).onchange = () => {
      if ($(list).value) set({ [id]: $(list).value });
      $(list).value = '';
    };
  $('samples').onchange = () => {
    const sample = samples[Number($('samples').value)];
    if (sample?.address) openFile(sample);
    else if ($('samples').value !== '' && sample) change({ do: 'load', state: sample.state });
    $('samples').value = '';
  };
  $('link').onclick = async () => {
    const shared = ask({ do: 'share' });
    if (!shared) return;
    clearTimeout(remembering);
    const fragment = await fragmentOf(shared);
    history.replaceState(null, '', fragment);
    await copyText(location.href, 'The link is copied, and in the address bar.');
  };
  $('view').onclick = async () => {
    const answer = ask({ do: 'view' });
    if (answer) await copyText(answer.text, 'The view is copied, for `lanescope gui --view` or the REPL.');
  };
  $('save').onclick = () => {
    const answer = ask({ do: 'export', pane: $('saved').value, format: $('format').value });
    if (!answer) return;
    saveFile(`${$('saved').value}.${$('format').value}`, answer.text);
    say(`Saved ${$('saved').value}.${$('format').value}.`);
  };
  $('help').onclick = () => $('about').showModal();
  dark.addEventListener('change', () => { host.look = lookOf(document.documentElement, dark.matches); set({ theme: dark.matches ? 'dark' : 'light' }); });
  addEventListener('resize', () => { host.look = lookOf(document.documentElement, dark.matches); });
  addEventListener('hashchange', () => openLink());
}

/** Shows the layouts of a file of `lanescope serve`. */
let openedFile = null;
async function openFile(file) {
  const answer = await fetch(file.address);
  if (!answer.ok) return say(`${file.title} cannot be loaded: ${await answer.text()}`, true);
  openedFile = file.address;
  change({ do: 'paste', text: await answer.text() });
}

/** Shows the state of the address. A link that cannot be read is told, and the page stays as it is. */
async function openLink() {
  let given;
  try {
    given = await stateOf(location.hash);
  } catch (problem) {
    return say(`This link cannot be read: ${problem.message}.`, true);
  }
  if (!given) return;
  const answer = ask({ do: 'load', state: given });
  if (!answer) return say(`This link cannot be read: ${$('said').textContent}`, true);
  say('');
  document.activeElement?.blur?.();
  show(answer.state);
  lastGood = ask({ do: 'share' });
}

async function begin() {
  [module, samples] = await Promise.all([Module.load('lanescope.wasm'), fetch('samples.json').then(answer => answer.json())]);
  await module.start();
  const files = await servedFiles('layout');
  samples.unshift(...files.map(file => ({ title: file.name, address: file.address })));
  const answer = module.call({ do: 'start', theme: dark.matches ? 'dark' : 'light' });
  names = answer.names;
  host.look = lookOf(document.documentElement, dark.matches);
  const first = text => element('option', { value: '' }, text);
  for (const list of ['catalogue', 'compareCatalogue']) $(list).replaceChildren(first('by name…'), ...names.catalogue.map(name => element('option', {}, name)));
  $('samples').replaceChildren(first('choose one…'), ...samples.map((sample, i) => element('option', { value: String(i) }, sample.title)));
  options($('dtype'), names.dtypes, 'f32');
  options($('colourBy'), names.colours, 'warp');
  options($('smemColour'), names.memoryColours, 'chunk', name => name === 'chunk' ? 'by 16 bytes' : `by ${name}`);
  options($('swizzle'), names.swizzles, 128, bytes => bytes ? `${bytes} bytes` : 'none');
  options($('format'), names.formats, 'svg');
  $('access').replaceChildren(first('no instruction'), ...names.accesses.map(name => element('option', {}, name)));
  $('notations').textContent = `${names.notations}: the page finds out which one a text is in. A module or a printout works, too: the layouts in it are listed.`;
  show(answer.state);
  lastGood = ask({ do: 'share' });
  listen();
  await openLink();
  if (files.length && !location.hash) await openFile(samples[0]);
  watchFiles(files, async file => { if (openedFile === null || file.address === openedFile) await openFile({ ...file, title: file.name }); }, () => say('The server has ended. What is open stays.', true));
  document.body.dataset.ready = 'yes';
}

begin().catch(fail).finally(() => {
  // The page works without a network once it has been opened. The worker asks for all files again, so it starts after
  // the first picture. Without https, browsers have no service workers.
  requestAnimationFrame(() => setTimeout(() => navigator.serviceWorker?.register('offline.js').catch(() => {})));
});
