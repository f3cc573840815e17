#include "layouts/Diff.h"

#include "layouts/Equal.h"

#include <algorithm>

namespace lanescope::layouts {

namespace {

/// A place: thread or lane, and the position in it.
struct Place {
  int32_t thread, position;
};

/// The class of the move from the nearest source to one destination. A warp (or quarter of tensor memory) has `warp`
/// threads.
Move nearest(std::span<const Place> sources, Place destination, int32_t warp) {
  Move best = Move::OtherWarp;
  for (Place source : sources) {
    if (source.thread == destination.thread && source.position == destination.position)
      return Move::None;
    if (source.thread == destination.thread)
      best = std::min(best, Move::SameThread);
    else if (source.thread / warp == destination.thread / warp)
      best = std::min(best, Move::SameWarp);
  }
  return best;
}

Move worst(std::span<const Place> sources, std::span<const Place> destinations, int32_t warp) {
  if (sources.empty() || destinations.empty())
    return sources.empty() && destinations.empty() ? Move::None : Move::Absent;
  Move out = Move::None;
  for (Place destination : destinations)
    out = std::max(out, nearest(sources, destination, warp));
  return out;
}

/// Classifies every element by calling `judge(element)`.
template <typename Judge> DiffResult judged(const Shape &shape, Judge &&judge) {
  DiffResult out;
  out.shape = shape;
  out.moves.resize(static_cast<size_t>(elementCount(shape)));
  for (size_t element = 0; element < out.moves.size(); ++element) {
    Move move = judge(static_cast<int64_t>(element));
    out.moves[element] = move;
    ++out.counts[static_cast<size_t>(move)];
  }
  return out;
}

std::unexpected<Diagnostics> shapesDiffer(const Shape &a, const Shape &b) {
  return error(
      "shape-mismatch",
      Message("the maps are of arrays of shapes {shape} and {other_shape}; only maps of one shape have a difference",
              tupleText(a), tupleText(b)));
}

Result<DiffResult> cells(const TmemMap &from, const TmemMap &to) {
  if (from.shape() != to.shape())
    return shapesDiffer(from.shape(), to.shape());
  std::vector<Place> sources, destinations;
  auto places = [](const TmemMap &map, int64_t element, std::vector<Place> &out) {
    out.clear();
    for (const TmemCell &cell : map.cells(element))
      out.push_back({cell.lane, cell.column * map.packing() + cell.sub});
  };
  return judged(from.shape(), [&](int64_t element) {
    places(from, element, sources);
    places(to, element, destinations);
    return worst(sources, destinations, kLanesPerWarp);
  });
}

Result<DiffResult> bytes(const AddressMap &from, const AddressMap &to) {
  if (from.shape() != to.shape())
    return shapesDiffer(from.shape(), to.shape());
  if (from.bitwidth() != to.bitwidth())
    return error(
        "dtype-mismatch",
        Message("the maps are of elements of {bits} and {other_bits} bits; only equal widths have a difference",
                from.bitwidth(), to.bitwidth()));
  return judged(from.shape(), [&](int64_t element) {
    return from.offset(element) == to.offset(element) ? Move::None : Move::OtherByte;
  });
}

} // namespace

std::string_view name(Move move) {
  switch (move) {
  case Move::None: return "unchanged";
  case Move::SameThread: return "same lane";
  case Move::SameWarp: return "same warp";
  case Move::OtherWarp: return "other warp";
  case Move::OtherByte: return "other byte";
  case Move::Absent: return "absent";
  }
  return "";
}

std::vector<int64_t> DiffResult::elements(Move move, size_t limit) const {
  std::vector<int64_t> out;
  for (size_t element = 0; element < moves.size() && out.size() < limit; ++element)
    if (moves[element] == move)
      out.push_back(static_cast<int64_t>(element));
  return out;
}

Result<DiffResult> diff(const ElementMap &from, const ElementMap &to) {
  if (from.shape() != to.shape())
    return shapesDiffer(from.shape(), to.shape());
  Result<int> warp = commonWarp(from, to);
  if (!warp)
    return std::unexpected(std::move(warp.error()));
  int32_t fromValues = from.values(), toValues = to.values();
  std::vector<Place> sources, destinations;
  return judged(from.shape(), [&](int64_t element) {
    std::span<const int32_t> a = from.slots(element), b = to.slots(element);
    if (a.size() == 1 && b.size() == 1) {
      Place source{a[0] / fromValues, a[0] % fromValues};
      return nearest({&source, 1}, {b[0] / toValues, b[0] % toValues}, *warp);
    }
    sources.clear();
    destinations.clear();
    for (int32_t slot : a)
      sources.push_back({slot / fromValues, slot % fromValues});
    for (int32_t slot : b)
      destinations.push_back({slot / toValues, slot % toValues});
    return worst(sources, destinations, *warp);
  });
}

Result<DiffResult> diff(const Placement &from, const Placement &to) {
  if (from.index() != to.index())
    return error("layout-memory", "the maps are of different memories; a difference is between places of one");
  if (const auto *map = std::get_if<ElementMap>(&from))
    return diff(*map, std::get<ElementMap>(to));
  if (const auto *map = std::get_if<TmemMap>(&from))
    return cells(*map, std::get<TmemMap>(to));
  return bytes(std::get<AddressMap>(from), std::get<AddressMap>(to));
}

Result<DiffResult> diff(const Layout &from, const Layout &to, const Shape &shape, int bitwidth,
                        std::optional<Memory> memory) {
  Result<std::pair<Placement, Placement>> both = commonPlacements(from, to, shape, bitwidth, memory);
  if (!both)
    return std::unexpected(std::move(both.error()));
  return diff(both->first, both->second);
}

} // namespace lanescope::layouts
