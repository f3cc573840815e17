// A picture's canvas: asks the module for frames, and paints them.
import { element } from './elements.js';
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

/** `host`: as for a Picture, with the module and the look. Points and lengths are those of the page, in CSS pixels. */
export class CanvasSurface {
  drags = true; // a drag moves the picture

  constructor(name, host) {
    Object.assign(this, { name, host, version: -1 });
    this.element = element('canvas', { tabIndex: 0, role: 'application', 'aria-roledescription': 'picture of cells', 'aria-describedby': 'words' });
    this.element.id = `picture-${name}`;
    this.content = this.element;
    this.painter = new Painter(this.element, null);
  }

  show(pane) {
    const { rows, columns, title } = pane.scene;
    const size = rows ? `, ${rows} rows by ${columns} columns` : '';
    this.element.setAttribute('aria-label', `${pane.title}: ${title}${size}. Arrow keys select a cell.`);
  }

  draw(pane, room) {
    const { scale } = this.host.look, width = Math.floor(room.clientWidth * scale), height = Math.floor(room.clientHeight * scale);
    this.painter.look = this.host.look;
    const size = this.painter.layOut(pane.scene, width, height);
    const answer = this.host.ask({ do: 'frame', pane: this.name, ...size, have: this.version,
                         style: { scale, glyph: this.host.look.glyph, lit: this.host.look.lit, litShare: this.host.look.litShare,
                                  hatch: this.host.look.hatchPacked, empty: this.host.look.empty } });
    if (!answer) return;
    const { frame } = answer;
    this.painter.paint(this.host.module, frame, size);
    this.version = frame.version;
    // A finger moves the picture if a part of it is hidden, and otherwise the page.
    this.element.style.touchAction = frame.partial ? 'none' : 'pan-y';
    this.element.dataset.drawn = String(frame.version);
    // The place of the cells in the canvas, for scripts that drive the page.
    const [x0, y0, x1, y1] = frame.ground, { left, top } = this.painter.margin;
    this.element.dataset.ground = JSON.stringify([(left + x0) / scale, (top + y0) / scale, (x1 - x0) / scale, (y1 - y0) / scale]);
  }

  /** The members of a request about the place of a pointer. */
  at(event) {
    const box = this.element.getBoundingClientRect(), { scale } = this.host.look;
    return { x: (event.clientX - box.left) * scale - this.painter.margin.left, y: (event.clientY - box.top) * scale - this.painter.margin.top };
  }
  pan(x, y) { this.host.ask({ do: 'pan', pane: this.name, x: x * this.host.look.scale, y: y * this.host.look.scale }); }
  /** `at`: the place that stays, as at() gives it; null: the selected cell, or the middle. */
  zoom(factor, at) {
    const { width, height } = this.element;
    this.host.ask({ do: 'zoom', pane: this.name, factor, atPin: !at, ...(at ?? { x: width / 2, y: height / 2 }) });
  }
  /** `what`: "fit" or "labels". */
  view(what) { this.host.ask({ do: what, pane: this.name }); }
  reveal() {} // the module has moved the selected cell into sight
}
