// The debugger's panels: what the module says of the stopped run, as tables.
import { element, sentence } from './elements.js';

const head = (...names) => element('thead', {}, element('tr', {}, ...names.map(name => element('th', { scope: 'col' }, name))));
const row = (first, ...cells) => element('tr', {}, element('th', { scope: 'row' }, first), ...cells.map(cell => element('td', {}, cell)));
const table = (names, rows, none) => rows.length ? element('div', { class: 'wideTable', tabIndex: 0, role: 'region', 'aria-label': names.join(', ') }, element('table', {}, head(...names), element('tbody', {}, ...rows))) : element('p', { class: 'faint' }, none);
/** An instruction's name, which a narrow column breaks before its dots. */
const opcodeOf = name => element('code', {}, ...name.split(/(?=\.)/).flatMap(part => [element('wbr'), part]));
const place = ({ line, ptxLine }) => line ? `line ${line}` : ptxLine ? `PTX line ${ptxLine}` : '';

const panels = {
  warps: (debug, { ask }) => table(['warp', 'at', 'next instruction', 'lanes'], debug.warps.flatMap(warp => (warp.places.length ? warp.places : [{}]).map(at => {
    const made = row(element('button', { type: 'button', class: 'plain', title: 'follow this warp', 'aria-pressed': String(warp.focus), onclick: () => ask({ do: 'focus', block: warp.block, warp: warp.warp }) }, warp.name),
      place(at), at.opcode ? element('div', {}, opcodeOf(at.opcode), ...(at.waitsFor ? [sentence(`waits for ${at.waitsFor}`, 'div')] : [])) : 'it has ended', at.lanes ?? '');
    made.classList.toggle('chosen', warp.focus);
    return made;
  })), 'no block runs at this moment'),
  barriers: debug => table([`barrier of ${debug.block}`, 'state', 'waiting'], debug.barriers.map(({ name, state, waiting }) => row(sentence(name, 'span'), state, waiting)), `${debug.block} has no barriers at this moment`),
  flights: debug => table(['operation', 'bytes', 'way', 'signals', 'issued at'], debug.flights.map(flight =>
    row(flight.what + (flight.landed ? ', landed' : ''), String(flight.bytes || ''), sentence(flight.way, 'span'), sentence(flight.signals, 'span'), place(flight))), debug.nothingInFlight),
  waits: debug => table(['warp', 'waits for', 'to arrive'], (debug.waits ?? []).map(({ from, what, on }) => row(from, sentence(what, 'span'), on)), 'no warp waits'),
  shared: (debug, { ask }) => {
    const { shared } = debug, part = [];
    if (!shared?.bytes) return element('p', { class: 'faint' }, 'the block has no shared memory at this moment');
    const first = shared.rows[0].address, step = shared.rowBytes * shared.shownRows;
    const go = (words, from, possible) => element('button', { type: 'button', disabled: !possible, onclick: () => ask({ do: 'shared', from }) }, words);
    part.push(element('p', { class: 'row' }, `${shared.bytes} bytes from address ${shared.address}`, go('before', Math.max(first - step, 0), first > shared.address), go('after', first + step, first + step < shared.address + shared.bytes)));
    part.push(element('p', { role: 'status' }, shared.words ? sentence(shared.words, 'span') : 'Choose a word to see its bank and its last writer. Bold words have been written, underlined ones are the target or source of a copy in flight.'));
    part.push(table(['address', ...[0, 4, 8, 12, 16, 20, 24, 28].map(offset => `+${offset}`)], shared.rows.map(({ address, words }) => row(String(address), ...words.map(({ bits, written, flight }, at) =>
      element('button', { type: 'button', class: `plain word${written ? ' written' : ''}${flight ? ' flight' : ''}`, onclick: () => ask({ do: 'word', address: address + 4 * at }) }, bits)))), ''));
    return element('div', {}, ...part);
  },
  arrays: debug => table(['array', 'changed', 'values'], (debug.arrays ?? []).map(({ name, type, changed, elements, words }) => row(`${name}: ${type}`, `${changed} of ${elements}`, words)), 'the launch has no arrays'),
  registers: debug => table([`registers of ${debug.focus.name}`, 'lanes 0 to 31'], (debug.registers ?? []).map(({ name, lanes }) => row(name, element('code', { class: 'lanes' }, lanes.length === 1 ? `${lanes[0]} in all lanes` : lanes.join(' ')))), 'the warp has no registers at this moment'),
  stops: (debug, { ask }) => {
    const entry = element('input', { type: 'text', value: debug.stopWords, placeholder: '46 if warp == 4', spellcheck: false, autocomplete: 'off', autocapitalize: 'none', 'aria-describedby': 'stopHelp' });
    entry.maxLength = 1000;
    const form = element('form', { class: 'row', onsubmit: event => {
      event.preventDefault();
      if (entry.value.trim()) ask({ do: 'stop', words: entry.value }).then(() => document.getElementById('panel').querySelector('input[type=text]')?.focus());
    } }, element('label', { class: 'field' }, 'stop at ', entry), element('button', { type: 'submit' }, 'Set'));
    const list = debug.stops.map(({ number, words, enabled }) => row(element('label', {}, element('input', { type: 'checkbox', checked: enabled, onchange: event => ask({ do: 'enable', number, enabled: event.target.checked }) }), ` ${words}`),
      element('button', { type: 'button', 'aria-label': `remove: ${words}`, onclick: () => ask({ do: 'remove', number }) }, 'Remove')));
    return element('div', {}, form,
      sentence('A line, `46` or `ptx:120`, with a condition if you like: `46 if warp == 4 and %r1 > 2`; or what stops the run where it changes: an element, `out[3, 4]`, shared memory, `smem 1024 16`, or a barrier, `mbarrier 9216`.', 'p', { class: 'faint', id: 'stopHelp' }),
      table(['stop', ''], list, 'Nothing stops the run. A line number in the code sets a stop, and so does B; Shift with B writes a condition.'));
  },
};

export const panelNames = new Set(Object.keys(panels));
export function panelOf(name, debug, page) { return panels[name](debug, page); }
