// The page with kernels: it gives files to the module, which runs them on the emulator, and shows what the module says.
// The module runs in a worker. This file knows nothing about PTX.
import { Background, stopWords } from './background.js';
import { Code } from './code.js';
import { copied, element, sentence } from './elements.js';
import { filesOf, fragmentOf, stateOf } from './link.js';
import { panelNames, panelOf } from './panels.js';

const kSample = /^kernels\/[\w-]+$/; // a folder of the site
const kPauseMs = 400; // the pause after which the address has the new state; browsers limit how often it may change
const kLongestLink = 1 << 16; // letters; a longer link has no arrays, or no files
const kKeys = { n: 'line', N: 'line-back', i: 'instruction', I: 'instruction-back', e: 'event', c: 'continue', C: 'continue-back', f: 'fault', Home: 'start', End: 'end' };
const $ = id => document.getElementById(id);

let samples = [], files = [], kernel = null, ran = null, debug = null, panel = 'warps', texts = new Map();
let sample = '', named = '', finding = -1; // the sample's folder, a name for the files, the chosen finding
let inLink = new Map(); // the files of the kernel as a link has them: with the arrays, and without
let waiting = null; // the state of a link whose files the user has to open
const code = new Code($('code'), line => stopAt(line), () => remember());

function say(text, bad = false) {
  $('said').replaceChildren(...sentence(text).childNodes);
  $('said').classList.toggle('bad', bad);
  $('said').classList.toggle('long', text.length > 70);
}
function stopped(text) {
  $('stopped').replaceChildren(...sentence(text).childNodes);
  $('stopped').hidden = !text;
}

// --- the worker ---

const background = new Background('kernels.wasm', doing => {
  if (doing) $('reading').firstElementChild.textContent = doing;
  $('reading').hidden = !doing;
}, problem => stopped(`This page cannot start: ${problem}. It needs Chromium 91, Firefox 114, Safari 16.4 or a later one.`));
const start = cause => background.start(cause), request = (...asked) => background.request(...asked);

/** Starts the module again, which gives its memory back, and opens the kernel that is shown. */
async function again() {
  start();
  debug = null;
  showDebug();
  if (kernel) await request({ do: 'open', ptx: kernel.ptx, entry: kernel.entry }, 'Opening the kernel again…', files).catch(() => {});
}

/** After a stop, the module starts again with the same files. */
async function recover(problem) {
  if (problem.cause === 'replaced') return; // the user has opened other files in the meantime
  if (problem.cause !== 'user') stopped(stopWords(problem, 'kernel', 'lanescope check'));
  await again();
  if (problem.cause === 'user') say('Stopped.');
}

// --- opening ---

/** Opens the kernel of these files: {name, file}. `from`: the sample, or a name of the files. `view`: the state to show. */
async function open(given, choice = {}, from = {}, view = null) {
  say('');
  stopped('');
  view ??= waiting;
  waiting = null;
  if (view) choice = { ptx: textIn(view.ptx), entry: textIn(view.entry) };
  if (given !== files) start('replaced');
  let data;
  try {
    data = (await request({ do: 'open', ...choice }, 'Reading the kernel…', given)).answer;
  } catch (problem) {
    await recover(problem);
    return;
  }
  document.body.dataset.opened = String(Number(document.body.dataset.opened ?? 0) + 1);
  if (data.error) {
    const { message, field, line, column, notes = [] } = data.error;
    stopped(`This kernel is not opened: ${message}${field ? ` (${field}${line ? `, line ${line}, column ${column}` : ''})` : ''}. ${notes.join('. ')}`);
    if (given !== files) await again(); // without the files that are refused
    return;
  }
  if (given !== files) ({ sample = '', name: named = given.find(({ name }) => name === data.kernel.ptx)?.name ?? '' } = from);
  files = given;
  kernel = data.kernel;
  ran = debug = null;
  finding = -1;
  texts = new Map();
  inLink = new Map();
  showKernel();
  await showText(kernel.snippet || kernel.ptx);
  await run(!view);
  if (view) await showView(view);
}

