#include "viz/gui/explorer/AccessWords.h"

#include "layouts/cost/Verdicts.h"
#include "layouts/MapCoverage.h"
#include "layouts/support/Text.h"
#include "layouts/support/Words.h"

#include <algorithm>
#include <cctype>

namespace lanescope::viz {
namespace {

constexpr size_t kMostLanes = 8; // the largest number of lanes that a sentence names

std::string lanesText(const std::vector<int> &lanes) {
  std::string out = lanes.size() == 1 ? "lane " : "lanes ";
  for (size_t i = 0; i < std::min(lanes.size(), kMostLanes); ++i)
    out += text(i ? ", " : "", lanes[i]);
  return lanes.size() > kMostLanes ? text(out, " and ", lanes.size() - kMostLanes, " more") : out;
}

std::string wavefronts(int64_t count, int64_t ideal) {
  return text(counted(count, "wavefront"), count == ideal ? ", no conflict" : text(" where ", ideal, " would do"));
}

} // namespace

const std::vector<std::string> &accessNames() {
  static const std::vector<std::string> all = [] {
    std::vector<std::string> out;
    for (const char *kind : {"ld.shared", "st.shared"})
      for (int bits : {8, 16, 32, 64, 128})
        out.push_back(text(kind, ".b", bits));
    for (const char *kind : {"ldmatrix", "stmatrix"})
      for (int matrices : {1, 2, 4})
        for (const char *trans : {"", ".trans"})
          out.push_back(text(kind, ".x", matrices, trans));
    return out;
  }();
  return all;
}

AccessCost countAccess(const std::string &op, const layouts::Layout &layout, const SmemSpec &memory) {
  AccessCost out;
  auto refuse = [&](const Diagnostics &why) {
    out.sentences = {why.front().message};
    out.bad = true;
    return out;
  };
  Result<layouts::SmemOp> parsed = layouts::parseSmemOp(op);
  if (!parsed)
    return refuse(parsed.error());
  Result<layouts::ElementMap> map = layouts::elementMapOf(layout, memory.shape);
  if (!map)
    return refuse(map.error());
  Result<layouts::SmemMap> places =
      layouts::SmemMap::of(memory.shape, layouts::bitwidth(memory.dtype), memory.tiling,
                           memory.swizzle == 0 ? std::nullopt : std::optional(memory.swizzle), memory.transpose);
  if (!places)
    return refuse(places.error());
  layouts::AddressMap addresses = layouts::AddressMap::of(*places);
  Result<layouts::ConflictReport> report = layouts::conflicts(*parsed, *map, addresses);
  if (!report)
    return refuse(report.error());
  std::string coverage = coverageNote(*map);
  out.report_ = *std::move(report);
  out.map_ = *std::move(map);
  out.memory_ = std::move(addresses);
  const layouts::ConflictReport &found = out.report_;
  out.bad = found.conflicts() > 0;
  layouts::Verdict verdict = verdictOn(found, layouts::swizzleAdvice(*parsed, *out.map_, *places, found));
  size_t count = found.instructions.size();
  out.sentences.push_back(text(op, ": ", counted(count, "instruction"), " of ", counted(found.warps, "warp"), ", ",
                               wavefronts(found.wavefronts, found.ideal)));
  if (!coverage.empty())
    out.sentences.push_back(std::move(coverage));
  verdict.sentence[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(verdict.sentence[0])));
  out.sentences.insert(out.sentences.begin(), verdict.sentence + ".");
  return out;
}

AccessCost::Answer AccessCost::of(int64_t element) const {
  Answer out;
  if (!map_ || element < 0 || element >= layouts::elementCount(map_->shape()))
    return out;
  std::span<const int32_t> slots = map_->slots(element);
  if (slots.empty())
    return out;
  int thread = slots[0] / map_->values(), value = slots[0] % map_->values();
  int warp = map_->warpOf(thread), lane = map_->laneOf(thread);
  auto at = std::ranges::find(report_.slots, value);
  if (at == report_.slots.end() || warp >= report_.warps)
    return out;
  auto instruction = static_cast<int>((at - report_.slots.begin()) / report_.slotsPerInstruction);
  if (static_cast<size_t>(instruction) >= report_.instructions.size())
    return out;
  layouts::LaneAddresses addresses = report_.addressesOf(instruction, warp);
  layouts::SmemCount count = layouts::smemWavefronts(report_.op, addresses);
  out.sentences.push_back(text(layouts::smemOpText(report_.op), ", instruction ", instruction, " of ",
                               report_.instructions.size(), ", warp ", warp, ": ",
                               wavefronts(count.wavefronts, count.phases)));
  // The lane that gives the address. For a matrix, it is the lane of the element's row.
  int64_t byte = memory_->byte(element);
  int giver = lane;
  if (report_.op.isMatrix())
    for (int each = 0; each < report_.op.addressLanes(); ++each)
      if (addresses[static_cast<size_t>(each)] <= byte &&
          byte < addresses[static_cast<size_t>(each)] + report_.op.bytes)
        giver = each;
  int bank = static_cast<int>(layouts::smemBank(byte));
  for (const layouts::SmemPhase &phase : report_.phases(instruction, warp)) {
    if (std::ranges::find(phase.lanes, giver) == phase.lanes.end())
      continue;
    for (const layouts::SmemBankUse &use : phase.banks) {
      if (use.bank != bank)
        continue;
      if (use.words.size() == 1)
        out.sentences.push_back(text("bank ", bank, ": one word, for ", lanesText(use.words[0].lanes)));
      else
        out.sentences.push_back(text("bank ", bank, ": ", use.words.size(), " different words, one after another"));
      for (const layouts::SmemBankUse::Word &word : use.words) {
        int64_t begin = int64_t(word.word) * 32, end = begin + 32; // bits
        int64_t first = begin / memory_->bitwidth();
        for (int64_t offset = first; offset * memory_->bitwidth() < end; ++offset)
          if (int32_t held = memory_->element(offset); held >= 0)
            out.elements.push_back(held);
        if (use.words.size() > 1)
          out.sentences.push_back(text("  byte ", int64_t(word.word) * 4, ": ", lanesText(word.lanes)));
      }
    }
  }
  return out;
}

} // namespace lanescope::viz
