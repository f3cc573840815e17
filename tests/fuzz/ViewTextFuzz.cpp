// Readers of requests for pictures: `view(…)` as a text, scripts of the window, and PNG images.
#include "viz/export/ReadPng.h"
#include "viz/gui/window/Script.h"
#include "viz/scene/ViewText.h"

#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  using namespace lanescope;
  std::string text(reinterpret_cast<const char *>(data), size);
  if (text.starts_with("\x89PNG")) {
    if (auto image = viz::readPng(text, "fuzz.png"); image && image->shape.size() != 3)
      std::abort();
    return 0;
  }
  SourceRef source = Source::make("fuzz", text);
  if (auto views = viz::parseViews(source)) {
    std::string printed = viz::viewsText(*views);
    auto again = viz::parseViews(Source::make("again", printed));
    if (!again || *again != *views)
      std::abort();
  } else if (render(views.error()).empty()) {
    std::abort();
  }
  if (auto script = viz::parseScript(source); !script && render(script.error()).empty())
    std::abort();
  return 0;
}