const textIn = value => typeof value === 'string' ? value : undefined, numberIn = value => Number.isInteger(value) ? value : 0;
/** Shows the state of a link, once its kernel has run. */
async function showView(view) {
  if (view.debug && typeof view.debug === 'object') {
    panel = panelNames.has(view.debug.panel) ? view.debug.panel : 'warps';
    await ask({ do: 'load', state: view.debug });
  }
  const name = textIn(view.show);
  if (name && [...$('which').options].some(({ value }) => value === name)) await showText(name);
  if (ran?.findings[numberIn(view.finding)] && view.finding !== undefined) chooseFinding(numberIn(view.finding));
  if (numberIn(view.line) > 0) goTo($('which').value, view.line);
}

function withNames(list) {
  const names = list.map(file => file.webkitRelativePath || file.name), top = `${names[0]?.split('/')[0]}/`;
  const shared = names.every(name => name.startsWith(top)); // a folder: its own name is not part of the names
  return list.map((file, at) => ({ name: shared ? names[at].slice(top.length) : names[at], file }));
}

/** The files of a drop, with those in folders. */
async function dropped(items) {
  const list = [], entries = [...items].map(item => item.webkitGetAsEntry?.()).filter(Boolean);
  const walk = async (entry, path) => {
    if (entry.isFile) list.push({ name: path + entry.name, file: await new Promise((resolve, reject) => entry.file(resolve, reject)) });
    else for (const reader = entry.createReader(); ;) {
      const part = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
      if (!part.length) break;
      for (const inner of part) await walk(inner, `${path}${entry.name}/`);
    }
  };
  for (const entry of entries) await walk(entry, '');
  const top = `${list[0]?.name.split('/')[0]}/`;
  return list.every(({ name }) => name.startsWith(top)) ? list.map(({ name, file }) => ({ name: name.slice(top.length), file })) : list;
}

async function openSample({ folder, files: names }, view = null) {
  if (!kSample.test(folder)) return;
  try {
    const given = await Promise.all(names.map(async name => {
      const answer = await fetch(`${folder}/${name}`);
      if (!answer.ok) throw new Error(`${name}: ${answer.status}`);
      return { name, file: await answer.blob() };
    }));
    await open(given, {}, { sample: folder, name: folder.slice(folder.lastIndexOf('/') + 1) }, view);
  } catch (problem) {
    say(`The sample cannot be loaded: ${problem.message}`, true);
  }
}

// --- running ---

/** `toFinding`: goes to the first finding in the text that is shown. */
async function run(toFinding = true) {
  let data;
  try {
    data = (await request({ do: 'run' }, `Running ${kernel.entry}…`)).answer;
  } catch (problem) {
    await recover(problem);
    return;
  }
  if (data.error) {
    const { message, field, line } = data.error;
    stopped(`${kernel.entry} cannot be run: ${message}${line ? ` (${field}, line ${line})` : ''}.`);
    return;
  }
  ran = data.ran;
  showRun(toFinding);
  remember();
}

/** Asks the debugger. The answer is shown. */
async function ask(asked, doing = 'Going…') {
  let data;
  try {
    data = (await request(asked, doing)).answer;
  } catch (problem) {
    await recover(problem);
    return;
  }
  if (data.error) {
    say(data.error.message, true);
    return;
  }
  const before = debug;
  debug = data.debug;
  if (debug?.said) say(debug.said, debug.refused);
  else say('');
  showDebug(before);
  remember();
}

const act = action => debug && ask({ do: 'act', action });
function stopAt(line) {
  if (!debug) return say('Choose Debug first: then the run can stop at a line.', true);
  const name = $('which').value;
  if (name !== kernel.ptx && name !== kernel.snippet) return say(`The run can stop at lines of ${[kernel.snippet, kernel.ptx].filter(Boolean).join(' and ')}.`, true);
  ask({ do: 'break', line, inSnippet: name !== kernel.ptx });
}

