// The page: fields, pictures and words around the module's answers. It shows what the module says, and asks it again
// when the user changes something. It knows nothing about layouts.
import { Module, Stopped } from './module.js';
import { fragmentOf, stateOf } from './link.js';
import { Painter, css, packed } from './picture.js';

const kTypingMs = 150; // the pause in typing after which a text is read
const kPauseMs = 400; // the pause after which the address has the new state; browsers limit how often it may change
const $ = id => document.getElementById(id);
const dark = matchMedia('(prefers-color-scheme: dark)'), narrow = matchMedia('(max-width: 900px)');

let module, names, state, samples = [];
const pictures = new Map(); // name -> Picture

/** Makes an element; texts are always set as text. */
function element(tag, properties = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties))
    if (name === 'class') made.className = value;
    else if (name.startsWith('aria') || name === 'role') made.setAttribute(name, value);
    else made[name] = value;
  made.append(...children);
  return made;
}

/** The texts between backticks as code. */
function sentence(text, tag = 'p', properties = {}) {
  const made = element(tag, properties);
  text.split('`').forEach((part, i) => made.append(i % 2 ? element('code', {}, part) : part));
  return made;
}

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
  for (const picture of pictures.values()) picture.version = -1;
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

function look() {
  const style = getComputedStyle(document.documentElement), value = name => style.getPropertyValue(name).trim();
  const scale = devicePixelRatio || 1, mono = value('--mono'), context = document.createElement('canvas').getContext('2d');
  context.font = `100px ${mono}`;
  return { scale, mono, words: value('--words'), glyph: context.measureText('0000000000').width / 1000,
           ink: value('--ink'), faint: value('--faint'), ground: value('--ground'), dim: value('--dim'),
           litText: value('--lit'), chosen: value('--chosen'), hatch: value('--hatch'),
           lit: packed(value('--lit')), empty: packed(value('--panel')), hatchPacked: packed(value('--hatch')),
           litShare: dark.matches ? 0.6 : 0.1 };
}
let currentLook = null;

class Picture {
  constructor(name) {
    this.name = name;
    this.version = -1;
    this.title = element('h2');
    this.about = element('span', { class: 'faint about' });
    this.problems = element('div', { role: 'alert' });
    this.canvas = element('canvas', { tabIndex: 0, role: 'application', 'aria-roledescription': 'picture of cells', 'aria-describedby': 'words' });
    this.tip = element('div', { class: 'tip', hidden: true });
    this.room = element('div', { class: 'room' }, this.canvas, this.tip);
    const button = (text, label, act) => element('button', { type: 'button', title: label, 'aria-label': label, onclick: act }, text);
    this.tools = element('div', { class: 'tools' },
      button('−', 'zoom out (-)', () => this.zoom(1 / 1.25)), button('+', 'zoom in (+)', () => this.zoom(1.25)),
      button('all', 'all of the picture (Home)', () => this.view('fit')),
      button('labels', 'as large as labels need (L)', () => this.view('labels')),
      this.close = button('×', 'close this picture', () => change({ do: 'open', pane: name, open: false })));
    this.root = element('section', { class: 'picture' },
      element('div', { class: 'head' }, this.title, this.about, this.tools), this.problems, this.room);
    this.canvas.id = `picture-${name}`;
    this.painter = new Painter(this.canvas, null);
    this.listen();
    new ResizeObserver(() => this.later()).observe(this.room);
  }

  update(pane, several) {
    this.pane = pane;
    this.title.textContent = pane.title;
    const scene = pane.scene, title = scene?.title ?? '';
    this.about.textContent = title.startsWith(pane.title) ? title.slice(pane.title.length).trim() : title;
    this.about.title = scene?.subtitle ?? '';
    this.close.hidden = !several;
    this.problems.replaceChildren(...pane.problems.map(problem => sentence(problem.message, 'p', { class: problem.severity === 'error' ? 'bad' : 'faint' })));
    this.room.hidden = !scene;
    this.tools.querySelectorAll('button').forEach(button => { if (button !== this.close) button.hidden = !scene; });
    if (!scene) return;
    const size = scene.rows ? `, ${scene.rows} rows by ${scene.columns} columns` : '';
    this.canvas.setAttribute('aria-label', `${pane.title}: ${title}${size}. Arrow keys select a cell.`);
    this.later();
  }

