// Draws a frame of the module on a canvas: cells, labels, lines, axes. The module has chosen what is drawn where; this
// file only paints it. Cells and lines are read from the module's memory (viz/web/PageJson.cpp has the records).

const kHatchPitch = 9; // pixels between the lines of a hatch
const kCellWithGap = 12, kCellWithOutline = 14; // pixels; smaller cells have no gap, and no outline when they are lit

const colours = new Map();
/** The CSS colour of 0xAABBGGRR. */
export function css(packed) {
  let text = colours.get(packed);
  if (text === undefined) {
    text = `rgb(${packed & 255} ${packed >>> 8 & 255} ${packed >>> 16 & 255} / ${(packed >>> 24) / 255})`;
    if (colours.size > 1 << 16) colours.clear();
    colours.set(packed, text);
  }
  return text;
}
/** 0xAABBGGRR of a CSS colour such as #rrggbb or #rrggbbaa. */
export function packed(text) {
  const byte = at => parseInt(text.slice(at, at + 2), 16);
  return (byte(1) | byte(3) << 8 | byte(5) << 16 | (text.length > 7 ? byte(7) : 255) << 24) >>> 0;
}

/** Records of `words` numbers of 32 bits each, in the module's memory. */
function records(module, place, words) {
  return { count: place.count, floats: new Float32Array(module.memory, place.at, place.count * words),
           ints: new Uint32Array(module.memory, place.at, place.count * words) };
}

export class Painter {
  constructor(canvas, look) {
    this.canvas = canvas;
    this.look = look;
    this.base = document.createElement('canvas'); // the picture without what is lit
    this.margin = { left: 0, top: 0 };
    this.frame = null;
  }

  font(size, bold, mono) {
    return `${bold ? 'bold ' : ''}${size}px ${mono ? this.look.mono : this.look.words}`;
  }

  /** Leaves room for the axes. Returns the size that is left for the cells, in device pixels. */
  layOut(scene, width, height) {
    const line = this.line = 12 * this.look.scale, context = this.canvas.getContext('2d');
    if (this.canvas.width !== width || this.canvas.height !== height) this.canvas.width = width, this.canvas.height = height;
    context.font = this.font(line, false, false);
    this.scene = scene;
    this.margin.left = Math.ceil(context.measureText(scene.left.widest).width + (scene.left.groups ? line * 1.6 : 0) +
                                 14 * this.look.scale + (scene.left.title ? line * 1.3 : 0));
    this.margin.top = Math.ceil(line * 1.5 + (scene.top.title ? line * 1.4 : 0) + (scene.top.groups ? line * 1.6 : 0));
    return { width: Math.max(20, width - this.margin.left - 4), height: Math.max(20, height - this.margin.top - 4) };
  }

