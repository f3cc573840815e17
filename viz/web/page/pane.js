// One picture on a page: its title, its buttons, its surface, and what the user does on it.
import { element, sentence } from './elements.js';

/**
 * A picture with its title and buttons. Its surface shows the cells: a canvas of the module (canvas.js), or a drawing (drawn.js). `host` has
 * what is around it: pictures (name -> Picture), and the functions narrow(), ask(request), change(request), lit(answer), remember().
 */
export class Picture {
  constructor(name, host, surface) {
    Object.assign(this, { name, host, surface });
    this.title = element('h2');
    this.about = element('span', { class: 'faint about' });
    this.problems = element('div', { role: 'alert' });
    this.tip = element('div', { class: 'tip', hidden: true });
    this.room = element('div', { class: 'room' }, surface.content, this.tip);
    const button = (text, label, act) => element('button', { type: 'button', title: label, 'aria-label': label, onclick: act }, text);
    this.tools = element('div', { class: 'tools' },
      button('−', 'zoom out (-)', () => this.zoom(1 / 1.25)), button('+', 'zoom in (+)', () => this.zoom(1.25)),
      button('all', 'all of the picture (Home)', () => this.view('fit')),
      button('labels', 'as large as labels need (L)', () => this.view('labels')),
      this.close = button('×', 'close this picture', () => this.host.change({ do: 'open', pane: name, open: false })));
    this.root = element('section', { class: 'picture' },
      element('div', { class: 'head' }, this.title, this.about, this.tools), this.problems, this.room);
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
    this.surface.show(pane);
    this.later();
  }

  /** Draws in the next frame of the browser. */
  later() {
    this.wanted ??= requestAnimationFrame(() => { this.wanted = null; this.draw(); });
  }

  draw() {
    if (this.pane?.scene && this.root.isConnected && this.room.clientWidth) this.surface.draw(this.pane, this.room);
  }

  zoom(factor, at = null) {
    this.surface.zoom(factor, at);
    this.later();
    this.host.remember();
  }
  view(what) {
    this.surface.view(what);
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
    const surface = this.surface.element;
    let pressed = null;
    surface.addEventListener('pointermove', event => {
      if (pressed) {
        const x = event.clientX - pressed.x, y = event.clientY - pressed.y;
        if (!pressed.moved && Math.hypot(x, y) < 5) return;
        pressed.moved = true;
        pressed.x = event.clientX, pressed.y = event.clientY;
        this.surface.pan(x, y);
        this.tip.hidden = true;
        this.later();
        return;
      }
      const answer = this.host.ask({ do: 'point', pane: this.name, ...this.surface.at(event) });
      if (!answer) return;
      if (answer.lit.changed) this.host.lit(answer.lit);
      this.showTip(event, answer.lit.hovering ? answer.lit.words : []);
    });
    surface.addEventListener('pointerleave', event => {
      pressed = null;
      if (event.pointerType === 'mouse') this.tip.hidden = true; // a finger leaves after each tap
      const answer = this.host.ask({ do: 'leave' });
      if (answer?.lit.changed) this.host.lit(answer.lit);
    });
    surface.addEventListener('pointerdown', event => {
      if (event.button !== 0 || !this.surface.drags) return;
      pressed = { x: event.clientX, y: event.clientY, moved: false };
      if (event.pointerType === 'mouse') surface.setPointerCapture(event.pointerId);
    });
    surface.addEventListener('pointercancel', () => { pressed = null; });
    surface.addEventListener('pointerup', event => {
      const moved = pressed?.moved;
      pressed = null;
      for (const picture of this.host.pictures.values()) picture.tip.hidden = true;
      if (moved) this.host.remember();
      if (moved || event.button !== 0) return;
      this.host.ask({ do: 'front', pane: this.name });
      const answer = this.host.ask({ do: 'click', pane: this.name, ...this.surface.at(event) });
      if (!answer) return;
      this.host.lit(answer.lit);
      this.host.remember();
      this.showTip(event, answer.lit.words);
    });
    surface.addEventListener('dblclick', () => this.view('fit'));
    surface.addEventListener('wheel', event => {
      // On a page that scrolls, the wheel scrolls it.
      if (this.host.narrow() && !event.ctrlKey) return;
      event.preventDefault();
      this.zoom(1.2 ** -Math.sign(event.deltaY), this.surface.at(event));
    }, { passive: false });
    surface.addEventListener('keydown', event => {
      if (event.ctrlKey || event.altKey || event.metaKey) return;
      const times = event.shiftKey ? 8 : 1;
      const steps = { ArrowUp: [-times, 0], ArrowDown: [times, 0], ArrowLeft: [0, -times], ArrowRight: [0, times] }[event.key];
      if (steps) {
        const answer = this.host.ask({ do: 'arrow', pane: this.name, rows: steps[0], columns: steps[1] });
        if (answer) this.host.lit(answer.lit), this.surface.reveal(), this.host.remember();
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
