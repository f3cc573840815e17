// The page with the console: entries go to the module, and its answers are shown. The module runs in a worker. This file
// knows nothing about layouts or the language.
import { Background, stopWords } from './background.js';
import { copied, element, sentence } from './elements.js';
import { fragmentOf, stateOf } from './link.js';

const kMostEntries = 500; // in a link and on the page
const kMostPictures = 8; // that are drawn; older ones are text
const kLongestLink = 1 << 16; // letters
const kPauseMs = 120; // the pause in typing after which candidates are asked for
const $ = id => document.getElementById(id);
const text = $('text'), list = $('candidates');

let entries = [], at = 0, draft = ''; // the entries that ran, and the place in them that the arrow keys reached
let running = false;

function say(words, bad = false) {
  $('said').replaceChildren(...sentence(words).childNodes);
  $('said').classList.toggle('bad', bad);
}
function stopped(words) {
  $('stopped').replaceChildren(...sentence(words).childNodes);
  $('stopped').hidden = !words;
}

const background = new Background('snippets.wasm', doing => {
  if (doing) $('reading').firstElementChild.textContent = doing;
  $('reading').hidden = !doing;
}, problem => stopped(`This page cannot start: ${problem}. It needs Chromium 91, Firefox 114, Safari 16.4 or a later one.`));

/** The module's answer; null after a stop, which is told. The names of the session are then gone. */
async function ask(request, doing) {
  try {
    return (await background.request(request, doing)).answer;
  } catch (problem) {
    if (problem.cause !== 'user') {
      stopped(stopWords(problem, 'entry', 'lanescope'));
      background.start();
    }
    return null;
  }
}

// --- entries ---

const columns = () => Math.max(40, Math.min(160, Math.floor(($('log').clientWidth - 30) / 7.9)));

let pictures = [];
/** A picture of a view: the element that draws it, its text, and a link to the page with all of its views. */
async function picture(words, view) {
  const link = await fragmentOf({ view });
  const asText = element('pre', {}, words), details = element('details', {}, element('summary', {}, 'as text'), asText);
  const made = element('div', {}, details, element('p', {}, element('a', { href: `./${link}`, target: '_blank', rel: 'noopener' }, 'Open in Layouts')));
  try {
    await import('./lanescope-layout.js');
    const drawn = document.createElement('lanescope-layout');
    drawn.setAttribute('link', link);
    made.prepend(drawn);
    pictures.push({ drawn, details });
    for (const old of pictures.splice(0, Math.max(0, pictures.length - kMostPictures))) { // each has its own memory
      old.drawn.remove();
      old.details.open = true;
    }
  } catch {
    details.open = true;
  }
  return made;
}

/** Runs an entry and shows it. Returns false if it failed or was stopped. */
async function run(words) {
  closeList();
  running = true;
  $('hello')?.remove();
  const article = element('article', {}, element('pre', { class: 'asked' }, words.split('\n').map((line, n) => `${n ? '...' : '>>>'} ${line}`).join('\n')));
  $('log').append(article);
  while ($('log').children.length > kMostEntries) $('log').firstElementChild.remove();
  article.scrollIntoView({ block: 'end' });
  const data = await ask({ do: 'entry', text: words, width: columns() }, 'Running…');
  running = false;
  if (!data) article.append(element('pre', { class: 'problem' }, 'Stopped. The names of the entries before are gone.'));
  else if (data.error) article.append(element('pre', { class: 'problem' }, data.error.message));
  else for (const part of data.entry.parts)
    article.append(part.kind === 'picture' ? await picture(part.text, part.view) : element('pre', { class: part.kind }, part.text.replace(/\n$/, '')));
  for (const wide of article.querySelectorAll('pre')) wide.tabIndex = wide.scrollWidth > wide.clientWidth ? 0 : -1;
  article.scrollIntoView({ block: 'end' });
  document.body.dataset.ran = String(Number(document.body.dataset.ran ?? 0) + 1);
  return Boolean(data?.entry?.ok);
}

async function enter(words) {
  if (running || !words.trim()) return;
  const before = entries.at(-1);
  text.value = '';
  say('');
  stopped('');
  if (words !== before) entries.push(words);
  entries = entries.slice(-kMostEntries);
  at = entries.length;
  await run(words);
  await remember();
}

// --- completion ---

let found = null, chosen = -1, typing;
const bytes = words => new TextEncoder().encode(words);
function closeList() {
  clearTimeout(typing);
  found = null;
  list.hidden = true;
  list.replaceChildren();
  text.removeAttribute('aria-activedescendant');
}

function choose(index) {
  chosen = index;
  [...list.children].forEach((item, n) => item.setAttribute('aria-selected', String(n === index)));
  const item = list.children[index];
  if (!item) return text.removeAttribute('aria-activedescendant');
  text.setAttribute('aria-activedescendant', item.id);
  item.scrollIntoView({ block: 'nearest' });
  about(item.textContent);
}