  /** Draws in the next frame of the browser. */
  later() {
    this.wanted ??= requestAnimationFrame(() => { this.wanted = null; this.draw(); });
  }

  draw() {
    if (!this.pane?.scene || !this.root.isConnected || !this.room.clientWidth) return;
    const { scale } = currentLook, width = Math.floor(this.room.clientWidth * scale), height = Math.floor(this.room.clientHeight * scale);
    this.painter.look = currentLook;
    const size = this.painter.layOut(this.pane.scene, width, height);
    const answer = ask({ do: 'frame', pane: this.name, ...size, have: this.version,
                         style: { scale, glyph: currentLook.glyph, lit: currentLook.lit, litShare: currentLook.litShare,
                                  hatch: currentLook.hatchPacked, empty: currentLook.empty } });
    if (!answer) return;
    const { frame } = answer;
    this.painter.paint(module, frame, size);
    this.version = frame.version;
    // A finger moves the picture if a part of it is hidden, and otherwise the page.
    this.canvas.style.touchAction = frame.partial ? 'none' : 'pan-y';
    this.canvas.dataset.drawn = String(frame.version);
    // The place of the cells in the canvas, for scripts that drive the page.
    const [x0, y0, x1, y1] = frame.ground, { left, top } = this.painter.margin;
    this.canvas.dataset.ground = JSON.stringify([(left + x0) / scale, (top + y0) / scale, (x1 - x0) / scale, (y1 - y0) / scale]);
  }

  at(event) {
    const box = this.canvas.getBoundingClientRect(), { scale } = currentLook;
    return { x: (event.clientX - box.left) * scale - this.painter.margin.left, y: (event.clientY - box.top) * scale - this.painter.margin.top };
  }
  zoom(factor, at = null) {
    const { width, height } = this.canvas;
    ask({ do: 'zoom', pane: this.name, factor, atPin: !at, ...(at ?? { x: width / 2, y: height / 2 }) });
    this.later();
    remember();
  }
  view(what) {
    ask({ do: what, pane: this.name });
    this.later();
    remember();
  }

  /** Shows the words beside the pointer, if the list of words beside the pictures may be out of sight. */
  showTip(event, words) {
    this.tip.hidden = !words.length || !narrow.matches;
    if (this.tip.hidden) return;
    this.tip.textContent = words[0];
    const box = this.room.getBoundingClientRect(), x = event.clientX - box.left, y = event.clientY - box.top;
    const width = this.tip.offsetWidth, height = this.tip.offsetHeight;
    this.tip.style.left = `${Math.max(0, Math.min(x + 14, box.width - width))}px`;
    this.tip.style.top = `${y + 22 + height > box.height ? Math.max(0, y - height - 10) : y + 22}px`;
  }

