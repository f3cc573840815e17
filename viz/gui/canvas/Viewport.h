// A window onto a picture, with zoom and pan. It maps body coordinates to pixels of a canvas, and pixels back.
//
//   Viewport view;  view.fit(512, 512, 900, 600);   // whole picture, centred
//   view.zoomAt({300, 200}, 2);                     // the body point under (300, 200) stays there
#pragma once

#include "viz/scene/Scene.h"

#include <algorithm>

namespace lanescope::viz {

struct Viewport {
  double scale = 1;    // pixels per body unit
  double x = 0, y = 0; // canvas position of the body's origin, pixels
  double minScale = 0.01, maxScale = 64;

  bool operator==(const Viewport &) const = default;

  Point toCanvas(Point body) const { return {x + body.x * scale, y + body.y * scale}; }
  Point toBody(Point canvas) const { return {(canvas.x - x) / scale, (canvas.y - y) / scale}; }

  void zoomAt(Point canvas, double factor) {
    double next = std::clamp(scale * factor, minScale, maxScale);
    x = canvas.x - (canvas.x - x) * (next / scale);
    y = canvas.y - (canvas.y - y) * (next / scale);
    scale = next;
  }
  void pan(double dx, double dy) { x += dx, y += dy; }

  /// Shows the whole bodyWidth x bodyHeight picture, centred, at a scale of at most `largest`.
  void fit(double bodyWidth, double bodyHeight, double width, double height, double largest = 2) {
    if (bodyWidth <= 0 || bodyHeight <= 0 || width <= 0 || height <= 0)
      return;
    scale = std::min({width / bodyWidth, height / bodyHeight, largest});
    minScale = std::min(scale * 0.5, 1.0);
    x = (width - bodyWidth * scale) / 2;
    y = (height - bodyHeight * scale) / 2;
  }
  /// Keeps at least `margin` pixels of the picture visible.
  void keepInSight(double bodyWidth, double bodyHeight, double width, double height, double margin = 60) {
    double w = bodyWidth * scale, h = bodyHeight * scale;
    x = std::clamp(x, std::min(margin - w, width - margin), std::max(width - margin, margin - w));
    y = std::clamp(y, std::min(margin - h, height - margin), std::max(height - margin, margin - h));
  }
};

} // namespace lanescope::viz
