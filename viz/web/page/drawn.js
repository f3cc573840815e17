// Pictures that are drawn already: SVG in the page, with what each cell is, as viz/export/Html.cpp writes them. They need no module:
// the program has written down which cells belong together, and what it says about each of them.
//
// Data of a scene: `sets` and `boxSets` (boxes whose sets share a key are linked), `tips` (the words about a box), `elements` (for each
// box: an element of the array, a list of elements, or -1), `array` (scenes with the same number show the same array; -1: none),
// `columns` of the grid, `arrows` (for each element: pairs of boxes, from and to). The boxes are the elements of class b, in this order.
import { element } from './elements.js';

const kMostWithArrows = 64; // with more elements, the arrows would only hide each other
const kLeastScale = 0.05, kMostScale = 16;

/** Which cells are lit in the scenes, and the words about them. It answers the requests of a Picture. */
export class Drawing {
  constructor(scenes) {
    this.scenes = scenes.map(data => {
      const scene = { data, bySet: new Map(), byKey: new Map(), byElement: new Map() };
      const add = (map, key, value) => map.has(key) ? map.get(key).push(value) : map.set(key, [value]);
      data.boxSets.forEach((set, box) => {
        if (set >= 0) {
          if (!scene.bySet.has(set)) for (const key of data.sets[set]) add(scene.byKey, key, set);
          add(scene.bySet, set, box);
        }
        for (const one of this.elementsOf(scene, box)) add(scene.byElement, one, box);
      });
      return scene;
    });
    this.hovered = this.pinned = null; // {scene, box}
  }

  elementsOf(scene, box) {
    const one = scene.data.elements[box];
    return Array.isArray(one) ? one : one < 0 ? [] : [one];
  }

  linkedBoxes(scene, box) {
    const set = scene.data.boxSets[box], sets = new Set();
    if (set < 0) return [box];
    for (const key of scene.data.sets[set]) for (const other of scene.byKey.get(key)) sets.add(other);
    return [...sets].flatMap(other => scene.bySet.get(other));
  }

  /** The boxes of a scene that are lit, those that are chosen, and the arrows between boxes; null if nothing is lit. */
  litIn(name) {
    const focus = this.hovered ?? this.pinned, own = this.scenes[name];
    if (!focus) return null;
    const scene = this.scenes[focus.scene], linked = this.linkedBoxes(scene, focus.box), chosen = new Set(this.elementsOf(scene, focus.box));
    const lit = { on: [], at: [], arrows: [] };
    if (own === scene) lit.on.push(...linked), lit.at.push(focus.box);
    else if (own.data.array < 0 || own.data.array !== scene.data.array) return null;
    const boxes = one => own.byElement.get(one) ?? [];
    for (const one of new Set(linked.flatMap(box => this.elementsOf(scene, box)))) lit.on.push(...boxes(one));
    for (const one of chosen) lit.at.push(...boxes(one));
    if (chosen.size <= kMostWithArrows)
      for (const one of chosen) {
        const pairs = own.data.arrows[one] ?? [];
        for (let i = 0; i < pairs.length; i += 2) lit.arrows.push([pairs[i], pairs[i + 1]]);
      }
    return lit;
  }

  moved(scene, box, rows, columns) {
    const { columns: count, tips } = this.scenes[scene].data;
    if (box < 0) return 0;
    if (!count) return Math.min(Math.max(box + rows + columns, 0), tips.length - 1); // slices of a trace stand in a row
    const row = Math.floor(box / count) + rows, column = box % count + columns, last = Math.ceil(tips.length / count) - 1;
    return Math.min(Math.min(Math.max(row, 0), last) * count + Math.min(Math.max(column, 0), count - 1), tips.length - 1);
  }

