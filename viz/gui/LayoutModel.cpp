#include "viz/gui/LayoutModel.h"

#include "layouts/Catalogue.h"
#include "layouts/notation/Notation.h"
#include "layouts/support/Text.h"
#include "viz/gui/Fields.h"

namespace lanescope::viz {

namespace {

/// Larger pictures are drawn from merged blocks; this many boxes still build in well under a second.
constexpr int64_t kMaxCells = int64_t(1) << 18;
constexpr int64_t kMaxLabelled = int64_t(1) << 16;

template <typename T> std::optional<T> taken(Result<T> result, Diagnostics &problems) {
  if (result)
    return *std::move(result);
  for (Diagnostic &problem : result.error())
    problems.push_back(std::move(problem));
  return std::nullopt;
}

std::optional<AnyLayout> parsedLayout(LayoutKind kind, const std::string &input, Diagnostics &problems) {
  SourceRef source = Source::make("layout", input);
  if (kind == LayoutKind::Tmem) {
    if (auto layout = taken(layouts::parseTmemLayout(source), problems))
      return AnyLayout(*std::move(layout));
    return std::nullopt;
  }
  auto layout = taken(layouts::parseLayout(source), problems);
  if (!layout)
    return std::nullopt;
  if (layouts::memoryOf(*layout) == layouts::Memory::Registers)
    return layout;
  problems.push_back({Severity::Error,
                      "tmem-layout",
                      Span{source, 0, uint32_t(input.size())},
                      "this is a layout of tensor memory; the Tensor memory view draws it",
                      {}});
  return std::nullopt;
}

template <typename Visit> std::string subjectText(const Scene *scene, Visit visit) {
  if (!scene)
    return {};
  if (auto *registers = std::get_if<RegisterSubject>(&scene->subject))
    return visit(registers->layout);
  if (auto *tmem = std::get_if<TmemSubject>(&scene->subject))
    return visit(tmem->layout);
  return {};
}

} // namespace

LayoutModel::LayoutModel(LayoutKind kind) : kind(kind) {
  if (kind == LayoutKind::Registers)
    input = {.layout = "WGMMA", .shape = "64x16", .dtype = "f32"};
  else
    input = {.layout = "tmem_default_layout(1)", .shape = "128x32", .dtype = "f32"};
}

LayoutOutcome drawLayout(LayoutKind kind, const LayoutInput &input) {
  LayoutOutcome out;
  auto layout = parsedLayout(kind, input.layout, out.diagnostics);
  auto shape = taken(parseShapeField("shape", input.shape), out.diagnostics);
  auto dtype = taken(parseDtypeField(input.dtype), out.diagnostics);
  if (!layout || !shape || !dtype)
    return out;
  int64_t elements = 1;
  for (int64_t size : *shape) {
    if (size > kMaxDrawnElements / elements) {
      out.diagnostics.push_back(
          {Severity::Error,
           "too-large",
           {},
           text("an array of shape ", shapeFieldText(*shape), " is too large to draw: the limit is ", kMaxDrawnElements,
                " elements; layouts repeat, so a smaller shape shows the same"),
           {}});
      return out;
    }
    elements *= size;
  }
  LayoutSceneOptions options;
  options.view = input.view;
  options.colourBy = input.colourBy;
  options.maxCells = kMaxCells;
  options.maxLabelled = kMaxLabelled;
  options.name = layouts::catalogueName(*layout).value_or("");
  if (auto scene = taken(layoutScene(*layout, *shape, *dtype, options), out.diagnostics))
    out.scene = std::make_shared<const PreparedScene>(*std::move(scene));
  return out;
}

void LayoutModel::changed(Requests &requests) {
  requests.post(kind == LayoutKind::Registers ? "layout" : "tmem", [this, kind = kind, input = input] {
    auto outcome = std::make_shared<LayoutOutcome>(drawLayout(kind, input));
    return [this, outcome] { take(std::move(*outcome)); };
  });
}

void LayoutModel::apply(const LayoutRequest &request, Requests &requests) {
  if (!request.layout.empty())
    input.layout = request.layout;
  if (!request.shape.empty())
    input.shape = request.shape;
  if (!request.dtype.empty())
    input.dtype = request.dtype;
  input.colourBy = colourByNamed(request.colourBy).value_or(input.colourBy);
  input.view = request.threads ? View::Lanes : View::Auto;
  changed(requests);
}

void LayoutModel::take(LayoutOutcome outcome) {
  diagnostics_ = std::move(outcome.diagnostics);
  if (outcome.scene)
    picture.show(std::move(outcome.scene));
}

std::string LayoutModel::jax() const {
  return subjectText(picture.scene(), [](const auto &layout) { return layouts::layoutText(layout); });
}

std::string LayoutModel::mlir() const {
  return subjectText(picture.scene(), [](const layouts::Layout &layout) {
    if (const auto *registers = std::get_if<layouts::RegisterLayout>(&layout))
      return layouts::mlirText(*registers);
    const auto *tmem = std::get_if<layouts::TMEMLayout>(&layout);
    return tmem ? layouts::mlirText(*tmem) : std::string();
  });
}

std::vector<std::string> LayoutModel::words() const {
  if (!picture.scene() || picture.focus() < 0)
    return {};
  return linesOf(picture.scene()->body.boxes[size_t(picture.focus())].tooltip);
}

const std::vector<std::string> &catalogueNames(LayoutKind kind) {
  static const auto namesOf = [](LayoutKind wanted) {
    std::vector<std::string> out;
    for (const layouts::CatalogueEntry &entry : layouts::catalogueEntries()) {
      // Entries with parameters are offered as a call that their defaults and example make valid, where there is one.
      std::string spelled(entry.name);
      if (entry.callable || !entry.parameters.empty()) {
        std::string arguments;
        for (const layouts::CatalogueParameter &parameter : entry.parameters) {
          if (parameter.fallback)
            continue;
          if (parameter.kind != layouts::ParameterKind::Integer) {
            arguments = "?";
            break;
          }
          arguments += text(arguments.empty() ? "" : ", ", 128);
        }
        spelled += text("(", arguments, ")");
      }
      auto layout = layouts::parseLayout(Source::make("catalogue", spelled));
      if (layout && std::holds_alternative<layouts::TMEMLayout>(*layout) == (wanted == LayoutKind::Tmem))
        out.push_back(std::move(spelled));
    }
    return out;
  };
  static const std::vector<std::string> registers = namesOf(LayoutKind::Registers), tmem = namesOf(LayoutKind::Tmem);
  return kind == LayoutKind::Tmem ? tmem : registers;
}

std::vector<std::string> linesOf(const std::string &text) {
  std::vector<std::string> out;
  for (size_t begin = 0; begin < text.size();) {
    size_t end = std::min(text.find('\n', begin), text.size());
    out.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return out;
}

} // namespace lanescope::viz
