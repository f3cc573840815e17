#include "app/lanescope/KernelFiles.h"
#include "app/lanescope/OpenLink.h"
#include "app/lanescope/SessionOptions.h"

#include "core/data/Files.h"
#include "core/data/PageLink.h"
#include "core/gpu/kernel/Profile.h"
#include "layouts/DefaultArray.h"
#include "layouts/MapCoverage.h"
#include "layouts/notation/Notation.h"
#include "layouts/support/Text.h"
#include "layouts/support/Visible.h"
#include "repl/files/FileKind.h"
#include "repl/session/ReadLayout.h"
#include "viz/export/Export.h"
#include "viz/host/ViewLink.h"
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

/// `command`: "show" or "link".
int usage(std::string_view command, const std::string &message) {
  // The message may contain any words of the command line.
  complain(text("lanescope ", command, ": ", visibleLine(message), "\n"));
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
  for (const std::string &problem :
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

/// A picture, and the layouts that it shows. Without them, the spec's texts are read.
struct Shown {
  viz::ViewSpec spec;
  std::optional<layouts::Layout> layout = {}, against = {};
  std::optional<layouts::Memory> memory = {}; // for which the layout is read
};

/// The pictures that the user asks for, and the text that describes them.
struct Request {
  SourceRef source;
  std::vector<Shown> shown;
  Span all() const { return {source, 0, static_cast<uint32_t>(source->text().size())}; }
};

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
    return usage("show", written.error()[0].message);
  return written ? kDone : report(written.error());
}

/// The text of the layout: an argument, a file or a link.
std::expected<SourceRef, int> layoutText(const std::string &layout) {
  auto source = Source::make("<layout>", layout);
  if (core::looksLikePageLink(layout)) {
    auto view = viewOfLink(layout);
    if (!view)
      return std::unexpected(report(view.error()));
    return Source::make("<link>", *view);
  }
  if (!repl::namesFile(layout))
    return source;
  auto opened = repl::openFor("show", layout);
  if (!opened)
    return std::unexpected(report(opened.error()));
  return opened->source;
}

/// After an error, reports it and returns the exit status.
std::expected<Request, int> requestOf(const ShowArguments &arguments, repl::Session &session,
                                      std::string_view command) {
  auto source = layoutText(arguments.layout);
  if (!source)
    return std::unexpected(source.error());
  Request out{*source, {}};
  if (viz::looksLikeView(out.source->text())) {
    auto specs = viz::parseViews(out.source);
    if (!specs)
      return std::unexpected(report(specs.error()));
    for (viz::ViewSpec &spec : *specs)
      out.shown.push_back({std::move(spec)});
    return out;
  }
  auto spec = specOf(arguments);
  if (!spec && arguments.shape.find_first_not_of("0123456789x,") == std::string::npos && !parseSizes(arguments.shape) &&
      arguments.shape.size() > 18)
    return std::unexpected(report(
        error("shape-too-large", out.all(), Message("the shape {shape} is larger than can be counted", arguments.shape))
            .error()));
  if (!spec)
    return std::unexpected(usage(command, spec.error()));
  auto views = viewsOf(arguments.view);
  if (!views)
    return std::unexpected(usage(command, views.error()));
  auto layout = repl::readLayout(session, out.source, views->front() == viz::View::Tmem);
  if (!layout)
    return std::unexpected(report(layout.error()));
  std::optional<layouts::Layout> against;
  if (!arguments.against.empty()) {
    auto other = repl::readLayout(session, Source::make("<against>", arguments.against), false);
    if (!other)
      return std::unexpected(report(other.error()));
    report(other->remarks);
    against = std::move(other->layout);
  }
  viz::ViewSpec whole = *spec;
  whole.layout = out.source->text();
  whole.view = views->front();
  whole.against = arguments.against;
  // A file of these kinds describes one layout.
  bool data = arguments.output.ends_with(".json") || arguments.output.ends_with(".csv");
  if (views->size() == 1 && (whole.view == viz::View::Operands || (!data && viz::showsOperands(whole)))) {
    out.shown.push_back({std::move(whole)});
    return out;
  }
  report(layout->remarks);
  if (spec->shape.empty() && layout->shape)
    spec->shape = *layout->shape;
  viz::ViewSpec first = *spec;
  first.view = views->front();
  auto picture = viz::readPicture(std::move(first), layout->layout, layouts::ReadingSwitch::Flag);
  if (!picture)
    return std::unexpected(report(at(out.all(), picture.error()).error()));
  *spec = std::move(picture->spec);
  if (!picture->note.empty())
    report({{Severity::Note, "layout-reading", out.all(), std::move(picture->note), {}}});
  if (!spec->dtype && layout->bitwidth)
    spec->dtype = layouts::dtypeOfWidth(*layout->bitwidth);
  if (!spec->dtype)
    spec->dtype = layouts::defaultDtype(layout->layout);
  if (!arguments.output.empty()) // pictures show these remarks themselves; other files do not
    for (const auto &each : {std::optional(layout->layout), against})
      if (auto placed = each ? layouts::placement(*each, spec->shape, layouts::bitwidth(*spec->dtype), spec->memory)
                             : Result<layouts::Placement>(std::unexpected(Diagnostics())))
        if (std::string note = coverageNote(*placed); !note.empty())
          report({{Severity::Note, "layout-coverage", out.all(), std::move(note), {}}});
  for (viz::View view : *views) {
    viz::ViewSpec one = *spec;
    one.view = view;
    if (views->size() > 1 && view != viz::View::Smem) { // these settings apply only to the picture of shared memory
      one.tiling.clear();
      one.swizzle = 0;
      one.transpose = false;
      one.smemColour.reset();
    }
    out.shown.push_back({std::move(one), layout->layout, against, picture->memory});
  }
  return out;
}

/// The session only reads a layout's text, so nothing may be written.
repl::SessionOptions readingOnly() { return sessionOptions({}, {}, lookRules({}, {})); }

/// A text that notations read without a session: the text that the user wrote or, if it is an expression, the layout's
/// own.
Result<std::string> notationText(const std::string &written, const layouts::Layout &layout, const viz::ViewSpec &spec) {
  if (auto again = layouts::parseLayout(Source::make("<layout>", written)); again && *again == layout)
    return written;
  return layouts::notation(layout, "mlir", spec.shape, layouts::bitwidth(*spec.dtype), spec.memory);
}

} // namespace

