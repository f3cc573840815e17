#include "core/gpu/codegen/SourcePlaces.h"

#include <algorithm>

namespace lanescope::core {

LineOrigin SourcePlaces::at(std::string_view file, uint32_t line, uint32_t column) const {
  if (line == 0)
    return {LineOrigin::Kind::Compiler};
  auto source =
      std::ranges::find(sources_, file, [](const SourceRef &each) -> std::string_view { return each->name(); });
  if (source == sources_.end())
    return {};
  // LLVM gives a function's first instruction the function's line, without a column.
  Span place = spanAt(*source, line, column);
  bool ofHead = place.source == head_.source &&
                (column ? place.begin == head_.begin : line == head_.source->lineColumn(head_.begin).line);
  if (ofHead)
    return {LineOrigin::Kind::Compiler};
  return {LineOrigin::Kind::Source, {std::move(place)}};
}

LineOrigin SourcePlaces::head() const {
  return head_.source ? LineOrigin{LineOrigin::Kind::Source, {head_}} : LineOrigin{};
}

void addTo(LineOrigin &origin, LineOrigin more) {
  origin.kind = std::max(origin.kind, more.kind);
  for (Span &place : more.places)
    if (std::ranges::none_of(origin.places, [&](const Span &other) {
          return other.source == place.source && other.begin == place.begin;
        }))
      origin.places.push_back(std::move(place));
}

} // namespace lanescope::core
