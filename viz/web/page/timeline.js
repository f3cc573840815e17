// Paints a frame of the traces' module on a canvas: names of tracks, axis, graphs, bars. The module has chosen what is
// drawn where (viz/web/TracePage.cpp has the members).
import { css } from './picture.js';

const kAxis = 28, kNames = 250, kNamesShare = 0.34, kGap = 6; // CSS pixels
const kFillWords = 5; // numbers of 32 bits in a fill

export class TimelinePainter {
  constructor(canvas) {
    this.canvas = canvas;
  }

  /** Divides the canvas, in device pixels. `graphs`: the heights of the graphs between the axis and the rows. */
  layOut(width, height, graphs, look) {
    const { scale } = this.look = look;
    if (this.canvas.width !== width || this.canvas.height !== height) this.canvas.width = width, this.canvas.height = height;
    this.left = Math.floor(Math.min(kNames * scale, width * kNamesShare));
    this.top = Math.round(kAxis * scale);
    this.graphTops = graphs.map(graph => {
      const at = this.top;
      this.top += graph ? Math.round((graph + kGap) * scale) : 0;
      return at;
    });
    this.context = this.canvas.getContext('2d', { alpha: false });
    return { width: Math.max(20, width - this.left - 2 * scale), height: Math.max(20, height - this.top) };
  }

  font(size = 12) { return `${size * this.look.scale}px ${this.look.words}`; }

  fills(buffer, x, y) {
    const floats = new Float32Array(buffer), ints = new Uint32Array(buffer), { context } = this;
    let last = -1;
    for (let i = 0; i < floats.length; i += kFillWords) {
      if (ints[i + 4] !== last) context.fillStyle = css(last = ints[i + 4]);
      context.fillRect(x + floats[i], y + floats[i + 1], floats[i + 2] - floats[i], floats[i + 3] - floats[i + 1]);
    }
  }

  within(x, y, width, height, paint) {
    const { context } = this;
    context.save();
    context.beginPath();
    context.rect(x, y, width, height);
    context.clip();
    paint();
    context.restore();
  }

  shortened(text, room) {
    const { context } = this;
    if (context.measureText(text).width <= room) return text;
    while (text.length > 2 && context.measureText(text + '…').width > room) text = text.slice(0, -1);
    return text + '…';
  }

  paint(frame, size) {
    const { context, look, left, top } = this, { scale } = look;
    this.frame = frame;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.fillStyle = look.ground;
    context.fillRect(0, 0, this.canvas.width, this.canvas.height);
    context.textBaseline = 'middle';
    context.textAlign = 'left';
    this.paintAxis(frame, size);
    this.paintGraphs(frame, size);
    this.paintRows(frame, size);
    this.within(left, top, size.width, size.height, () => {
      if (frame.range) this.paintRange(frame.range, size);
      this.fills(frame.bars, left, top);
      this.paintLabels(frame);
      this.fills(frame.ghosts, left, top);
      this.paintOutlines(frame);
      this.paintPath(frame);
      this.paintArrows(frame);
      if (frame.callout) this.paintCallout(frame.callout, size);
    });
    this.paintMoments(frame, size);
    if (frame.arrowsLeftOut) this.paintHint(`${frame.arrowsLeftOut} arrows: zoom in, or point at a slice`, size);
    if (frame.contentHeight > size.height) { // where the rows are, beside them
      const length = Math.max(24 * scale, size.height * size.height / frame.contentHeight);
      context.fillStyle = look.edge;
      context.fillRect(this.canvas.width - 5 * scale, top + frame.scroll / (frame.contentHeight - size.height) * (size.height - length), 4 * scale, length);
    }
  }

  paintAxis(frame, size) {
    const { context, look, left, top } = this, { scale } = look, base = kAxis * scale;
    context.font = this.font();
    this.within(left, 0, size.width, top + size.height, () => {
      let free = 0;
      for (const [at, text, major] of frame.ticks) {
        const x = Math.round(left + at);
        context.fillStyle = look.faint;
        context.fillRect(x, base - (major ? 7 : 4) * scale, scale, (major ? 7 : 4) * scale);
        if (!major) continue;
        context.fillStyle = look.rule;
        context.fillRect(x, top, scale, size.height);
        const width = context.measureText(text).width;
        if (x < free || x + 4 * scale + width > left + size.width) continue;
        context.fillStyle = look.faint;
        context.fillText(text, x + 4 * scale, base / 2);
        free = x + 10 * scale + width;
      }
    });
    context.fillStyle = look.rule;
    context.fillRect(left, base - scale, size.width, scale);
    context.fillRect(left, top - scale, size.width, scale);
  }

