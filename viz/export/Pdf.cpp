#include "viz/export/Pdf.h"

#include "viz/export/CairoDraw.h"

#include <cairo-pdf.h>

namespace lanescope::viz {
namespace {

constexpr double kPointsPerPixel = 0.75; // CSS: 96 pixels per inch

cairo_status_t appendPdf(void *out, const unsigned char *data, unsigned size) {
  static_cast<std::string *>(out)->append(reinterpret_cast<const char *>(data), size);
  return CAIRO_STATUS_SUCCESS;
}

} // namespace

Result<std::string> toPdf(const Scene &scene) {
  Page layout = page(scene);
  std::string bytes;
  cairo_surface_t *surface = cairo_pdf_surface_create_for_stream(appendPdf, &bytes, layout.width * kPointsPerPixel,
                                                                 layout.height * kPointsPerPixel);
  cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_TITLE, scene.title.c_str());
  cairo_t *cairo = cairo_create(surface);
  cairo_scale(cairo, kPointsPerPixel, kPointsPerPixel);
  drawPage(cairo, scene, layout);
  cairo_status_t status = cairo_status(cairo);
  cairo_destroy(cairo);
  cairo_surface_finish(surface); // writes the last bytes
  if (status == CAIRO_STATUS_SUCCESS)
    status = cairo_surface_status(surface);
  cairo_surface_destroy(surface);
  if (status != CAIRO_STATUS_SUCCESS)
    return error("drawing-failed", Message("drawing the PDF failed: {}", cairo_status_to_string(status)));
  return bytes;
}

} // namespace lanescope::viz
