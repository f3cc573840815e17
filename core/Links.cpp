#include "core/Links.h"

#include "core/LinkTable.h"
#include "layouts/support/TerminalWidth.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>
#include <tuple>

namespace lanescope::core {

namespace {

using SourceLine = std::pair<const Source *, uint32_t>;

SourceLine lineOf(const Span &place) { return {place.source.get(), place.source->lineColumn(place.begin).line}; }

std::set<SourceLine> sourceLines(const LineOrigin &origin) {
  std::set<SourceLine> lines;
  for (const Span &place : origin.places)
    lines.insert(lineOf(place));
  return lines;
}

/// The lines of `stage` for which `belongs` accepts the origin.
template <typename Predicate> std::vector<uint32_t> linesWhere(const Stage &stage, Predicate belongs) {
  std::vector<uint32_t> lines;
  for (size_t i = 0; i < stage.origins.size(); ++i)
    if (belongs(stage.origins[i]))
      lines.push_back(static_cast<uint32_t>(i + 1));
  return lines;
}

std::vector<uint32_t> linesFrom(const Stage &stage, const std::set<SourceLine> &wanted) {
  return linesWhere(stage, [&](const LineOrigin &origin) {
    return std::ranges::any_of(origin.places, [&](const Span &place) { return wanted.contains(lineOf(place)); });
  });
}

} // namespace

const LineOrigin &originOf(const Stage &stage, uint32_t line) {
  static const LineOrigin nothing;
  return line > 0 && line <= stage.origins.size() ? stage.origins[line - 1] : nothing;
}

Stage sourceStage(SourceRef source) {
  Stage stage{kSourceStage, source};
  const std::string &all = source->text();
  for (uint32_t line = 1; source->lineStart(line) < all.size(); ++line) {
    uint32_t begin = source->lineStart(line);
    auto end = begin + static_cast<uint32_t>(source->lineText(line).size());
    stage.origins.push_back({LineOrigin::Kind::Source, {Span{source, begin, end}}});
  }
  return stage;
}

std::vector<uint32_t> linesFrom(const Stage &stage, const SourceRef &source, uint32_t line) {
  return linesFrom(stage, std::set<SourceLine>{{source.get(), line}});
}

std::vector<uint32_t> linkedLines(const Stage &from, uint32_t line, const Stage &to) {
  return LinkTable(std::vector<const Stage *>{&from, &to}).linked(0, line, 1);
}

std::string withOrigins(const Stage &stage, const SourceRef &source) {
  std::vector<std::string> margins;
  auto last = static_cast<uint32_t>(stage.origins.size());
  int64_t width = 0;
  for (uint32_t line = 1; line <= last; ++line) {
    const LineOrigin &origin = originOf(stage, line);
    std::string margin = origin.kind == LineOrigin::Kind::Compiler ? "-" : "";
    for (auto [from, number] : sourceLines(origin)) {
      margin += margin.empty() ? "" : ",";
      margin += (from == source.get() ? "" : from->name() + ":") + std::to_string(number);
    }
    width = std::max(width, columnCount(margin));
    margins.push_back(std::move(margin));
  }
  std::string out;
  for (uint32_t line = 1; line <= last; ++line) {
    const std::string &margin = margins[line - 1];
    out += padded(margin, width, Aligned::Right) + " | ";
    out += stage.source->lineText(line);
    out += '\n';
  }
  return out;
}

std::string linksJson(const Stages &stages, std::string_view kernel) {
  using nlohmann::ordered_json;
  std::vector<const Source *> sources;
  for (const SourceRef &source : stages.sources)
    sources.push_back(source.get());
  auto numberOf = [&](const Source *source) {
    auto found = std::ranges::find(sources, source);
    if (found == sources.end())
      found = sources.insert(found, source);
    return found - sources.begin();
  };
  ordered_json list = ordered_json::array();
  for (const Stage &stage : stages.stages) {
    ordered_json lines = ordered_json::array();
    for (const LineOrigin &origin : stage.origins) {
      ordered_json places = ordered_json::array();
      for (const Span &place : origin.places) {
        LineColumn begin = place.source->lineColumn(place.begin), end = place.source->lineColumn(place.end);
        places.push_back({numberOf(place.source.get()), begin.line, begin.column, end.column});
      }
      lines.push_back(origin.kind == LineOrigin::Kind::Text ? ordered_json() : std::move(places));
    }
    list.push_back({{"id", stage.kind.id}, {"title", stage.kind.title}, {"lines", std::move(lines)}});
  }
  ordered_json names = ordered_json::array();
  for (const Source *source : sources)
    names.push_back(source->name());
  ordered_json all{{"kernel", kernel}, {"sources", std::move(names)}, {"stages", std::move(list)}};
  return all.dump(-1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

} // namespace lanescope::core
