// Shows the lines of a text, with findings and stops at them. One line is chosen with the arrow keys.
import { element, sentence } from './elements.js';

const kBlock = 200; // lines that the browser lays out together, when they come into view
export const kMostLines = 60_000;
const kMostLetters = 4000; // a longer line is cut
const shown = line => line.length > kMostLetters ? `${line.slice(0, kMostLetters)}… (${line.length - kMostLetters} letters more)` : line || ' ';

export class Code {
  /** `toggle` is called with the number of a line whose stop the user sets or removes, `chosen` when the user chooses a line. */
  constructor(list, toggle, chosen) {
    this.list = list;
    this.toggle = toggle;
    this.rows = [];
    this.chosen = 0;
    list.addEventListener('click', event => {
      const row = event.target.closest('[data-line]');
      if (!row) return;
      this.choose(Number(row.dataset.line), false);
      chosen();
      if (event.target.classList.contains('number')) this.toggle(this.chosen);
    });
    list.addEventListener('keydown', event => {
      const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 20, PageUp: -20 }[event.key];
      if (!step || event.ctrlKey || event.altKey || event.metaKey) return;
      event.preventDefault();
      this.choose((this.chosen || 1) + step);
      chosen();
    });
  }

  show(text, name) {
    const lines = text.split('\n');
    if (lines.at(-1) === '') lines.pop();
    this.left = Math.max(0, lines.length - kMostLines);
    this.rows = lines.slice(0, kMostLines).map((line, at) => element('div', { class: 'line', id: `line${at + 1}`, role: 'option', 'aria-selected': 'false' },
      element('span', { class: 'number', title: 'stop here' }, String(at + 1)), element('span', { class: 'text' }, shown(line))));
    this.rows.forEach((row, at) => { row.dataset.line = String(at + 1); });
    const blocks = [];
    for (let at = 0; at < this.rows.length; at += kBlock) {
      const block = element('div', { class: 'lines', role: 'group', 'aria-label': `lines ${at + 1} to ${Math.min(at + kBlock, this.rows.length)}` }, ...this.rows.slice(at, at + kBlock));
      block.style.setProperty('--lines', String(Math.min(kBlock, this.rows.length - at)));
      blocks.push(block);
    }
    this.list.replaceChildren(...blocks, ...(this.left ? [element('p', { class: 'faint' }, `${this.left} lines more are not shown`)] : []));
    this.list.setAttribute('aria-label', `Lines of ${name}`);
    this.list.scrollTop = 0;
    this.chosen = 0;
    this.marked = [];
  }

  row(line) { return this.rows[line - 1]; }

  choose(line, scroll = true) {
    this.row(this.chosen)?.setAttribute('aria-selected', 'false');
    this.chosen = Math.min(Math.max(line, 1), this.rows.length);
    const row = this.row(this.chosen);
    if (!row) return;
    row.setAttribute('aria-selected', 'true');
    this.list.setAttribute('aria-activedescendant', row.id);
    if (scroll) row.scrollIntoView({ block: 'nearest' });
  }

  /** Marks the lines of findings: {line, grade, rule, message}. */
  findings(list) {
    for (const row of this.rows) if (row.children.length > 2) row.replaceChildren(row.children[0], row.children[1]);
    for (const row of this.rows) row.classList.remove('fault', 'hazard', 'note');
    for (const { line, grade, rule, message } of list) {
      const row = this.row(line);
      if (!row) continue;
      row.classList.add(grade);
      row.append(sentence(`${grade} [${rule}]: ${message}`, 'span', { class: `inline ${grade}` }));
    }
  }

  /** Marks where the debugger stands: the focused warp's line, those of the other warps, the stops. */
  stand({ here = 0, others = new Map(), stops = [] }) {
    for (const row of this.marked) {
      row.classList.remove('here', 'warp', 'stop', 'off', 'conditional');
      row.firstChild.removeAttribute('data-warps');
      row.firstChild.title = 'stop here';
    }
    this.marked = [];
    const mark = (line, name) => {
      const row = this.row(line);
      if (!row) return null;
      row.classList.add(name);
      this.marked.push(row);
      return row;
    };
    for (const [line, warps] of others) {
      const row = mark(line, 'warp');
      if (row) row.firstChild.dataset.warps = String(warps);
    }
    for (const { line, enabled, conditional, words } of stops) {
      const row = mark(line, 'stop');
      if (!row) continue;
      row.classList.toggle('off', !enabled);
      row.classList.toggle('conditional', conditional);
      row.firstChild.title = enabled ? `the run stops here: ${words}` : `switched off: ${words}`;
    }
    const row = mark(here, 'here');
    if (row) this.choose(here, false), row.scrollIntoView({ block: 'center' });
  }
}