  /** Paints a frame. If it has no base, the one of the last frame is used again. */
  paint(module, frame, size) {
    if (frame.base) {
      this.frame = frame;
      this.base.width = size.width, this.base.height = size.height;
      this.paintBase(module, frame);
    }
    const context = this.canvas.getContext('2d');
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, this.canvas.width, this.canvas.height);
    context.save();
    context.translate(this.margin.left, this.margin.top);
    context.beginPath();
    context.rect(0, 0, size.width, size.height);
    context.clip();
    context.drawImage(this.base, 0, 0);
    this.paintLit(context, module, frame);
    context.restore();
    this.paintAxes(context, this.frame, frame.ground, size);
  }

  paintBase(module, frame) {
    const context = this.base.getContext('2d'), [x0, y0, x1, y1, fill] = frame.ground;
    context.clearRect(0, 0, this.base.width, this.base.height);
    if (this.scene.rows) context.fillStyle = css(fill), context.fillRect(x0, y0, x1 - x0, y1 - y0);
    this.lines(context, module, frame.under);
    if (frame.image) this.image(context, module, frame.image);
    this.cells(context, module, frame.cells, frame.extras, true);
    this.hatches(context, module, frame.hatches, frame.labels.length > 0);
    this.labels(context, frame.labels, frame.ink);
    this.lines(context, module, frame.lines);
    for (const text of frame.texts) {
      context.font = this.font(text.size, text.bold, false);
      context.textAlign = text.align;
      context.textBaseline = 'middle';
      context.fillStyle = css(text.colour);
      context.fillText(text.text, text.x, text.y);
    }
  }

  paintLit(context, module, frame) {
    const [x0, y0, x1, y1] = frame.ground, scale = this.look.scale;
    if (frame.dimmed) {
      context.fillStyle = this.look.dim;
      context.fillRect(x0, y0, x1 - x0, y1 - y0);
      if (frame.marks) this.image(context, module, frame.marks);
      this.cells(context, module, frame.lit, frame.extras, false);
      this.labels(context, frame.litLabels, frame.ink);
      const { count, floats } = records(module, frame.lit, 6);
      context.strokeStyle = this.look.litText;
      context.lineWidth = scale;
      for (let i = 0; i < count * 6; i += 6)
        if (floats[i + 2] - floats[i] >= kCellWithOutline)
          context.strokeRect(floats[i] + 0.5, floats[i + 1] + 0.5, floats[i + 2] - floats[i] - 1, floats[i + 3] - floats[i + 1] - 1);
    }
    const { count, floats } = records(module, frame.chosen, 6);
    for (const [width, colour] of [[5, this.look.ground], [2.5, this.look.chosen]]) {
      context.strokeStyle = colour;
      context.lineWidth = width * scale;
      for (let i = 0; i < count * 6; i += 6) {
        const grow = Math.max(0, (9 * scale - (floats[i + 2] - floats[i])) / 2); // so that a tiny cell is found
        context.strokeRect(floats[i] - grow, floats[i + 1] - grow, floats[i + 2] - floats[i] + 2 * grow,
                           floats[i + 3] - floats[i + 1] + 2 * grow);
      }
    }
    this.lines(context, module, frame.arrows, 3 * scale, this.look.ground);
    this.lines(context, module, frame.arrows, 0, this.look.chosen);
  }

  image(context, module, image) {
    const pixels = new Uint8ClampedArray(module.memory, image.at, image.width * image.height * 4);
    const copy = document.createElement('canvas'); // putImageData would replace what is below instead of covering it
    copy.width = image.width, copy.height = image.height;
    copy.getContext('2d').putImageData(new ImageData(pixels.slice(), image.width, image.height), 0, 0);
    context.drawImage(copy, 0, 0);
  }

  cells(context, module, place, extraPlace, gap) {
    const { count, floats, ints } = records(module, place, 6), extras = records(module, extraPlace, 6).ints;
    let last = -1;
    for (let i = 0; i < count * 6; i += 6) {
      const x = floats[i], y = floats[i + 1];
      let width = floats[i + 2] - x, height = floats[i + 3] - y;
      if (gap && width > kCellWithGap && height > kCellWithGap) width--, height--;
      const extra = ints[i + 5] | 0, bands = extra >= 0 ? extras[extra * 6 + 4] : 0;
      if (bands > 1) {
        for (let band = 0; band < bands; band++) {
          context.fillStyle = css(extras[extra * 6 + band]);
          context.fillRect(x + width / bands * band, y, width / bands, height);
        }
        last = -1;
      } else {
        if (ints[i + 4] !== last) last = ints[i + 4], context.fillStyle = css(last);
        context.fillRect(x, y, width, height);
      }
      if (extra >= 0 && extras[extra * 6 + 5] & 1) {
        context.fillStyle = this.hatch(false);
        context.fillRect(x, y, width, height);
        last = -1;
      }
    }
  }

  /** A pattern of diagonals at the places where x + y is a multiple of the pitch. */
  hatch(underText) {
    const name = underText ? 'faintHatch' : 'fullHatch';
    if (this[name]?.colour === this.look.hatch) return this[name].pattern;
    const tile = document.createElement('canvas'), context = tile.getContext('2d'), n = tile.width = tile.height = kHatchPitch;
    context.strokeStyle = this.look.hatch;
    context.globalAlpha = underText ? 0.5 : 1;
    context.beginPath();
    for (const sum of [0, n, 2 * n]) context.moveTo(sum - n - 1, n + 1), context.lineTo(sum + 1, -1);
    context.stroke();
    this[name] = { colour: this.look.hatch, pattern: context.createPattern(tile, 'repeat') };
    return this[name].pattern;
  }

  hatches(context, module, place, underText) {
    const { count, floats } = records(module, place, 6);
    if (count) context.fillStyle = this.hatch(underText);
    for (let i = 0; i < count * 6; i += 6)
      context.fillRect(floats[i], floats[i + 1], floats[i + 2] - floats[i], floats[i + 3] - floats[i + 1]);
  }

  labels(context, labels, ink) {
    context.textAlign = 'center';
    context.textBaseline = 'middle';
    context.fillStyle = css(ink);
    let last = 0;
    for (const [x, y, size, text] of labels) {
      if (size !== last) last = size, context.font = this.font(size, false, true);
      context.fillText(text, x, y);
    }
  }

  lines(context, module, place, wider = 0, colour = null) {
    const { count, floats, ints } = records(module, place, 7);
    for (let i = 0; i < count * 7; i += 7) {
      const [x0, y0, x1, y1] = floats.subarray(i, i + 4), head = floats[i + 6];
      context.strokeStyle = colour ?? css(ints[i + 5]);
      context.lineWidth = floats[i + 4] + wider;
      context.beginPath();
      context.moveTo(x0, y0);
      context.lineTo(x1, y1);
      if (head > 0)
        for (const side of [0.42, -0.42]) {
          const angle = Math.atan2(y1 - y0, x1 - x0) + side;
          context.moveTo(x1, y1);
          context.lineTo(x1 - head * Math.cos(angle), y1 - head * Math.sin(angle));
        }
      context.stroke();
    }
  }

  shortened(context, text, room) {
    if (context.measureText(text).width <= room) return text;
    while (text.length > 4 && context.measureText(text + '…').width > room) text = text.slice(0, -1);
    return text.length > 4 ? text + '…' : '';
  }

  upwards(context, text, x, y) {
    context.save();
    context.translate(x, y);
    context.rotate(-Math.PI / 2);
    context.fillText(text, 0, 0);
    context.restore();
  }

  paintAxes(context, frame, ground, size) {
    const { left, top } = this.margin, line = this.line, scale = this.look.scale;
    // The axes stay beside the picture, and inside the canvas.
    const cornerX = left + Math.min(Math.max(ground[0], 0), size.width), cornerY = top + Math.min(Math.max(ground[1], 0), size.height);
    context.font = this.font(line, false, false);
    context.textBaseline = 'top';
    context.textAlign = 'left';
    let y = cornerY - line * 1.35, free = -Infinity;
    context.fillStyle = this.look.faint;
    for (const [at, text] of frame.top) {
      const width = context.measureText(text).width, from = left + at - width / 2;
      if (from < free || from + width > left + size.width + 4) continue;
      context.fillText(text, from, y);
      free = from + width + 6 * scale;
    }
    if (this.scene.top.groups) {
      y -= line * 1.6;
      for (const { from, to, fill, ink, text } of frame.topGroups) {
        context.fillStyle = css(fill);
        context.fillRect(left + from, y, to - from - 1, line * 1.4);
        const shown = this.shortened(context, text, to - from - 6);
        context.fillStyle = css(ink);
        context.fillText(shown, left + (from + to - context.measureText(shown).width) / 2, y + line * 0.22);
      }
    }
    context.fillStyle = this.look.ink;
    if (this.scene.top.title) context.fillText(this.scene.top.title, cornerX + 2, y - line * 1.4);
    const right = cornerX - 7 * scale;
    free = -Infinity;
    context.fillStyle = this.look.faint;
    for (const [at, text] of frame.left) {
      const from = top + at - line / 2;
      if (from < free || from > top + size.height) continue;
      context.fillText(text, right - context.measureText(text).width, from);
      free = from + line * 0.95;
    }
    let x = cornerX - left;
    context.fillStyle = this.look.ink;
    if (this.scene.left.title) {
      const width = context.measureText(this.scene.left.title).width;
      if (width < size.height) this.upwards(context, this.scene.left.title, x + 1, cornerY + Math.min(size.height, width + 4));
      x += line * 1.35;
    }
    for (const { from, to, fill, ink, text } of frame.leftGroups) {
      context.fillStyle = css(fill);
      context.fillRect(x, top + from, line * 1.4, to - from - 1);
      context.fillStyle = css(ink);
      let shown = text;
      if (context.measureText(shown).width + 6 >= to - from) shown = shown.slice(shown.lastIndexOf(' ') + 1); // "warp 3" -> "3"
      const width = context.measureText(shown).width;
      if (shown.length <= 2 && line < to - from) context.fillText(shown, x + (line * 1.4 - width) / 2, top + (from + to - line) / 2);
      else if (width + 2 < to - from) this.upwards(context, shown, x + line * 0.22, top + (from + to + width) / 2);
    }
  }
}