  paintGraphs(frame, size) {
    const { context, look, left } = this, { scale } = look;
    [['overview', 'all tracks'], ['overlap', 'overlap'], ['occupancy', 'blocks']].forEach(([name, title], n) => {
      const graph = frame[name], y = this.graphTops[n] + 3 * scale;
      if (!graph) return;
      context.fillStyle = look.faint;
      context.font = this.font();
      context.fillText(title, 20 * scale, y + graph.height / 2);
      this.within(left, y, size.width, graph.height, () => {
        this.fills(graph.fills, left, y);
        if (name === 'overview') {
          const [x0, y0, x1, y1] = graph.shown, box = [left + x0 * size.width, y + y0 * graph.height, Math.max((x1 - x0) * size.width, 3 * scale), Math.max((y1 - y0) * graph.height, 3 * scale)];
          this.outline(box, 2, look.accent);
        }
        if (graph.tail != null) {
          context.fillStyle = look.warning;
          context.fillRect(left + graph.tail, y, 2 * scale, graph.height);
          const width = context.measureText('tail').width, x = left + graph.tail + (graph.tail + width + 8 * scale < size.width ? 5 * scale : -width - 4 * scale);
          context.fillStyle = look.panel;
          context.fillRect(x - 2 * scale, y + scale, width + 4 * scale, 14 * scale);
          context.fillStyle = look.ink;
          context.fillText('tail', x, y + 8 * scale);
        }
      });
    });
  }

  paintRows(frame, size) {
    const { context, look, left, top } = this, { scale } = look;
    this.within(0, top, this.canvas.width, size.height, () => {
      context.font = this.font();
      for (const row of frame.rows) {
        const y = top + row.y0, height = row.y1 - row.y0;
        if (!row.heading) {
          let name = row.name;
          if (context.measureText(name).width > left - 26 * scale) name = row.short;
          context.fillStyle = look.ink;
          context.fillText(this.shortened(name, left - 26 * scale), 20 * scale, y + 10 * scale);
          continue;
        }
        context.fillStyle = look.panel;
        context.fillRect(0, y, left + size.width, height - scale);
      }
      this.within(left, top, size.width, size.height, () => this.fills(frame.headings, left, top));
      for (const row of frame.rows.filter(row => row.heading)) {
        const y = top + (row.y0 + row.y1) / 2, x = 10 * scale, h = 4 * scale;
        context.fillStyle = look.faint;
        context.beginPath();
        if (row.folded) context.moveTo(x - h, y - h), context.lineTo(x - h, y + h), context.lineTo(x + h, y);
        else context.moveTo(x - h, y - h), context.lineTo(x + h, y - h), context.lineTo(x, y + h);
        context.fill();
        context.fillStyle = look.ink;
        // A group of links has no number of tracks, because time in flight does not belong to a track.
        const words = row.tracks ? `${row.name}   ${row.tracks} ${row.tracks === 1 ? 'track' : 'tracks'}` : row.name;
        context.fillText(this.shortened(words, left - 24 * scale), 20 * scale, y);
      }
    });
    context.fillStyle = look.rule;
    context.fillRect(left - scale, 0, scale, top + size.height);
  }

  paintLabels(frame) {
    const { context, look, left, top } = this, { scale } = look;
    context.font = this.font();
    for (const [x0, x1, y0, y1, name, ink] of frame.labels) {
      if (context.measureText(name).width + 8 * scale > x1 - x0) continue;
      context.fillStyle = css(ink);
      context.fillText(name, left + x0 + 4 * scale, top + y0 + (y1 - y0) * (frame.shared ? 0.36 : 0.52));
    }
  }

  outline([x, y, width, height], line, colour) {
    const { context, look } = this, { scale } = look;
    for (const [wide, shown] of [[line + 2, look.ground], [line, colour]]) {
      context.strokeStyle = shown;
      context.lineWidth = wide * scale;
      context.strokeRect(x, y, width, height);
    }
  }

  paintOutlines(frame) {
    const { look, left, top } = this;
    for (const [x0, y0, x1, y1, selected] of frame.outlines)
      this.outline([left + x0, top + y0, x1 - x0, y1 - y0], selected ? 3 : 2, selected ? look.accent : look.lit);
  }

  paintPath(frame) {
    const { context, look, left, top } = this, { scale } = look, below = 20 * scale * 0.36; // along the lower edge of the bars
    for (const around of [true, false])
      frame.path.forEach(([x0, x1, y, flies], n) => {
        context.strokeStyle = around ? look.ground : look.accent;
        const line = (width, ...points) => {
          context.lineWidth = (width + (around ? 2.5 : 0)) * scale;
          context.beginPath();
          context.moveTo(left + points[0], top + points[1] + below);
          context.lineTo(left + points[2], top + points[3] + below);
          context.stroke();
        };
        line(flies ? 2.5 : 4, x0, y, x1, y);
        const before = frame.path[n - 1];
        if (before && before[2] !== y) line(2, x1, y, x1, before[2]);
      });
  }