/** Opens the panel of stops. Its entry begins with the condition of the line. */
function conditionAt(line) {
  if (!debug) return say('Choose Debug first: then the run can stop at a line.', true);
  const name = $('which').value;
  if (name !== kernel.ptx && name !== kernel.snippet) return say(`The run can stop at lines of ${[kernel.snippet, kernel.ptx].filter(Boolean).join(' and ')}.`, true);
  panel = 'stops';
  return ask({ do: 'condition', line, inSnippet: name !== kernel.ptx }).then(() => {
    const entry = $('panel').querySelector('input[type=text]');
    entry?.focus();
    entry?.setSelectionRange(entry.value.length, entry.value.length);
  });
}

// --- the address ---

/** The state of a link; null if it is too large. `arrays`: with the arrays, without them, or (null) without any file. */
async function state(arrays) {
  const view = (await request({ do: 'share' }, 'Making the link…')).answer;
  const at = code.chosen ? { show: $('which').value, line: code.chosen } : { show: $('which').value };
  const whole = { ...view, ...at, ...(finding >= 0 ? { finding } : {}), name: named };
  if (sample) return { kernel: { ...whole, sample } };
  if (arrays === null) return { kernel: { ...whole, needs: files.map(({ name }) => name).slice(0, 50) } };
  if (!inLink.has(arrays)) inLink.set(arrays, (await request({ do: 'files', arrays }, 'Making the link…')).answer);
  const { files: list } = inLink.get(arrays);
  return list && { kernel: { ...whole, files: list } };
}

/** The fragment for what is shown, and what it lacks: '', 'arrays' or 'files'. */
async function fragment() {
  for (const [arrays, lacks] of [[true, ''], [false, 'arrays']]) {
    const now = await state(arrays), made = now && await fragmentOf(now).catch(() => null);
    if (made && made.length <= kLongestLink) return { made, lacks };
    if (sample || !inLink.get(true).arrays) break;
  }
  return { made: await fragmentOf(await state(null)), lacks: 'files' };
}

let remembering;
function remember() {
  clearTimeout(remembering);
  remembering = setTimeout(async () => {
    const step = document.body.dataset.stepped ?? '', given = kernel && await fragment().catch(() => null);
    if (!given) return;
    history.replaceState(null, '', given.made);
    document.body.dataset.linked = step;
  }, kPauseMs);
}

async function copyLink() {
  if (!kernel) return say('Open a kernel first.', true);
  clearTimeout(remembering);
  const given = await fragment().catch(() => null);
  if (!given) return;
  history.replaceState(null, '', given.made);
  const isCopied = await copied(location.href);
  say((isCopied ? 'The link is copied, and in the address bar.' : 'The browser does not let the page copy; the link is in the address bar.') +
    { '': '',
      arrays: ' The arrays are too large to be in it: with the link, random numbers stand in.',
      files: ' The kernel is too large to be in it: whoever opens it needs the files, too.' }[given.lacks], !isCopied);
}

/** Shows the state of the address. A link that cannot be read is told, and the page stays as it is. */
async function openLink() {
  try {
    const given = await stateOf(location.hash);
    if (!given) return;
    const linked = given.kernel;
    if (!linked || typeof linked !== 'object') throw new Error('it has no kernel');
    if (linked.sample !== undefined) {
      const known = samples.find(({ folder }) => folder === linked.sample);
      if (!known) throw new Error('this page has no such sample');
      await openSample(known, linked);
    } else if (linked.files !== undefined) await open(filesOf(linked.files), {}, { name: textIn(linked.name) }, linked);
    else {
      waiting = linked;
      const needs = (Array.isArray(linked.needs) ? linked.needs : []).filter(textIn).slice(0, 50);
      stopped(`This link shows a kernel that is too large to be in it. Open its files${needs.length ? `, ${needs.join(', ')},` : ''} and the page shows the view.`);
    }
  } catch (problem) {
    say(`This link cannot be read: ${problem.message}.`, true);
  }
}

