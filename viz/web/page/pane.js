// One picture of a layout on the page: its title, its buttons, its canvas, and what the user does on it.
import { element, sentence } from './elements.js';
import { Painter, packed } from './picture.js';

/** The colours and fonts of an element's style. */
export function lookOf(root, dark) {
  const style = getComputedStyle(root), value = name => style.getPropertyValue(name).trim();
  const scale = devicePixelRatio || 1, mono = value('--mono'), context = document.createElement('canvas').getContext('2d');
  context.font = `100px ${mono}`;
  return { scale, mono, words: value('--words'), glyph: context.measureText('0000000000').width / 1000,
           ink: value('--ink'), faint: value('--faint'), ground: value('--ground'), dim: value('--dim'),
           litText: value('--lit'), chosen: value('--chosen'), hatch: value('--hatch'),
           lit: packed(value('--lit')), empty: packed(value('--panel')), hatchPacked: packed(value('--hatch')),
           litShare: dark ? 0.6 : 0.1 };
}

/**
 * A picture with its title and buttons. `host` has what is around it: module, look, pictures (name -> Picture), and the functions
 * narrow(), ask(request), change(request), lit(answer), remember().
 */
export class Picture {
  constructor(name, host) {
    this.name = name;
    this.host = host;
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
      this.close = button('×', 'close this picture', () => this.host.change({ do: 'open', pane: name, open: false })));
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
    const { scale } = this.host.look, width = Math.floor(this.room.clientWidth * scale), height = Math.floor(this.room.clientHeight * scale);
    this.painter.look = this.host.look;
    const size = this.painter.layOut(this.pane.scene, width, height);
    const answer = this.host.ask({ do: 'frame', pane: this.name, ...size, have: this.version,
                         style: { scale, glyph: this.host.look.glyph, lit: this.host.look.lit, litShare: this.host.look.litShare,
                                  hatch: this.host.look.hatchPacked, empty: this.host.look.empty } });
    if (!answer) return;
    const { frame } = answer;
    this.painter.paint(this.host.module, frame, size);
    this.version = frame.version;
    // A finger moves the picture if a part of it is hidden, and otherwise the page.
    this.canvas.style.touchAction = frame.partial ? 'none' : 'pan-y';
    this.canvas.dataset.drawn = String(frame.version);
    // The place of the cells in the canvas, for scripts that drive the page.
    const [x0, y0, x1, y1] = frame.ground, { left, top } = this.painter.margin;
    this.canvas.dataset.ground = JSON.stringify([(left + x0) / scale, (top + y0) / scale, (x1 - x0) / scale, (y1 - y0) / scale]);
  }

  at(event) {
    const box = this.canvas.getBoundingClientRect(), { scale } = this.host.look;
    return { x: (event.clientX - box.left) * scale - this.painter.margin.left, y: (event.clientY - box.top) * scale - this.painter.margin.top };
  }
  zoom(factor, at = null) {
    const { width, height } = this.canvas;
    this.host.ask({ do: 'zoom', pane: this.name, factor, atPin: !at, ...(at ?? { x: width / 2, y: height / 2 }) });
    this.later();
    this.host.remember();
  }
  view(what) {
    this.host.ask({ do: what, pane: this.name });
    this.later();
    this.host.remember();
  }

  /** Shows the words beside the pointer, if the list of words beside the pictures may be out of sight. */
  showTip(event, words) {
    this.tip.hidden = !words.length || !this.host.narrow();
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
        const scale = this.host.look.scale, x = (event.clientX - pressed.x) * scale, y = (event.clientY - pressed.y) * scale;
        if (!pressed.moved && Math.hypot(x, y) < 5 * scale) return;
        pressed.moved = true;
        pressed.x = event.clientX, pressed.y = event.clientY;
        this.host.ask({ do: 'pan', pane: this.name, x, y });
        this.tip.hidden = true;
        this.later();
        return;
      }
      const answer = this.host.ask({ do: 'point', pane: this.name, ...this.at(event) });
      if (!answer) return;
      if (answer.lit.changed) this.host.lit(answer.lit);
      this.showTip(event, answer.lit.hovering ? answer.lit.words : []);
    });
    canvas.addEventListener('pointerleave', event => {
      pressed = null;
      if (event.pointerType === 'mouse') this.tip.hidden = true; // a finger leaves after each tap
      const answer = this.host.ask({ do: 'leave' });
      if (answer?.lit.changed) this.host.lit(answer.lit);
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
      for (const picture of this.host.pictures.values()) picture.tip.hidden = true;
      if (moved) this.host.remember();
      if (moved || event.button !== 0) return;
      this.host.ask({ do: 'front', pane: this.name });
      const answer = this.host.ask({ do: 'click', pane: this.name, ...this.at(event) });
      if (!answer) return;
      this.host.lit(answer.lit);
      this.host.remember();
      this.showTip(event, answer.lit.words);
    });
    canvas.addEventListener('dblclick', () => this.view('fit'));
    canvas.addEventListener('wheel', event => {
      // On a page that scrolls, the wheel scrolls it.
      if (this.host.narrow() && !event.ctrlKey) return;
      event.preventDefault();
      this.zoom(1.2 ** -Math.sign(event.deltaY), this.at(event));
    }, { passive: false });
    canvas.addEventListener('keydown', event => {
      if (event.ctrlKey || event.altKey || event.metaKey) return;
      const times = event.shiftKey ? 8 : 1;
      const steps = { ArrowUp: [-times, 0], ArrowDown: [times, 0], ArrowLeft: [0, -times], ArrowRight: [0, times] }[event.key];
      if (steps) {
        const answer = this.host.ask({ do: 'arrow', pane: this.name, rows: steps[0], columns: steps[1] });
        if (answer) this.host.lit(answer.lit), this.host.remember();
      } else if (event.key === '+' || event.key === '=') this.zoom(1.25);
      else if (event.key === '-') this.zoom(1 / 1.25);
      else if (event.key === 'Home' || event.key === '0') this.view('fit');
      else if (event.key === 'l' || event.key === 'L') this.view('labels');
      else if (event.key === 'Escape') {
        const answer = this.host.ask({ do: 'unpin' });
        if (answer) this.host.lit(answer.lit), this.host.remember();
      } else return;
      event.preventDefault();
    });
  }
}
