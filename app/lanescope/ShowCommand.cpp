#include "app/lanescope/SessionOptions.h"

#include "layouts/DefaultArray.h"
#include "layouts/notation/Find.h"
#include "layouts/notation/Notation.h"
#include "layouts/support/Text.h"
#include "repl/lang/layouts/LayoutArguments.h"
#include "viz/export/Export.h"
#include "viz/scene/Palette.h"
#include "viz/scene/ViewText.h"

#include <algorithm>
#include <iostream>

namespace lanescope::app {
namespace {

/// "64x64" or "64,64".
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
  std::cerr << "lanescope show: " << message << "\n";
  return kUsage;
}

/// A layout and, where a type or an operation around it says so, the array that it is for.
struct Read {
  layouts::Layout layout;
  std::optional<layouts::Shape> shape = {};
  std::optional<int> bitwidth = {};
};

/// The first of the layouts in a pasted chunk of a module or a printout; the others are named. Nothing where there is
/// none, or the text is no chunk.
std::optional<Read> firstFound(const SourceRef &source) {
  if (source->text().find_first_of("%\n=") == std::string::npos)
    return std::nullopt;
  auto found = layouts::findLayouts(source);
  std::erase_if(found, [](const layouts::FoundLayout &one) { return !one.layout; });
  if (found.empty())
    return std::nullopt;
  layouts::FoundLayout first = *layouts::firstLayout(found);
  auto called = [](const layouts::FoundLayout &one) {
    return lanescope::text(one.name.empty() ? "a layout" : one.name, " in line ",
                           one.span.source->lineColumn(one.span.begin).line);
  };
  std::string message = lanescope::text("shown is ", called(first));
  if (found.size() > 1) {
    std::vector<std::string> others;
    for (size_t i = 1; i < std::min<size_t>(found.size(), 9); ++i)
      others.push_back(called(found[i]));
    if (found.size() > 9)
      others.push_back(lanescope::text(found.size() - 9, " more"));
    message += lanescope::text("; the text also holds ", joined(others, ", "));
  }
  report({{Severity::Note, "layout-found", first.span, std::move(message), {}}});
  return Read{*std::move(first.layout), std::move(first.shape), first.bitwidth};
}

/// The layout that an expression gives, or that a text in another notation is.
Result<Read> layoutOf(repl::Session &session, const SourceRef &source, bool tmem) {
  const std::string &text = source->text();
  size_t first = text.find_first_not_of(" \t\n");
  if (first == std::string::npos)
    return error("empty-layout", {source, 0, 0}, "a layout is expected, such as `WGMMA`");
  Diagnostics remarks;
  auto read = [&]() -> Result<layouts::Layout> {
    if (text[first] != '#' || !tmem)
      return layouts::parseLayout(source, &remarks);
    auto layout = layouts::parseTmemLayout(source, &remarks);
    if (!layout)
      return std::unexpected(layout.error());
    return *layout;
  };
  std::optional<Result<repl::Value>> value; // an attribute is no expression, but a comment
  if (text[first] != '#') {
    value = session.evaluate(source);
    if (*value)
      if (const repl::Layout *layout = (*value)->asLayout()) {
        // A layout's own text may be an expression as well; how it was read is said all the same.
        if (auto again = read(); again && *again == *layout)
          report(remarks);
        return Read{*layout};
      }
  }
  // Not one of the language: a text of CuTe, Triton, Tilus, …, some of which look like expressions.
  // A number alone is no layout here, though CuTe has layouts of one integer.
  auto layout = read();
  if (layout && !(value && *value && (*value)->number())) {
    report(remarks);
    return Read{*std::move(layout)};
  }
  if (auto found = firstFound(source))
    return *std::move(found);
  if (!value || (!*value && text.find_first_of("#:<") != std::string::npos))
    return std::unexpected(layout.error());
  if (!*value)
    return std::unexpected(value->error());
  return error("not-a-layout", Span{source, 0, static_cast<uint32_t>(text.size())},
               lanescope::text("this is of type ", (*value)->typeName(), "; a layout is expected, such as `WGMMA`"));
}

/// What the flags say; a usage message where one says nothing.
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
  spec.swizzle = arguments.swizzle;
  spec.transpose = arguments.transpose;
  spec.wholeMemory = arguments.whole;
  spec.theme = viz::themeNamed(arguments.theme).value_or(viz::ColourTheme::Light);
  return spec;
}

/// The views that are asked for; a usage message for one that there is not.
std::expected<std::vector<viz::View>, std::string> viewsOf(const std::string &words) {
  if (words.empty())
    return std::vector{viz::View::Auto};
  std::vector<viz::View> out;
  for (size_t begin = 0; begin <= words.size();) {
    size_t end = std::min(words.find(',', begin), words.size());
    std::string name = words.substr(begin, end - begin);
    auto view = viz::viewNamed(name);
    if (!view)
      return std::unexpected(text("--view takes grid, lanes, tmem, smem, f2, flow or diff, not `", name, "`"));
    out.push_back(*view);
    begin = end + 1;
  }
  return out;
}

/// Prints one picture, or writes all to a file.
int put(const std::vector<viz::Scene> &scenes, const ShowArguments &arguments, const repl::Session &session) {
  if (arguments.output.empty()) {
    for (const viz::Scene &scene : scenes)
      std::cout << viz::terminalText(scene, session.terminal());
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
  Span all{source, 0, static_cast<uint32_t>(arguments.layout.size())};
  repl::Session session(sessionOptions());
  if (viz::looksLikeView(arguments.layout)) {
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
  auto layout = layoutOf(session, source, views->front() == viz::View::Tmem);
  if (!layout)
    return report(layout.error());
  std::optional<layouts::Layout> against;
  if (!arguments.against.empty()) {
    auto other = layoutOf(session, Source::make("<against>", arguments.against), false);
    if (!other)
      return report(other.error());
    against = std::move(other->layout);
  }
  if (spec->shape.empty())
    spec->shape = layout->shape ? *layout->shape : layouts::exampleShape(layout->layout);
  if (!spec->dtype && layout->bitwidth)
    spec->dtype = layouts::dtypeOfWidth(*layout->bitwidth);
  if (!spec->dtype)
    spec->dtype = layouts::defaultDtype(layout->layout);
  std::vector<viz::Scene> scenes;
  for (viz::View view : *views) {
    viz::ViewSpec one = *spec;
    one.view = view;
    if (views->size() > 1 && view != viz::View::Smem) { // these are of the one picture that is in shared memory
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
