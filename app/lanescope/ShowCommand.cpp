#include "app/lanescope/SessionOptions.h"

#include "layouts/notation/Notation.h"
#include "layouts/support/Text.h"
#include "viz/export/Export.h"

#include <iostream>

namespace lanescope::app {
namespace {

std::optional<layouts::Shape> parseShape(std::string_view words) {
  layouts::Shape shape;
  for (size_t begin = 0; begin <= words.size();) {
    size_t end = std::min(words.find_first_of("x,", begin), words.size());
    auto size = parseInteger<int64_t>(words.substr(begin, end - begin));
    if (!size)
      return std::nullopt;
    shape.push_back(*size);
    begin = end + 1;
  }
  return shape;
}

int usage(const std::string &message) {
  std::cerr << "lanescope show: " << message << "\n";
  return kUsage;
}

/// The layout that an expression gives, or that a text in another notation is.
Result<layouts::Layout> layoutOf(repl::Session &session, const SourceRef &source, bool tmem) {
  size_t first = source->text().find_first_not_of(" \t\n");
  if (first == std::string::npos)
    return error("empty-layout", {source, 0, 0}, "a layout is expected, such as `WGMMA`");
  if (source->text()[first] == '#') {
    if (!tmem)
      return layouts::parseLayout(source);
    auto layout = layouts::parseTmemLayout(source);
    if (!layout)
      return std::unexpected(layout.error());
    return *layout;
  }
  auto value = session.evaluate(source);
  if (!value)
    return std::unexpected(value.error());
  Span all{source, 0, static_cast<uint32_t>(source->text().size())};
  if (const repl::Layout *layout = value->asLayout())
    return *layout;
  return error("not-a-layout", all, text("this is of type ", value->typeName(), "; a layout is expected, such as `WGMMA`"));
}

} // namespace

int runShow(const ShowArguments &arguments) {
  auto shape = parseShape(arguments.shape);
  if (!shape && arguments.shape.find_first_not_of("0123456789x,") != std::string::npos)
    return usage(text("--shape takes sizes such as 64x64, not `", arguments.shape, "`"));
  auto dtype = layouts::dtypeNamed(arguments.dtype);
  if (!dtype)
    return usage(text("--dtype: there is no type `", arguments.dtype, "`; f16, bf16, f32 and i32 are some that there are"));
  auto view = arguments.view.empty() ? viz::View::Auto : viz::viewNamed(arguments.view);
  if (!view)
    return usage(text("--view takes grid, lanes or tmem, not `", arguments.view, "`"));
  auto source = Source::make("<layout>", arguments.layout);
  Span all{source, 0, static_cast<uint32_t>(arguments.layout.size())};
  if (!shape)
    return report(error("shape-too-large", all, text("the shape ", arguments.shape, " is larger than can be counted")).error());
  repl::Session session(sessionOptions());
  auto layout = layoutOf(session, source, *view == viz::View::Tmem);
  if (!layout)
    return report(layout.error());
  auto scene = viz::layoutScene(*layout, *shape, *dtype, {.view = *view, .colourBy = *viz::colourByNamed(arguments.colorBy)});
  if (!scene)
    return report(at(all, scene.error()).error());
  if (arguments.output.empty()) {
    std::cout << viz::terminalText(*scene, session.terminal());
    return kDone;
  }
  auto written = viz::exportScene(*scene, arguments.output);
  if (!written && !written.error().empty() && written.error()[0].kind == "unknown-format")
    return usage(written.error()[0].message);
  return written ? kDone : report(written.error());
}

} // namespace lanescope::app