  listen() {
    const { canvas } = this;
    let pressed = null;
    canvas.addEventListener('pointermove', event => {
      if (pressed) {
        const scale = currentLook.scale, x = (event.clientX - pressed.x) * scale, y = (event.clientY - pressed.y) * scale;
        if (!pressed.moved && Math.hypot(x, y) < 5 * scale) return;
        pressed.moved = true;
        pressed.x = event.clientX, pressed.y = event.clientY;
        ask({ do: 'pan', pane: this.name, x, y });
        this.tip.hidden = true;
        this.later();
        return;
      }
      const answer = ask({ do: 'point', pane: this.name, ...this.at(event) });
      if (!answer) return;
      if (answer.lit.changed) lit(answer.lit);
      this.showTip(event, answer.lit.hovering ? answer.lit.words : []);
    });
    canvas.addEventListener('pointerleave', event => {
      pressed = null;
      if (event.pointerType === 'mouse') this.tip.hidden = true; // a finger leaves after each tap
      const answer = ask({ do: 'leave' });
      if (answer?.lit.changed) lit(answer.lit);
    });
    canvas.addEventListener('pointerdown', event => {
      if (event.button !== 0) return;
      pressed = { x: event.clientX, y: event.clientY, moved: false };
      if (event.pointerType === 'mouse') canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener('pointercancel', () => { pressed = null; });
    canvas.addEventListener('pointerup', event => {
      const moved = pressed?.moved;
      pressed = null;
      for (const picture of pictures.values()) picture.tip.hidden = true;
      if (moved) remember();
      if (moved || event.button !== 0) return;
      ask({ do: 'front', pane: this.name });
      const answer = ask({ do: 'click', pane: this.name, ...this.at(event) });
      if (!answer) return;
      lit(answer.lit);
      remember();
      this.showTip(event, answer.lit.words);
    });
    canvas.addEventListener('dblclick', () => this.view('fit'));
    canvas.addEventListener('wheel', event => {
      // On a page that scrolls, the wheel scrolls it.
      if (narrow.matches && !event.ctrlKey) return;
      event.preventDefault();
      this.zoom(1.2 ** -Math.sign(event.deltaY), this.at(event));
    }, { passive: false });
    canvas.addEventListener('keydown', event => {
      if (event.ctrlKey || event.altKey || event.metaKey) return;
      const times = event.shiftKey ? 8 : 1;
      const steps = { ArrowUp: [-times, 0], ArrowDown: [times, 0], ArrowLeft: [0, -times], ArrowRight: [0, times] }[event.key];
      if (steps) {
        const answer = ask({ do: 'arrow', pane: this.name, rows: steps[0], columns: steps[1] });
        if (answer) lit(answer.lit), remember();
      } else if (event.key === '+' || event.key === '=') this.zoom(1.25);
      else if (event.key === '-') this.zoom(1 / 1.25);
      else if (event.key === 'Home' || event.key === '0') this.view('fit');
      else if (event.key === 'l' || event.key === 'L') this.view('labels');
      else if (event.key === 'Escape') {
        const answer = ask({ do: 'unpin' });
        if (answer) lit(answer.lit), remember();
      } else return;
      event.preventDefault();
    });
  }
}

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
    if (!pictures.has(pane.name)) pictures.set(pane.name, new Picture(pane.name));
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
  try {
    await navigator.clipboard.writeText(text);
  } catch { // without https, or without permission
    const area = element('textarea', { value: text });
    document.body.append(area);
    area.select();
    const copied = document.execCommand('copy');
    area.remove();
    if (!copied) return say('The browser does not let the page copy.', true);
  }
  say(done);
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
    if ($('samples').value !== '' && sample) change({ do: 'load', state: sample.state });
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
    const address = URL.createObjectURL(new Blob([answer.text]));
    element('a', { href: address, download: `${$('saved').value}.${$('format').value}` }).click();
    setTimeout(() => URL.revokeObjectURL(address), 10_000);
    say(`Saved ${$('saved').value}.${$('format').value}.`);
  };
  $('help').onclick = () => $('about').showModal();
  dark.addEventListener('change', () => { currentLook = look(); set({ theme: dark.matches ? 'dark' : 'light' }); });
  addEventListener('resize', () => { currentLook = look(); });
  addEventListener('hashchange', () => openLink());
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
  const answer = module.call({ do: 'start', theme: dark.matches ? 'dark' : 'light' });
  names = answer.names;
  currentLook = look();
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
  document.body.dataset.ready = 'yes';
}

begin().catch(fail).finally(() => {
  // The page works without a network once it has been opened. The worker asks for all files again, so it starts after
  // the first picture. Without https, browsers have no service workers.
  requestAnimationFrame(() => setTimeout(() => navigator.serviceWorker?.register('offline.js').catch(() => {})));
});