// --- what is shown ---

function showKernel() {
  for (const id of ['bar', 'facts', 'code']) $(id).hidden = !kernel;
  $('empty').hidden = Boolean(kernel);
  $('title').textContent = kernel.entry;
  document.title = `${kernel.entry} · Lanescope`;
  const options = (list, chosen) => list.map(name => element('option', { value: name, selected: name === chosen }, name));
  $('ptx').replaceChildren(...options(kernel.choices, kernel.ptx));
  $('ptxChoice').hidden = kernel.choices.length < 2;
  $('entry').replaceChildren(...options(kernel.entries, kernel.entry));
  $('entryChoice').hidden = kernel.entries.length < 2 || !kernel.guesses.length;
  $('which').replaceChildren(...options([kernel.ptx, ...kernel.sources], kernel.ptx));
  $('launch').textContent = kernel.launch;
  $('guesses').replaceChildren(...[...kernel.guesses.map(guess => `guessed: ${guess}`), ...kernel.remarks].map(words => sentence(words, 'li')));
  $('actions').replaceChildren(...kernel.actions.map(({ name, title, about }) => element('button', { type: 'button', title: about, onclick: () => act(name) }, title)));
  for (const button of $('actions').children) button.setAttribute('aria-label', `${button.textContent}: ${button.title}`);
  $('panelTabs').replaceChildren(...kernel.panels.filter(({ name }) => panelNames.has(name)).map(({ name, title }) => {
    const tab = element('button', { type: 'button', role: 'tab', onclick: () => choosePanel(name) }, title);
    tab.dataset.panel = name;
    tab.id = `tab-${name}`;
    return tab;
  }));
  $('verdict').textContent = 'Not run yet.';
  $('findings').replaceChildren();
  $('outputsPart').hidden = $('printedPart').hidden = true;
  $('note').textContent = '';
  showDebug();
}

async function showText(name) {
  if (!texts.has(name)) {
    const data = await request({ do: 'text', name }, 'Reading the text…').catch(() => null);
    texts.set(name, data?.answer.text ?? '');
  }
  $('which').value = name;
  code.show(texts.get(name), name);
  markFindings();
  markDebug();
  document.body.dataset.shown = String(Number(document.body.dataset.shown ?? 0) + 1);
}

/** The places of a finding in the file that is shown: its own, and those of its notes. */
function markFindings() {
  const name = $('which').value;
  code.findings((ran?.findings ?? []).filter(({ allowed }) => !allowed).flatMap(({ file, line, grade, rule, message, related }) => [
    ...(file === name ? [{ line, grade, rule, message }] : []),
    ...related.filter(note => note.file === name && !(file === name && note.line === line)).map(note => ({ line: note.line, grade: 'note', rule, message: note.message })),
  ]));
}

async function goTo(file, line) {
  if ([...$('which').options].every(({ value }) => value !== file)) return;
  if ($('which').value !== file) await showText(file);
  code.choose(line, false);
  code.row(line)?.scrollIntoView({ block: 'center' });
}

const countWords = (count, one) => `${count} ${one}${count === 1 ? '' : 's'}`;

/** Marks a finding in the list as chosen. */
function chooseFinding(index) {
  finding = index;
  [...$('findings').children].forEach((item, at) => {
    if (at === index) item.setAttribute('aria-current', 'true');
    else item.removeAttribute('aria-current');
  });
}