async function about(name) {
  const data = await ask({ do: 'about', text: name });
  if (!data?.about) return;
  $('aboutName').textContent = name.replace(/\(.*$/, '');
  namesIn = null;
  $('aboutWords').textContent = data.about;
}

function insert(candidate) {
  const cursor = text.selectionStart;
  text.setRangeText(candidate, found.from, cursor, 'end');
  closeList();
  text.focus();
}

/** Asks for candidates at the cursor. `inserts`: what all of them begin with is inserted. */
async function complete(inserts) {
  const cursor = text.selectionStart, before = text.value.slice(0, cursor), raw = bytes(before);
  const data = await ask({ do: 'complete', text: before, cursor: raw.length });
  if (!data?.completion || text.selectionStart !== cursor || !text.value.startsWith(before)) return;
  const { from, candidates, common } = data.completion, start = new TextDecoder().decode(raw.slice(0, from)).length;
  closeList();
  if (!candidates.length) return;
  found = { from: start, candidates };
  if (inserts && candidates.length === 1) return insert(candidates[0]);
  if (inserts && common.length > cursor - start) {
    text.setRangeText(common, start, cursor, 'end');
    found = { from: start, candidates };
  }
  list.replaceChildren(...candidates.slice(0, 100).map((candidate, n) => element('li', { role: 'option', id: `candidate${n}`, 'aria-selected': 'false', onmousedown: event => {
    event.preventDefault();
    insert(candidate);
  } }, candidate)));
  list.hidden = false;
  choose(inserts ? 0 : -1);
}

// --- the address ---

async function remember() {
  const made = entries.length ? await fragmentOf({ snippets: entries }).catch(() => '') : '';
  if (made && made.length <= kLongestLink) history.replaceState(null, '', made);
  else if (!entries.length) history.replaceState(null, '', location.pathname + location.search);
  return made && made.length <= kLongestLink;
}

/** Runs the entries of the address, until one of them is stopped. */
async function openLink() {
  let given;
  try {
    given = await stateOf(location.hash);
    if (given && (!Array.isArray(given.snippets) || given.snippets.length > kMostEntries || given.snippets.some(one => typeof one !== 'string'))) throw new Error('it has no entries');
  } catch (problem) {
    return say(`This link cannot be read: ${problem.message}.`, true);
  }
  if (!given) return;
  anew();
  entries = given.snippets;
  at = entries.length;
  for (const words of entries) {
    await run(words);
    if (!$('stopped').hidden || ended) break;
  }
}

let ended = false; // the user has stopped the entries of a link
function anew() {
  background.start();
  entries = [];
  at = 0;
  pictures = [];
  ended = false;
  $('log').replaceChildren();
  stopped('');
  say('');
}

// --- what the user does ---

function earlier(step) {
  if (!entries.length) return;
  if (at === entries.length) draft = text.value;
  at = Math.min(Math.max(at + step, 0), entries.length);
  text.value = at === entries.length ? draft : entries[at];
  text.setSelectionRange(text.value.length, text.value.length);
}

const stop = () => {
  if (!running) return;
  ended = true;
  background.start();
};
$('entry').onsubmit = event => {
  event.preventDefault();
  enter(text.value);
};
text.addEventListener('keydown', async event => {
  const open = found && !list.hidden, plain = !event.ctrlKey && !event.altKey && !event.metaKey, { key } = event;
  if (event.ctrlKey && key === 'c' && text.selectionStart === text.selectionEnd && running) stop();
  else if (!plain || event.isComposing) return;
  else if (key === 'Tab' && !event.shiftKey && text.value.trim()) event.preventDefault(), open && chosen >= 0 ? insert(found.candidates[chosen]) : complete(true);
  else if (key === 'Escape' && open) event.preventDefault(), closeList();
  else if ((key === 'ArrowDown' || key === 'ArrowUp') && open) event.preventDefault(), choose((chosen + (key === 'ArrowDown' ? 1 : -1) + list.children.length) % list.children.length);
  else if (key === 'ArrowUp' && !text.value.slice(0, text.selectionStart).includes('\n')) event.preventDefault(), earlier(-1);
  else if (key === 'ArrowDown' && !text.value.slice(text.selectionEnd).includes('\n')) event.preventDefault(), earlier(1);
  else if (key === 'Enter' && !event.shiftKey) {
    event.preventDefault();
    if (open && chosen >= 0) return insert(found.candidates[chosen]);
    if (running) return;
    const words = text.value, atEnd = text.selectionStart === words.length;
    const data = await ask({ do: 'more', text: words });
    if (data?.more || !atEnd && words.includes('\n')) return text.setRangeText('\n', text.selectionStart, text.selectionEnd, 'end');
    enter(words);
  }
});
text.addEventListener('input', () => {
  closeList();
  const word = text.value.slice(0, text.selectionStart);
  if (/[\w.]$/.test(word) && !running) typing = setTimeout(() => complete(false), kPauseMs);
});
text.addEventListener('blur', () => setTimeout(closeList, 100));
$('stop').onclick = stop;
$('clear').onclick = () => {
  anew();
  remember();
  text.focus();
};
$('link').onclick = async () => {
  if (!entries.length) return say('Run an entry first.', true);
  if (!await remember()) return say('These entries are too long for a link. Start anew, and run the ones that matter.', true);
  say(await copied(location.href) ? 'The link is copied, and in the address bar.' : 'The browser does not let the page copy.');
};
$('help').onclick = () => $('about').showModal();
$('samples').onchange = async () => {
  const sample = samples[Number($('samples').value)];
  $('samples').value = '';
  if (sample) await enter(sample.text);
};

/** Shows the names in rows that fit, until the user asks about one of them. */
let namesIn = 0; // columns; null: something else is shown
async function showNames() {
  const fit = Math.floor($('aboutWords').clientWidth / 7.3);
  if (namesIn === null || namesIn === fit || running) return;
  namesIn = fit;
  const data = await ask({ do: 'overview', width: fit });
  if (namesIn === fit) $('aboutWords').textContent = data?.about ?? '';
}

background.start();
const samples = await (await fetch('snippets.json')).json();
$('samples').append(...samples.map(({ title }, n) => element('option', { value: String(n) }, title)));
showNames();
new ResizeObserver(showNames).observe($('aboutWords'));
addEventListener('hashchange', openLink);
await openLink();
text.focus({ preventScroll: true });
document.body.dataset.ready = 'yes';
if ('serviceWorker' in navigator && location.protocol === 'https:') navigator.serviceWorker.register('offline.js');
