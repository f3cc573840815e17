// <lanescope-layout>: a layout in any web page, with the pictures of the page for layouts.
//
//   <script type="module" src="https://example.com/lanescope/app/lanescope-layout.js"></script>
//   <lanescope-layout layout="WGMMA" shape="64x16" dtype="f16" pictures="array threads"></lanescope-layout>
//   <lanescope-layout link="#1=q1Yqy0wt…"></lanescope-layout>
//
// Attributes: those of `set` in viz/web/README.md, and `pictures` (names of pictures); or `link` alone; or `view` alone, a line of text
// as `lanescope show 'view(…)'` takes it; and `theme`, light or dark. What stands in the element is shown where there is no script. The
// scripts and the module come from this file's folder. docs/browser.md has the rest.
//
// An element with a drawing in it needs no module: figures with SVG, and a script of JSON with their cells (drawn.js). The program's HTML
// files and the outputs of notebooks are such elements. They have these scripts in them (viz/export/PageTexts.h), which can
// import no others; therefore the parts around the module are imported when they are needed.
import { Drawing, DrawnSurface } from './drawn.js';
import { element, sentence } from './elements.js';
import { Picture } from './pane.js';

const kTexts = ['layout', 'compare', 'shape', 'dtype', 'memory', 'tmem', 'tiling', 'stage', 'access'];
const kColours = { 'colour-by': 'colourBy', 'memory-colour': 'smemColour' };
const dark = matchMedia('(prefers-color-scheme: dark)');

/** What draws with the module, one for all elements: {Module, Stopped, stateOf, CanvasSurface, lookOf, compiled}. Each element has its own memory. */
let parts = null, loading;
async function loadParts() {
  const [module, link, canvas] = await Promise.all([import('./module.js'), import('./link.js'), import('./canvas.js')]);
  const { compiled } = await module.Module.load(new URL('lanescope.wasm', import.meta.url));
  return { ...module, ...link, ...canvas, compiled };
}

const sheet = new CSSStyleSheet(); // a page's policy forbids style elements, but not this
sheet.replaceSync(`
  :host { display: block; color-scheme: light dark; font: 14px/1.45 var(--words); color: var(--ink); background: var(--ground);
    --words: 'DejaVu Sans', Verdana, system-ui, sans-serif; --mono: 'JetBrains Mono', 'DejaVu Sans Mono', ui-monospace, monospace;
    --ground: #ffffff; --panel: #f3f5f8; --raised: #dde3ea; --rule: #c3ccd6; --edge: #737f8c; --ink: #15191e; --faint: #4e5863; --accent: #0860ca;
    --bad: #b3151d; --dim: #ffffff8c; --lit: #15191e; --chosen: #d62728; --hatch: #14191e60; }
  :host([data-shade=dark]) { color-scheme: dark; --ground: #0f141a; --panel: #171d25; --raised: #2a333f; --rule: #39434f; --edge: #7d8895; --ink: #f0f4f8; --faint: #a9b4c0;
    --accent: #58a6ff; --bad: #ff8a80; --dim: #0f141a6e; --lit: #ffffff; --chosen: #ff6b6b; --hatch: #ffffff60; }
  * { box-sizing: border-box; } [hidden] { display: none !important; }
  .pictures { display: grid; gap: 12px; grid-template-columns: repeat(auto-fit, minmax(min(100%, 320px), 1fr)); }
  .picture { display: flex; flex-direction: column; min-width: 0; height: var(--height, 320px); }
  .head { display: flex; align-items: center; gap: 8px; padding-bottom: 3px; } h2 { font-size: 14px; margin: 0; white-space: nowrap; }
  .about { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; flex: 1; min-width: 0; font-size: 13px; }
  .tools { display: flex; gap: 3px; margin-left: auto; }
  button { font: inherit; font-size: 13px; color: var(--ink); background: var(--raised); border: 1px solid var(--edge); border-radius: 5px; min-height: 26px; min-width: 26px; padding: 0 7px; cursor: pointer; }
  button:hover { background: var(--rule); } :focus-visible { outline: 2px solid var(--accent); outline-offset: -2px; }
  .drawn { grid-template-columns: minmax(0, 1fr); } .drawn .picture { height: auto; } h2:empty { display: none; }
  .room { position: relative; flex: 1; min-height: 0; overflow: hidden; } canvas { position: absolute; inset: 0; width: 100%; height: 100%; cursor: crosshair; }
  .tip { position: absolute; z-index: 3; pointer-events: none; max-width: 90%; padding: 5px 9px; border-radius: 5px; background: var(--ink); color: var(--ground); font-size: 13px; }
  .words { min-height: 1.5em; margin: 4px 0 0; overflow-wrap: anywhere; } p { margin: .2em 0; } code { font: 13px var(--mono); } .faint { color: var(--faint); } .bad { color: var(--bad); }
  .drawn + .words { position: sticky; bottom: 0; z-index: 2; padding: 6px 12px; background: var(--panel); border-top: 1px solid var(--rule); } .drawn .picture { position: relative; } .drawn .head { position: absolute; z-index: 1; right: 0; padding: 3px 8px; }
  @media print { .tools, .drawn + .words { display: none; } }`);
