#include "viz/export/Png.h"

#include "viz/export/CairoDraw.h"

#include <algorithm>
#include <cairo.h>
#include <cmath>

namespace lanescope::viz {
namespace {

constexpr double kMaxSide = 32767;   // the limit of Cairo's image surfaces
constexpr double kMaxPixels = 20e6;  // drawing needs four bytes per pixel
constexpr double kLeastScale = 0.25; // smaller pictures are not readable

cairo_status_t appendPng(void *out, const unsigned char *data, unsigned size) {
  static_cast<std::string *>(out)->append(reinterpret_cast<const char *>(data), size);
  return CAIRO_STATUS_SUCCESS;
}

} // namespace

Result<std::string> toPng(const Scene &scene, double scale) {
  Page layout = page(scene);
  if (!(scale > 0))
    scale = 2;
  scale = std::min({scale, kMaxSide / layout.width, kMaxSide / layout.height,
                    std::sqrt(kMaxPixels / (layout.width * layout.height))});
  if (scale < kLeastScale)
    return error(
        "picture-too-large",
        Message("the picture is {} x {} pixels, too large for a readable PNG; write SVG or HTML, or draw a part of it",
                static_cast<int64_t>(layout.width), static_cast<int64_t>(layout.height)));
  cairo_surface_t *surface =
      cairo_image_surface_create(CAIRO_FORMAT_RGB24, static_cast<int>(std::max(1.0, std::floor(layout.width * scale))),
                                 static_cast<int>(std::max(1.0, std::floor(layout.height * scale))));
  cairo_t *cairo = cairo_create(surface);
  cairo_scale(cairo, scale, scale);
  drawPage(cairo, scene, layout);
  cairo_surface_flush(surface);
  std::string bytes;
  cairo_status_t status = cairo_status(cairo);
  if (status == CAIRO_STATUS_SUCCESS)
    status = cairo_surface_write_to_png_stream(surface, appendPng, &bytes);
  cairo_destroy(cairo);
  cairo_surface_destroy(surface);
  if (status != CAIRO_STATUS_SUCCESS)
    return error("drawing-failed", Message("drawing the PNG failed: {}", cairo_status_to_string(status)));
  return bytes;
}

} // namespace lanescope::viz