  paintArrows(frame) {
    const { context, look, left, top } = this, { scale } = look;
    for (const lit of [false, true])
      for (const [x0, y0, x1, y1, isLit] of frame.arrows) {
        if (isLit !== lit) continue;
        // Arrows leave and arrive in the direction of time. So arrows between close moments bend outwards.
        const bow = Math.max(12 * scale, Math.min(Math.abs(x1 - x0) / 2, 80 * scale)), head = (lit ? 8 : 6.5) * scale;
        const colour = lit ? look.accent : look.ink, fromX = left + x0, fromY = top + y0, toX = left + x1, toY = top + y1;
        for (const around of [true, false]) {
          context.strokeStyle = around ? look.ground : colour;
          context.lineWidth = ((lit ? 2.2 : 1.5) + (around ? 2 : 0)) * scale;
          context.beginPath();
          context.moveTo(fromX, fromY);
          context.bezierCurveTo(fromX + bow, fromY, toX - bow - head, toY, toX - head, toY);
          context.stroke();
        }
        context.fillStyle = colour;
        context.beginPath();
        context.moveTo(toX, toY), context.lineTo(toX - head, toY - head * 0.6), context.lineTo(toX - head, toY + head * 0.6);
        context.fill();
      }
  }

  paintRange([x0, x1], size) {
    const { context, look, left, top } = this;
    context.fillStyle = look.chosen;
    context.globalAlpha = 0.16;
    context.fillRect(left + x0, top, x1 - x0, size.height);
    context.globalAlpha = 1;
    context.fillStyle = look.accent;
    for (const x of [x0, x1]) context.fillRect(left + x, top, look.scale, size.height);
  }

  /** The mark and the notes, over the graphs and the rows. */
  paintMoments(frame, size) {
    const { context, look, left, top } = this, { scale } = look, base = kAxis * scale;
    this.within(left, 0, size.width, top + size.height, () => {
      context.fillStyle = look.warning;
      if (frame.mark !== undefined) context.fillRect(left + frame.mark, base, 2 * scale, top + size.height - base);
      for (const [at] of frame.notes) {
        const x = left + at, h = 5 * scale;
        context.fillRect(x - 0.75 * scale, base, 1.5 * scale, top + size.height - base);
        context.beginPath();
        context.moveTo(x - h, base - 2 * h), context.lineTo(x + h, base - 2 * h), context.lineTo(x, base);
        context.fill();
      }
    });
  }

  lines(text, room) {
    const out = [''], { context } = this;
    for (const word of text.split(' ')) {
      const longer = out.at(-1) ? `${out.at(-1)} ${word}` : word;
      if (out.at(-1) && context.measureText(longer).width > room) out.push(word);
      else out[out.length - 1] = longer;
    }
    return out;
  }

  paintCallout({ x0, x1, y0, y1, words }, size) {
    const { context, look, left, top } = this, { scale } = look, pad = 7 * scale, line = 16 * scale;
    context.font = this.font();
    const lines = this.lines(words, Math.min(340 * scale, size.width - 4 * pad)), wide = Math.max(...lines.map(text => context.measureText(text).width)) + 2 * pad;
    const high = lines.length * line + 2 * pad, x = Math.max(pad, Math.min(x0, size.width - wide - pad));
    let y = y1 + 14 * scale, from = y1, to = y;
    if (y + high > size.height) y = Math.max(y0 - 14 * scale - high, 0), from = y0, to = y + high; // no room below the bar
    this.outline([left + x0, top + y0, x1 - x0, y1 - y0], 2, look.warning);
    context.strokeStyle = look.warning;
    context.lineWidth = 1.5 * scale;
    context.beginPath();
    context.moveTo(left + (x0 + x1) / 2, top + from), context.lineTo(left + x + 16 * scale, top + to);
    context.stroke();
    context.fillStyle = look.panel;
    context.fillRect(left + x, top + y, wide, high);
    context.strokeRect(left + x, top + y, wide, high);
    context.fillStyle = look.ink;
    lines.forEach((text, n) => context.fillText(text, left + x + pad, top + y + pad + (n + 0.5) * line));
  }

  paintHint(words, size) {
    const { context, look, left, top } = this, { scale } = look;
    context.font = this.font();
    const text = this.shortened(words, size.width - 30 * scale), width = context.measureText(text).width;
    const x = left + size.width - width - 14 * scale, y = top + size.height - 26 * scale;
    context.fillStyle = look.panel;
    context.fillRect(x - 6 * scale, y, width + 12 * scale, 20 * scale);
    context.fillStyle = look.faint;
    context.fillText(text, x, y + 10 * scale);
  }
}