const drawnSheet = new CSSStyleSheet(); // for the page around the element, because a drawing stays in it
drawnSheet.replaceSync(`
  lanescope-layout > figure { overflow: auto; max-height: var(--height, none); } lanescope-layout .body { outline: none; } lanescope-layout .body:focus-visible { outline: 2px solid var(--chosen); outline-offset: 3px; }
  lanescope-layout .body.some .b { opacity: .3; } lanescope-layout .body.some .b.on { opacity: 1; } lanescope-layout .body .b.at { stroke: var(--chosen); stroke-width: 3; opacity: 1; }
  lanescope-layout .way { stroke: var(--chosen); stroke-width: 3; fill: none; pointer-events: none; }`);

class LanescopeLayout extends HTMLElement {
  static observedAttributes = [...kTexts, ...Object.keys(kColours), 'swizzle', 'transpose', 'pictures', 'link', 'view', 'theme'];

  constructor() {
    super();
    this.pictures = new Map();
    this.idle = [];
    this.pane = element('div', { class: 'pictures' });
    this.words = element('div', { class: 'words', 'aria-live': 'polite' });
    const root = this.attachShadow({ mode: 'open' });
    root.adoptedStyleSheets = [sheet];
    root.append(this.pane, this.words);
  }

  connectedCallback() {
    this.themed = () => this.later();
    dark.addEventListener('change', this.themed);
    this.later();
  }
  disconnectedCallback() {
    dark.removeEventListener('change', this.themed);
    if (this.drawing) return;
    this.module = null; // gives its memory back
    this.pictures.clear();
  }
  get isDark() { return this.hasAttribute('theme') ? this.getAttribute('theme') === 'dark' : dark.matches; }
  attributeChangedCallback() { if (this.isConnected) this.later(); }

  /** Reads the attributes, once for several that change together. */
  later() {
    this.wanted ??= Promise.resolve().then(async () => {
      this.wanted = null;
      try {
        await this.read();
      } catch (problem) {
        this.say(problem.message, true);
      }
    });
  }

