#include "app/lanescope/SessionOptions.h"

#include "layouts/Coverage.h"
#include "layouts/DefaultArray.h"
#include "layouts/support/Text.h"
#include "layouts/support/Visible.h"
#include "repl/session/FileKind.h"
#include "repl/session/ReadLayout.h"
#include "viz/export/Export.h"
#include "viz/scene/Palette.h"
#include "viz/scene/ViewText.h"

#include <algorithm>

namespace lanescope::app {
namespace {

/// Reads sizes such as "64x64" or "64,64".
std::optional<layouts::Shape> parseSizes(std::string_view words) {
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
  // The message may contain any words of the command line.
  complain(text("lanescope show: ", visibleLine(message), "\n"));
  return kUsage;
}

/// The view that the flags describe. If a flag's value is invalid, the error is a usage message.
std::expected<viz::ViewSpec, std::string> specOf(const ShowArguments &arguments) {
  viz::ViewSpec spec;
  auto sizes = [](std::string_view flag, const std::string &words, layouts::Shape &out) -> std::string {
    if (words.empty())
      return "";
    auto parsed = parseSizes(words);
    if (!parsed)
      return text(flag, " takes ", flag == "--slice" ? "indices such as 0,3" : "sizes such as 64x64", ", not `", words,
                  "`");
    out = *std::move(parsed);
    return "";
  };
  for (std::string problem :
       {sizes("--shape", arguments.shape, spec.shape), sizes("--slice", arguments.slice, spec.slice),
        sizes("--tiling", arguments.tiling, spec.tiling)})
    if (!problem.empty())
      return std::unexpected(problem);
  if (!arguments.dtype.empty()) {
    spec.dtype = layouts::dtypeNamed(arguments.dtype);
    if (!spec.dtype)
      return std::unexpected(
          text("--dtype: there is no type `", arguments.dtype, "`; f16, bf16, f32 and i32 are some that there are"));
  }
  if (!arguments.colorBy.empty()) {
    auto colour = viz::colourByNamed(arguments.colorBy);
    if (colour && *colour != viz::ColourBy::Custom)
      spec.colourBy = *colour;
    else
      spec.smemColour = viz::smemColourNamed(arguments.colorBy);
    if (!spec.smemColour && (!colour || *colour == viz::ColourBy::Custom))
      return std::unexpected(text("--color takes warp, lane, register, vector, bank, chunk, row or column, not `",
                                  arguments.colorBy, "`"));
  }
  if (!arguments.memory.empty()) {
    spec.memory = layouts::memoryNamed(arguments.memory);
    if (!spec.memory)
      return std::unexpected(text("--memory takes registers, shared or tmem, not `", arguments.memory, "`"));
  }
  spec.swizzle = arguments.swizzle;
  spec.transpose = arguments.transpose;
  spec.wholeMemory = arguments.whole;
  spec.theme = viz::themeNamed(arguments.theme).value_or(viz::ColourTheme::Light);
  return spec;
}

/// The views that the user asks for. If a view is unknown, the error is a usage message.
std::expected<std::vector<viz::View>, std::string> viewsOf(const std::string &words) {
  if (words.empty())
    return std::vector{viz::View::Auto};
  std::vector<viz::View> out;
  for (size_t begin = 0; begin <= words.size();) {
    size_t end = std::min(words.find(',', begin), words.size());
    std::string name = words.substr(begin, end - begin);
    auto view = viz::viewNamed(name);
    if (!view)
      return std::unexpected(text("--view takes one of ", viz::viewNames(), ", not `", name, "`"));
    out.push_back(*view);
    begin = end + 1;
  }
  return out;
}

/// Prints one picture, or writes all pictures to a file.
int put(const std::vector<viz::Scene> &scenes, const ShowArguments &arguments, const repl::Session &session) {
  if (arguments.output.empty()) {
    for (const viz::Scene &scene : scenes)
      say(viz::terminalText(scene, session.terminal()));
    return kDone;
  }
  auto written = viz::exportScenes(scenes, arguments.output);
  if (!written && !written.error().empty() &&
      (written.error()[0].kind == "unknown-format" || written.error()[0].kind == "several-pictures"))
    return usage(written.error()[0].message);
  return written ? kDone : report(written.error());
}

} // namespace

int runShow(const ShowArguments &arguments) {
  auto source = Source::make("<layout>", arguments.layout);
  if (repl::namesFile(arguments.layout)) {
    auto opened = repl::openFor("show", arguments.layout);
    if (!opened)
      return report(opened.error());
    source = opened->source;
  }
  Span all{source, 0, static_cast<uint32_t>(source->text().size())};
  repl::Session session(
      sessionOptions({}, {}, lookRules({}, {}))); // this session only reads a layout's text, so nothing may be written
  if (viz::looksLikeView(source->text())) {
    auto specs = viz::parseViews(source);
    if (!specs)
      return report(specs.error());
    std::vector<viz::Scene> scenes;
    for (const viz::ViewSpec &spec : *specs) {
      auto scene = viz::viewScene(spec);
      if (!scene)
        return report(at(all, scene.error()).error());
      scenes.push_back(*std::move(scene));
    }
    return put(scenes, arguments, session);
  }
  auto spec = specOf(arguments);
  if (!spec && arguments.shape.find_first_not_of("0123456789x,") == std::string::npos && !parseSizes(arguments.shape) &&
      arguments.shape.size() > 18)
    return report(
        error("shape-too-large", all, text("the shape ", arguments.shape, " is larger than can be counted")).error());
  if (!spec)
    return usage(spec.error());
  auto views = viewsOf(arguments.view);
  if (!views)
    return usage(views.error());
  auto layout = repl::readLayout(session, source, views->front() == viz::View::Tmem);
  if (!layout)
    return report(layout.error());
  std::optional<layouts::Layout> against;
  if (!arguments.against.empty()) {
    auto other = repl::readLayout(session, Source::make("<against>", arguments.against), false);
    if (!other)
      return report(other.error());
    report(other->remarks);
    against = std::move(other->layout);
  }
  viz::ViewSpec whole = *spec;
  whole.layout = source->text();
  whole.view = views->front();
  whole.against = arguments.against;
  // A file of these kinds describes one layout.
  bool data = arguments.output.ends_with(".json") || arguments.output.ends_with(".csv");
  if (views->size() == 1 && (whole.view == viz::View::Operands || (!data && viz::showsOperands(whole)))) {
    auto scene = viz::viewScene(whole);
    return scene ? put({*std::move(scene)}, arguments, session) : report(at(all, scene.error()).error());
  }
  report(layout->remarks);
  if (spec->shape.empty() && layout->shape)
    spec->shape = *layout->shape;
  viz::ViewSpec first = *spec;
  first.view = views->front();
  auto reading = viz::readingOf(first, layout->layout);
  if (!reading)
    return report(at(all, reading.error()).error());
  spec->shape = reading->shape ? *reading->shape : layouts::exampleShape(layout->layout, reading->memory);
  if (std::holds_alternative<layouts::Foreign>(layout->layout) && layouts::memoriesOf(layout->layout).size() > 1)
    spec->memory = reading->memory; // use the same memory in all views
  if (std::string note = guessNote(layout->layout, *reading, layouts::ReadingSwitch::Flag); !note.empty())
    report({{Severity::Note, "layout-reading", all, std::move(note), {}}});
  if (!spec->dtype && layout->bitwidth)
    spec->dtype = layouts::dtypeOfWidth(*layout->bitwidth);
  if (!spec->dtype)
    spec->dtype = layouts::defaultDtype(layout->layout);
  if (!arguments.output.empty()) // pictures show these remarks themselves; other files do not
    for (const auto &each : {std::optional(layout->layout), against})
      if (auto placed = each ? layouts::placement(*each, spec->shape, layouts::bitwidth(*spec->dtype), spec->memory)
                             : Result<layouts::Placement>(std::unexpected(Diagnostics())))
        if (std::string note = coverageNote(*placed); !note.empty())
          report({{Severity::Note, "layout-coverage", all, std::move(note), {}}});
  std::vector<viz::Scene> scenes;
  for (viz::View view : *views) {
    viz::ViewSpec one = *spec;
    one.view = view;
    if (views->size() > 1 && view != viz::View::Smem) { // these settings apply only to the picture of shared memory
      one.tiling.clear();
      one.swizzle = 0;
      one.transpose = false;
      one.smemColour.reset();
    }
    auto scene = viz::viewScene(one, layout->layout, against);
    if (!scene)
      return report(at(all, scene.error()).error());
    scenes.push_back(*std::move(scene));
  }
  return put(scenes, arguments, session);
}

} // namespace lanescope::app
