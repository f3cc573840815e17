#include "layouts/MapCoverage.h"

#include "layouts/support/Text.h"

namespace lanescope::layouts {

namespace {

std::string withoutOwner(std::span<const int32_t> elements, const Shape &shape) {
  auto count = static_cast<size_t>(elementCount(shape));
  std::vector<bool> owned(count);
  for (int32_t element : elements)
    if (element >= 0)
      owned[static_cast<size_t>(element)] = true;
  size_t missing = 0, first = 0;
  for (size_t element = count; element-- > 0;)
    if (!owned[element]) {
      ++missing;
      first = element;
    }
  if (missing == 0)
    return "";
  return text(missing, " of the ", count, " elements of shape ", tupleText(shape),
              missing == 1 ? " has no owner: it is " : " have no owner: the first is ",
              tupleText(unravelIndex(static_cast<int64_t>(first), shape)));
}

template <typename Map> std::string noteOf(const Map &map) {
  const auto *foreign = std::get_if<Foreign>(&map.layout());
  if (!foreign) // one of Mosaic's layouts applies to the whole array or not at all
    return "";
  const auto *states = foreign->template as<StatesArray>();
  std::string applies = states ? states->application(map.shape()) : std::string();
  std::string missing = withoutOwner(map.elements(), map.shape());
  if (missing.empty())
    return applies;
  std::string advice = states ? states->whereShort() : std::string();
  return text(applies, applies.empty() ? "" : "; ", missing, advice.empty() ? "" : "; ", advice);
}

} // namespace

std::string coverageNote(const ElementMap &map) { return noteOf(map); }
std::string coverageNote(const TmemMap &map) { return noteOf(map); }

std::string coverageNote(const Placement &placement) {
  if (const auto *registers = std::get_if<ElementMap>(&placement))
    return coverageNote(*registers);
  if (const auto *tmem = std::get_if<TmemMap>(&placement))
    return coverageNote(*tmem);
  return ""; // every element of shared memory has an offset
}

} // namespace lanescope::layouts
