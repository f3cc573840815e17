#include "viz/export/ReadPng.h"

#include <algorithm>
#include <cairo.h>
#include <cstring>

namespace lanescope::viz {

namespace {
cairo_status_t take(void *from, unsigned char *out, unsigned int length) {
  auto &rest = *static_cast<std::string_view *>(from);
  if (rest.size() < length)
    return CAIRO_STATUS_READ_ERROR;
  if (length > 0)
    std::memcpy(out, rest.data(), length);
  rest.remove_prefix(length);
  return CAIRO_STATUS_SUCCESS;
}
} // namespace

Result<core::Array> readPng(std::string_view bytes, const std::string &name) {
  cairo_surface_t *surface = cairo_image_surface_create_from_png_stream(take, &bytes);
  cairo_status_t status = cairo_surface_status(surface);
  int width = cairo_image_surface_get_width(surface), height = cairo_image_surface_get_height(surface);
  cairo_format_t format = cairo_image_surface_get_format(surface);
  if (status != CAIRO_STATUS_SUCCESS || (format != CAIRO_FORMAT_ARGB32 && format != CAIRO_FORMAT_RGB24)) {
    cairo_surface_destroy(surface);
    const char *why = status == CAIRO_STATUS_READ_ERROR ? "it is cut off, or no PNG"
                      : status != CAIRO_STATUS_SUCCESS  ? cairo_status_to_string(status)
                                                        : "its pixels are of a kind that is not read here";
    return error("png", Message("`{name}` is not a PNG image that can be read: {}", name, why));
  }
  const unsigned char *data = cairo_image_surface_get_data(surface);
  int stride = cairo_image_surface_get_stride(surface);
  auto pixelAt = [&](int row, int column) {
    uint32_t pixel;
    std::memcpy(&pixel, data + static_cast<ptrdiff_t>(row) * stride + static_cast<ptrdiff_t>(column) * 4, sizeof pixel);
    return pixel;
  };
  bool clear = false;
  for (int row = 0; row < height && format == CAIRO_FORMAT_ARGB32 && !clear; ++row)
    for (int column = 0; column < width && !clear; ++column)
      clear = pixelAt(row, column) >> 24 != 255;
  core::Array out = core::Array::zeros(layouts::Dtype::U8, {height, width, clear ? 4 : 3});
  std::byte *to = out.bytes.data();
  for (int row = 0; row < height; ++row)
    for (int column = 0; column < width; ++column) {
      uint32_t pixel = pixelAt(row, column), opacity = format == CAIRO_FORMAT_ARGB32 ? pixel >> 24 : 255;
      for (int shift : {16, 8, 0}) { // Cairo has multiplied the channels by the opacity
        uint32_t value = pixel >> shift & 255;
        *to++ = static_cast<std::byte>(opacity == 0 ? 0 : std::min(255u, (value * 255 + opacity / 2) / opacity));
      }
      if (clear)
        *to++ = static_cast<std::byte>(opacity);
    }
  cairo_surface_destroy(surface);
  return out;
}

} // namespace lanescope::viz
