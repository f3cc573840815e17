#include "viz/gui/window/Screenshot.h"

#include "core/data/Files.h"

#include <cairo.h>

namespace lanescope::viz {

namespace {
cairo_status_t append(void *to, const unsigned char *bytes, unsigned int length) {
  static_cast<std::string *>(to)->append(reinterpret_cast<const char *>(bytes), length);
  return CAIRO_STATUS_SUCCESS;
}
} // namespace

Result<void> saveScreenshot(const std::string &path, int width, int height, const std::vector<uint8_t> &rgba) {
  cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, width, height);
  if (cairo_surface_status(surface) != CAIRO_STATUS_SUCCESS) {
    cairo_surface_destroy(surface);
    return error("picture-too-large", Message("a picture of {}x{} pixels is too large", width, height));
  }
  unsigned char *out = cairo_image_surface_get_data(surface);
  int stride = cairo_image_surface_get_stride(surface);
  for (int y = 0; y < height; ++y) {
    auto *row = reinterpret_cast<uint32_t *>(out + static_cast<ptrdiff_t>(y) * stride);
    const uint8_t *from = rgba.data() + static_cast<size_t>(height - 1 - y) * static_cast<size_t>(width) * 4;
    for (int x = 0; x < width; ++x, from += 4)
      row[x] = 0xFF000000u | uint32_t(from[0]) << 16 | uint32_t(from[1]) << 8 | from[2];
  }
  cairo_surface_mark_dirty(surface);
  std::string png;
  cairo_status_t status = cairo_surface_write_to_png_stream(surface, append, &png);
  cairo_surface_destroy(surface);
  if (status != CAIRO_STATUS_SUCCESS)
    return error("drawing-failed", Message("can't make a PNG for `{}`: {}", path, cairo_status_to_string(status)));
  return core::writeFile(path, png);
}

} // namespace lanescope::viz