function showRun(toFinding) {
  const { findings, runs, seconds, outputs } = ran, of = grade => findings.filter(finding => finding.grade === grade && !finding.allowed).length;
  const allowed = findings.filter(finding => finding.allowed).length;
  $('verdict').textContent = `${countWords(of('fault'), 'fault')}, ${countWords(of('hazard'), 'hazard')}, ${countWords(of('note'), 'note')}${allowed ? `, ${allowed} allowed` : ''} in ${countWords(runs, 'run')}, ${seconds.toFixed(seconds < 1 ? 3 : 1)} s${kernel.guesses.length ? ', with a guessed launch' : ''}`;
  $('verdict').className = of('fault') ? 'bad' : of('hazard') ? 'warning' : 'good';
  const place = ({ file, line }, index) => line ? element('button', { type: 'button', class: 'plain', title: 'show the line', onclick: () => {
    chooseFinding(index);
    goTo(file, line).then(remember);
  } }, `${file}, line ${line}`) : element('span', { class: 'faint' }, file);
  finding = -1;
  $('findings').replaceChildren(...findings.map((finding, index) => element('li', { class: finding.allowed ? 'allowed' : '' },
    element('p', {}, element('strong', { class: finding.allowed ? 'faint' : { fault: 'bad', hazard: 'warning', note: 'faint' }[finding.grade] }, `${finding.grade} [${finding.rule}]${finding.allowed ? ', allowed' : ''}`), ' ', place(finding, index)),
    ...(finding.allowed ? [element('p', {}, 'A comment allows it because ', element('em', {}, finding.allowed), '.')] : []), sentence(finding.message),
    ...(finding.related.length ? [element('ul', {}, ...finding.related.map(note => element('li', {}, sentence(note.message, 'span'), ' ', note.line ? place(note, index) : '')))] : []),
    ...(finding.schedule !== '0' ? [element('p', { class: 'faint' }, `found on schedule ${finding.schedule}`)] : []))));
  $('outputsPart').hidden = !outputs.length;
  $('outputs').tBodies[0].replaceChildren(...outputs.map(({ index, name, type, changed, elements, words }) => element('tr', {}, element('th', { scope: 'row' }, name, element('br'), element('span', { class: 'faint' }, type)),
    element('td', {}, `${changed} of ${elements}`), element('td', { class: 'values' }, words), element('td', {}, element('button', { type: 'button', 'aria-label': `save ${name} as .npy`, onclick: () => save(index, name) }, 'Save')))));
  $('printedPart').hidden = !ran.printed;
  $('printed').textContent = ran.printed;
  $('note').textContent = ran.note;
  markFindings();
  const first = toFinding && findings.find(finding => finding.file === $('which').value && finding.line && !finding.allowed);
  if (first) goTo(first.file, first.line);
  document.body.dataset.ran = String(Number(document.body.dataset.ran ?? 0) + 1);
}