  call({ do: what, pane, box = -1, rows, columns }) {
    const before = this.hovered, same = (a, b) => a?.scene === b?.scene && a?.box === b?.box;
    const here = box >= 0 ? { scene: pane, box } : null;
    let changed = true;
    if (what === 'point' || what === 'leave') {
      this.hovered = here;
      changed = !same(before, here);
    } else if (what === 'click') {
      this.hovered = here;
      this.pinned = same(this.pinned, here) ? null : here;
    } else if (what === 'arrow') {
      this.hovered = null;
      this.pinned = { scene: pane, box: this.moved(pane, this.pinned?.scene === pane ? this.pinned.box : -1, rows, columns) };
    } else if (what === 'unpin') this.hovered = this.pinned = null;
    const focus = this.hovered ?? this.pinned, words = focus && this.scenes[focus.scene].data.tips[focus.box];
    return { lit: { changed, words: words ? words.split('\n') : [], access: [], steps: [], pinned: Boolean(this.pinned), hovering: Boolean(this.hovered) } };
  }
}

/** The drawing of a scene: `figure` has the SVG. It stays where it is in the page, and the picture shows it in a slot. */
export class DrawnSurface {
  drags = false; // the figure scrolls

  constructor(name, figure, drawing) {
    Object.assign(this, { name, figure, drawing, scale: 1, marked: [] });
    this.svg = figure.querySelector('svg');
    this.element = figure.querySelector('.body'); // takes the keyboard's focus
    this.boxes = [...this.element.querySelectorAll('.b')];
    this.numbers = new Map(this.boxes.map((box, number) => [box, number]));
    figure.slot = `picture-${name}`;
    this.content = element('slot', { name: figure.slot });
  }

  show() {}

  draw() {
    for (const box of this.marked) box.classList.remove('on', 'at');
    for (const way of this.element.querySelectorAll('.way')) way.remove();
    const lit = this.drawing.litIn(this.name);
    this.element.classList.toggle('some', Boolean(lit));
    this.marked = [];
    if (!lit) return;
    for (const [name, numbers] of [['on', lit.on], ['at', lit.at]])
      for (const number of numbers) this.boxes[number].classList.add(name), this.marked.push(this.boxes[number]);
    for (const [from, to] of lit.arrows) this.arrow(from, to);
  }

  arrow(from, to) {
    const place = (number, right) => {
      const value = name => Number(this.boxes[number].getAttribute(name));
      return [value('x') + (right ? value('width') : 0), value('y') + value('height') / 2];
    };
    const [x0, y0] = place(from, true), [x1, y1] = place(to, false), angle = Math.atan2(y1 - y0, x1 - x0);
    const head = side => `L${x1 - 11 * Math.cos(angle + side)} ${y1 - 11 * Math.sin(angle + side)}`;
    const way = document.createElementNS('http://www.w3.org/2000/svg', 'path');
    way.setAttribute('class', 'way');
    way.setAttribute('d', `M${x0} ${y0}L${x1} ${y1}${head(0.42)}M${x1} ${y1}${head(-0.42)}`);
    this.element.append(way);
  }

  at(event) { return { box: this.numbers.get(event.target) ?? -1, clientX: event.clientX, clientY: event.clientY }; }
  pan() {}
  /** The place under the pointer stays, or the middle of what is seen. */
  zoom(factor, at) {
    const { figure, svg } = this, room = figure.getBoundingClientRect();
    const x = (at?.clientX ?? room.x + room.width / 2) - room.x, y = (at?.clientY ?? room.y + room.height / 2) - room.y;
    const before = this.scale, { width, height } = svg.viewBox.baseVal;
    this.scale = Math.min(Math.max(before * factor, kLeastScale), kMostScale);
    svg.style.width = `${width * this.scale}px`, svg.style.height = `${height * this.scale}px`;
    const grown = this.scale / before;
    figure.scrollLeft = (figure.scrollLeft + x) * grown - x, figure.scrollTop = (figure.scrollTop + y) * grown - y;
  }
  /** Labels are readable at the size at which the program has drawn them. */
  view(what) { this.zoom((what === 'fit' ? Math.min(1, this.figure.clientWidth / this.svg.viewBox.baseVal.width) : 1) / this.scale, null); }
  reveal() { this.marked.find(box => box.classList.contains('at'))?.scrollIntoView({ block: 'nearest', inline: 'nearest' }); }
}