  async read() {
    this.dataset.shade = this.isDark ? 'dark' : 'light';
    const data = this.querySelector(':scope > script[type="application/json"]');
    if (data) return this.showDrawing(JSON.parse(data.textContent), [...this.querySelectorAll(':scope > figure')]);
    parts ??= await (loading ??= loadParts().catch(problem => { loading = null; throw problem; }));
    if (!this.module) {
      const module = new parts.Module(parts.compiled);
      await module.start();
      if (!this.isConnected) return;
      this.module = module;
    }
    this.look = parts.lookOf(this, this.isDark);
    this.module.call({ do: 'start', theme: this.isDark ? 'dark' : 'light' });
    const answer = this.ask({ do: 'load', state: this.hasAttribute('link') ? await parts.stateOf(this.getAttribute('link').replace(/^[^#]*/, '')) : this.state() });
    if (answer) this.show(answer.state);
  }

  /** The attributes as a link's state. */
  state() {
    if (this.hasAttribute('view')) return { view: this.getAttribute('view') };
    const state = { layout: 'WGMMA' };
    for (const name of kTexts) if (this.hasAttribute(name)) state[name] = this.getAttribute(name);
    for (const [attribute, name] of Object.entries(kColours)) if (this.hasAttribute(attribute)) state[name] = this.getAttribute(attribute);
    if (this.hasAttribute('swizzle')) state.swizzle = Number(this.getAttribute('swizzle'));
    if (this.hasAttribute('transpose')) state.transpose = true;
    state.panes = (this.getAttribute('pictures') ?? 'array').split(/[\s,]+/).filter(Boolean);
    return state;
  }

  // The functions that the pictures call.
  narrow() { return true; } // a page scrolls; the wheel zooms with Ctrl
  remember() {}
  change() {}
  ask(request) {
    if (this.drawing) return this.drawing.call(request);
    if (!this.module) return null;
    try {
      const answer = this.module.call(request);
      if (!answer.error) return answer;
      this.say(answer.error.message, true);
    } catch (problem) {
      if (!(problem instanceof parts.Stopped)) throw problem;
      this.module = null;
      this.say(`The program stopped: ${problem.message}. Change an attribute to start it again.`, true);
    }
    return null;
  }
  lit(answer) {
    for (const picture of this.pictures.values()) picture.later();
    const words = [...answer.words.slice(0, 1), ...answer.access.slice(0, 1)];
    this.words.replaceChildren(...(words.length ? words : this.idle).map(line => sentence(line)));
    this.dispatchEvent(new CustomEvent('lanescope-select', { detail: { words: answer.words, pinned: answer.pinned } }));
  }

  say(text, bad) { this.words.replaceChildren(sentence(text, 'p', { class: bad ? 'bad' : '' })); }

  show(state) {
    const open = state.panes.filter(pane => pane.open), names = open.map(pane => pane.name);
    for (const name of [...this.pictures.keys()]) if (!names.includes(name)) this.pictures.delete(name);
    for (const pane of open) {
      if (!this.pictures.has(pane.name)) this.pictures.set(pane.name, new Picture(pane.name, this, new parts.CanvasSurface(pane.name, this)));
      const picture = this.pictures.get(pane.name);
      picture.surface.version = -1;
      picture.update(pane, false);
    }
    this.pane.replaceChildren(...open.map(pane => this.pictures.get(pane.name).root));
    const problem = state.facts.problems.find(one => one.severity === 'error');
    this.idle = state.facts.access?.sentences ?? []; // the words while no cell is chosen
    this.say(problem ? problem.message : this.idle.join(' '), Boolean(problem));
  }

  /** Makes the drawing in the element interactive. */
  showDrawing({ hint, scenes }, figures) {
    if (this.drawing) return;
    this.drawing = new Drawing(scenes);
    const page = this.getRootNode();
    if (!page.adoptedStyleSheets.includes(drawnSheet)) page.adoptedStyleSheets = [...page.adoptedStyleSheets, drawnSheet];
    figures.forEach((figure, name) => {
      const picture = new Picture(name, this, new DrawnSurface(name, figure, this.drawing));
      picture.update({ title: '', problems: [], scene: {} }, false);
      this.pictures.set(name, picture);
    });
    this.pane.classList.add('drawn');
    this.style.background = 'none'; // the drawing has its paper
    this.pane.replaceChildren(...[...this.pictures.values()].map(picture => picture.root));
    this.idle = [hint];
    this.say(hint);
    this.dataset.ready = 'yes';
  }
}

customElements.define('lanescope-layout', LanescopeLayout);