int runShow(const ShowArguments &arguments) {
  repl::Session session(readingOnly());
  auto request = requestOf(arguments, session, "show");
  if (!request)
    return request.error();
  std::vector<viz::Scene> scenes;
  for (const Shown &one : request->shown) {
    auto scene = one.layout ? viz::viewScene(one.spec, one.layout, one.against) : viz::viewScene(one.spec);
    if (!scene)
      return report(at(request->all(), scene.error()).error());
    scenes.push_back(*std::move(scene));
  }
  return put(scenes, arguments, session);
}

int runLink(const LinkArguments &arguments) {
  if (!(arguments.base.starts_with("http://") || arguments.base.starts_with("https://")) ||
      !arguments.base.ends_with('/'))
    return usage("link", text("--base takes the address of the page's folder, such as ", core::kDefaultPage, ", not `",
                              arguments.base, "`"));
  std::string link;
  if (isKernel(arguments.show.layout)) {
    auto files = kernelFiles(arguments.show.layout, arguments.launch, !arguments.noArrays);
    if (!files)
      return report(files.error());
    link = viz::kernelLink(std::filesystem::path(arguments.show.layout).filename().string(), *files, arguments.base,
                           nullptr);
    if (link.size() > core::kLongestPageLink)
      return report(error("bad-view", Message("the link to this kernel would have {count} letters, and a link has at "
                                              "most {}: {}open its files on the page, {}kernels.html",
                                              link.size(), core::kLongestPageLink,
                                              arguments.noArrays ? "" : "leave out its arrays (`--no-arrays`), or ",
                                              arguments.base))
                        .error());
  } else if (arguments.show.layout.ends_with(".json") || arguments.show.layout.ends_with(".json.gz")) {
    auto opened = repl::openFor("trace", arguments.show.layout);
    if (!opened)
      return report(opened.error());
    if (auto trace = core::parseGpuTrace(opened->source); !trace)
      return report(at({opened->source, 0, 0}, trace.error()).error());
    const std::string &bytes = opened->source->text();
    auto plain = core::isGzip(bytes)
                     ? core::gunzip(bytes, arguments.show.layout, core::limitOf(core::FileRole::Trace).bytes())
                     : Result<std::string>(bytes);
    if (!plain)
      return report(plain.error());
    link = viz::traceLink(std::filesystem::path(arguments.show.layout).filename().string(), *plain, arguments.base);
    if (link.size() > core::kLongestPageLink)
      return report(error("bad-view", Message("the trace {path} makes a link of {count} letters, and a link has at "
                                              "most {}: open the file on the page, {}traces.html",
                                              shownName(arguments.show.layout), link.size(), core::kLongestPageLink,
                                              arguments.base))
                        .error());
  } else {
    repl::Session session(readingOnly());
    auto request = requestOf(arguments.show, session, "link");
    if (!request)
      return request.error();
    std::vector<viz::ViewSpec> specs;
    for (Shown &one : request->shown) {
      if (one.layout) {
        auto written = notationText(request->source->text(), *one.layout, one.spec);
        if (!written)
          return report(at(request->all(), written.error()).error());
        one.spec.layout = *std::move(written);
        // Without a view, the page shows the array.
        if (one.spec.view == viz::View::Auto && one.memory == layouts::Memory::Tmem)
          one.spec.view = viz::View::Tmem;
        else if (one.spec.view == viz::View::Auto && one.memory == layouts::Memory::Shared)
          one.spec.view = viz::View::Smem;
      }
      if (one.against) {
        auto written = notationText(arguments.show.against, *one.against, one.spec);
        if (!written)
          return report(at(request->all(), written.error()).error());
        one.spec.against = *std::move(written);
      }
      if (auto scene = one.layout ? viz::viewScene(one.spec, one.layout, one.against) : viz::viewScene(one.spec);
          !scene)
        return report(at(request->all(), scene.error()).error());
      specs.push_back(one.spec);
    }
    link = viz::viewLink(viz::viewsText(specs), arguments.base);
  }
  put(text(link, "\n"));
  return kDone;
}

} // namespace lanescope::app
