#include "viz/scene/PlaceWords.h"

#include "layouts/support/Text.h"
#include "layouts/support/Words.h"

#include <algorithm>
#include <map>

namespace lanescope::viz {
namespace {

constexpr size_t kListedRegisters = 4;

/// "bytes 144 to 145", "byte 7", "a part of byte 7"
std::string byteWords(int64_t byte, int bitwidth) {
  if (bitwidth < 8)
    return text("a part of byte ", byte);
  return bitwidth == 8 ? text("byte ", byte) : text("bytes ", byte, " to ", byte + bitwidth / 8 - 1);
}

/// "warp 0, lane 5"
std::string threadPlace(const layouts::ElementMap &map, int thread) {
  return text("warp ", map.warpOf(thread), ", lane ", map.laneOf(thread));
}

/// "register 1, position 0". If registers hold one element each, without the position.
std::string placeWords(const layouts::ElementMap &map, int reg, int position) {
  return map.vector() == 1 ? text("register ", reg) : text("register ", reg, ", position ", position);
}

} // namespace

std::string indexWords(const layouts::Shape &shape, int64_t element) {
  return layouts::tupleText(layouts::unravelIndex(element, shape));
}

std::string rangeWords(const std::vector<int32_t> &sorted) {
  std::string out;
  for (size_t i = 0; i < sorted.size();) {
    size_t end = i + 1;
    while (end < sorted.size() && sorted[end] == sorted[end - 1] + 1)
      ++end;
    out += text(out.empty() ? "" : ", ", sorted[i]);
    if (end - i == 2)
      out += text(", ", sorted[i + 1]);
    else if (end - i > 2)
      out += text(" to ", sorted[end - 1]);
    i = end;
  }
  return out;
}

std::string elementWords(const layouts::ElementMap &map, int64_t element) {
  std::string head = text("element ", indexWords(map.shape(), element), " is held by ");
  std::span<const int32_t> slots = map.slots(element);
  if (slots.empty())
    return head + "no thread";
  layouts::Owner first = map.ownerOf(slots[0]);
  if (slots.size() == 1)
    return text(head, threadPlace(map, first.thread), " in ", placeWords(map, first.reg, first.position));

  // Copies are listed by warp. Warps with the same lanes are listed together.
  std::vector<std::pair<std::vector<int32_t>, std::vector<int32_t>>> groups; // lanes -> warps
  std::map<int32_t, std::vector<int32_t>> lanes;                             // by warp
  std::vector<std::string> places;
  int64_t threads = 0;
  for (int32_t slot : slots) {
    layouts::Owner owner = map.ownerOf(slot);
    std::vector<int32_t> &mine = lanes[map.warpOf(owner.thread)];
    if (int lane = map.laneOf(owner.thread); mine.empty() || mine.back() != lane) {
      mine.push_back(lane);
      ++threads;
    }
    std::string place = placeWords(map, owner.reg, owner.position);
    if (places.size() < kListedRegisters && std::find(places.begin(), places.end(), place) == places.end())
      places.push_back(std::move(place));
  }
  for (const auto &[warp, mine] : lanes) {
    auto same = std::find_if(groups.begin(), groups.end(), [&](const auto &g) { return g.first == mine; });
    if (same == groups.end())
      same = groups.insert(groups.end(), {mine, {}});
    same->second.push_back(warp);
  }
  std::string owners;
  for (const auto &[laneList, warps] : groups)
    owners += text(owners.empty() ? "" : "; ", warps.size() == 1 ? "warp " : "warps ", rangeWords(warps), ", ",
                   laneList.size() == 1 ? "lane " : "lanes ", rangeWords(laneList));
  return text(
      "element ", indexWords(map.shape(), element), " is held by ",
      threads == static_cast<int64_t>(slots.size())
          ? counted(threads, "thread")
          : text(counted(static_cast<int64_t>(slots.size()), "register slot"), " of ", counted(threads, "thread")),
      " (", owners, ") in ", joined(places, " and "));
}

std::string slotWords(const layouts::ElementMap &map, int thread, int reg, int position) {
  std::string place = text(threadPlace(map, thread), ", ", placeWords(map, reg, position), " holds ");
  int32_t element = map.element(thread, reg, position);
  return element < 0 ? place + "nothing" : text(place, "element ", indexWords(map.shape(), element));
}

std::string threadWords(const layouts::ElementMap &map, int thread, int64_t limit) {
  int64_t total = static_cast<int64_t>(map.registers()) * map.vector();
  std::string out = text(threadPlace(map, thread), " (thread ", thread, ") holds ", counted(total, "value"), " in ",
                         counted(map.registers(), "register"), map.vector() > 1 ? text(" of ", map.vector()) : "", ":");
  for (int64_t i = 0; i < std::min(total, limit); ++i) {
    int32_t element = map.element(thread, static_cast<int>(i / map.vector()), static_cast<int>(i % map.vector()));
    out += element < 0 ? " -" : " " + indexWords(map.shape(), element);
  }
  return total > limit ? out + " …" : out;
}

std::string tmemCellWords(const layouts::TmemMap &map, int lane, int column, int sub) {
  int32_t element = map.element(lane, column, sub);
  std::string place =
      text("TMEM lane ", lane, " (quarter of warp ", lane / layouts::kLanesPerWarp, "), column ", column);
  if (map.packing() > 1)
    place += text(", bits ", sub * map.bitwidth(), " to ", (sub + 1) * map.bitwidth() - 1);
  if (element < 0)
    return place + " holds nothing";
  return text("element ", indexWords(map.shape(), element), " is in ", place);
}

std::string tmemElementWords(const layouts::TmemMap &map, int64_t element) {
  std::vector<layouts::TmemCell> cells = map.cells(element);
  std::string head = text("element ", indexWords(map.shape(), element));
  if (cells.empty())
    return head + " is not in TMEM";
  if (cells.size() == 1)
    return tmemCellWords(map, cells[0].lane, cells[0].column, cells[0].sub);
  std::vector<int32_t> lanes;
  for (const layouts::TmemCell &cell : cells)
    lanes.push_back(cell.lane);
  return text(head, " is in ", cells.size(), " TMEM cells: lanes ", rangeWords(lanes), ", column ", cells[0].column,
              map.packing() > 1
                  ? text(", bits ", cells[0].sub * map.bitwidth(), " to ", (cells[0].sub + 1) * map.bitwidth() - 1)
                  : "");
}

std::string addressWords(const layouts::AddressMap &map, const layouts::AddressMap *before, int64_t offset,
                         int64_t element) {
  int64_t byte = offset * map.bitwidth() / 8;
  std::string place = byteWords(byte, map.bitwidth());
  if (element < 0)
    return place + (map.bitwidth() > 8 ? " hold nothing" : " holds nothing");
  std::string out = text("element ", indexWords(map.shape(), element), " is in ", place, ": line ",
                         byte / layouts::kSwizzleLineBytes, ", bank ", layouts::smemBank(byte));
  if (!before || before == &map)
    return out;
  int64_t was = before->byte(element);
  return was == byte ? out + "; the swizzle leaves it in place"
                     : text(out, "; without the swizzle it would be in ", byteWords(was, map.bitwidth()), ", bank ",
                            layouts::smemBank(was));
}

} // namespace lanescope::viz