async function save(index, name) {
  const data = await request({ do: 'output', index }, 'Writing the array…').catch(() => null);
  if (!data?.bytes) return say('The arrays of this run are gone. Run the kernel again.', true);
  const address = URL.createObjectURL(new Blob([data.bytes]));
  element('a', { href: address, download: `${name.replace(/\.npy$/, '').replace(/[^\w.-]/g, '_')}.npy` }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

function choosePanel(name) {
  panel = name;
  ask({ do: 'panel', panel: name }, 'Looking…');
}

function markDebug() {
  const inPtx = $('which').value === kernel?.ptx, inSnippet = $('which').value === kernel?.snippet;
  if (!debug || !(inPtx || inSnippet)) return code.stand({});
  const others = new Map();
  for (const warp of debug.warps) for (const place of warp.places) {
    const line = inPtx ? place.ptxLine : place.line;
    if (line) others.set(line, (others.get(line) ?? 0) + 1);
  }
  code.stand({ here: inPtx ? debug.ptxLine : debug.line, others, stops: debug.stops.filter(stop => stop.line && stop.inSnippet === inSnippet) });
}

function showDebug(before) {
  $('debugPart').hidden = $('actions').hidden = $('moments').hidden = !debug;
  $('debug').setAttribute('aria-pressed', String(Boolean(debug)));
  if (!debug) return kernel && code.rows.length ? code.stand({}) : undefined;
  $('stopWords').replaceChildren(...sentence(debug.stop).childNodes);
  $('stopWords').className = debug.isFault ? 'bad' : '';
  $('faultPlace').textContent = debug.faultPlace;
  $('where').textContent = debug.moment;
  $('moment').max = debug.last;
  $('moment').value = debug.at;
  $('moment').setAttribute('aria-valuetext', debug.moment);
  for (const tab of $('panelTabs').children) {
    tab.setAttribute('aria-selected', String(tab.dataset.panel === panel));
    tab.tabIndex = tab.dataset.panel === panel ? 0 : -1;
  }
  $('panel').setAttribute('aria-labelledby', `tab-${panel}`);
  const table = $('panel').querySelector('.wideTable'), left = table?.scrollLeft ?? 0, top = $('panel').scrollTop;
  $('panel').replaceChildren(panelOf(panel, debug, { ask }));
  if (before) {
    $('panel').scrollTop = top;
    const again = $('panel').querySelector('.wideTable');
    if (again) again.scrollLeft = left;
  }
  markDebug();
  document.body.dataset.stepped = String(Number(document.body.dataset.stepped ?? 0) + 1);
}

// --- what the user does ---

$('samples').onchange = () => openSample(samples[Number($('samples').value)]);
$('open').onclick = $('choose').onclick = () => $('file').click();
$('openFolder').onclick = () => $('folder').click();
for (const input of [$('file'), $('folder')]) input.onchange = () => {
  if (input.files.length) open(withNames([...input.files]));
  input.value = '';
};
$('ptx').onchange = () => open(files, { ptx: $('ptx').value });
$('entry').onchange = () => open(files, { ptx: kernel.ptx, entry: $('entry').value });
$('which').onchange = () => showText($('which').value).then(remember);
$('run').onclick = () => {
  debug = null;
  showDebug();
  run();
};
$('debug').onclick = () => {
  if (!debug) return ask({ do: 'debug' }, 'Opening the debugger…').then(() => $('code').focus());
  debug = null;
  showDebug();
};
$('stop').onclick = () => start();
$('link').onclick = copyLink;
$('moment').onchange = () => ask({ do: 'goTo', moment: Number($('moment').value) });
$('help').onclick = () => $('about').showModal();
$('panelTabs').addEventListener('keydown', event => {
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key], tabs = [...$('panelTabs').children];
  if (!step) return;
  const to = tabs[(tabs.indexOf(document.activeElement) + step + tabs.length) % tabs.length];
  to.focus();
  choosePanel(to.dataset.panel);
});
$('code').addEventListener('keydown', event => {
  if (event.ctrlKey || event.altKey || event.metaKey) return;
  if (event.key === 'b' && code.chosen) stopAt(code.chosen);
  else if (event.key === 'B' && code.chosen) conditionAt(code.chosen);
  else if (debug && kKeys[event.key]) act(kKeys[event.key]);
  else if (debug && (event.key === '[' || event.key === ']')) ask({ do: 'next', step: event.key === ']' ? 1 : -1 });
  else return;
  event.preventDefault();
});
addEventListener('dragover', event => {
  event.preventDefault();
  document.body.classList.add('dropping');
});
addEventListener('dragleave', event => { if (!event.relatedTarget) document.body.classList.remove('dropping'); });
addEventListener('drop', async event => {
  event.preventDefault();
  document.body.classList.remove('dropping');
  const inFolders = dropped(event.dataTransfer.items), plain = [...event.dataTransfer.files];
  const given = await inFolders;
  open(given.length ? given : withNames(plain));
});

start();
if ('serviceWorker' in navigator && location.protocol === 'https:') navigator.serviceWorker.register('offline.js');
samples = await (await fetch('kernels.json')).json();
$('samples').append(...samples.map(({ title }, at) => element('option', { value: String(at) }, title)));
addEventListener('hashchange', openLink);
await openLink();
document.body.dataset.ready = 'yes';
