#include "layouts/cost/LdsAccess.h"

#include "layouts/cost/AccessGroups.h"
#include "layouts/support/Text.h"

#include <algorithm>
#include <map>
#include <set>

namespace lanescope::layouts {

namespace {

constexpr int kBankBytes = 4;
constexpr int64_t kMaxLdsAddresses = int64_t(1) << 24; // the most addresses that a report holds
constexpr std::pair<std::string_view, int> kWidths[] = {{"b8", 1},  {"u8", 1},  {"i8", 1},  {"b16", 2},  {"u16", 2},
                                                        {"i16", 2}, {"b32", 4}, {"b64", 8}, {"b128", 16}};

/// The different words that the lanes of a phase want from each bank, with the lanes that want each word.
std::map<int, std::map<int32_t, std::vector<int>>> banksOf(const LdsOp &op, LdsAddresses addresses,
                                                           const std::vector<int> &lanes) {
  std::map<int, std::map<int32_t, std::vector<int>>> out;
  for (int lane : lanes) {
    int32_t address = addresses[static_cast<size_t>(lane)];
    if (address < 0)
      continue;
    for (int32_t word = address / kBankBytes; word <= (address + op.bytes - 1) / kBankBytes; ++word)
      out[word % kLdsBanks][word].push_back(lane);
  }
  return out;
}

} // namespace

bool looksLikeLdsOp(std::string_view text) { return text.starts_with("ds_read") || text.starts_with("ds_write"); }

Result<LdsOp> parseLdsOp(std::string_view written) {
  bool load = written.starts_with("ds_read_"), store = written.starts_with("ds_write_");
  if (load || store) {
    std::string_view width = written.substr(load ? 8 : 9);
    for (auto [name, bytes] : kWidths)
      if (width == name)
        return LdsOp{load, bytes};
  }
  return error("lds-op", Message("`{}` is no access to LDS that is counted; `ds_read_b32`, `ds_read_b64`, "
                                 "`ds_read_b128` and the `ds_write`s are",
                                 written.substr(0, 60)));
}

std::string ldsOpText(const LdsOp &op) {
  return text(op.load ? "ds_read_" : "ds_write_", op.bytes < 4 ? "u" : "b", op.bytes * 8);
}

std::vector<std::vector<int>> ldsPhases(const LdsOp &op) {
  constexpr int kWide = 16, kRun = 4, kHalf = 32;
  std::vector<std::vector<int>> out;
  auto run = [](int first, int count, std::vector<int> &lanes) {
    for (int i = 0; i < count; ++i)
      lanes.push_back(first + i);
  };
  if (op.bytes == kWide && op.load) {
    constexpr std::array<std::pair<int, int>, 4> kPairs = {{{0, 20}, {4, 16}, {8, 28}, {12, 24}}};
    for (int half : {0, kHalf})
      for (auto [first, second] : kPairs) {
        run(half + first, kRun, out.emplace_back());
        run(half + second, kRun, out.back());
      }
    return out;
  }
  int lanes = op.bytes <= 4 ? kHalf : op.bytes == 8 ? kHalf / 2 : kHalf / 4;
  for (int first = 0; first < kLdsLanes; first += lanes)
    run(first, lanes, out.emplace_back());
  return out;
}

LdsCount ldsCycles(const LdsOp &op, LdsAddresses addresses) {
  LdsCount out;
  for (const std::vector<int> &lanes : ldsPhases(op)) {
    size_t most = 0;
    for (const auto &[bank, words] : banksOf(op, addresses, lanes))
      most = std::max(most, words.size());
    out.cycles += static_cast<int>(most);
    out.phases += most > 0;
  }
  return out;
}

Result<void> checkLdsAlignment(const LdsOp &op, LdsAddresses addresses) {
  for (size_t lane = 0; lane < addresses.size(); ++lane)
    if (addresses[lane] >= 0 && addresses[lane] % op.bytes != 0)
      return error(
          "smem-alignment",
          Message("address {} of lane {lane} is not a multiple of the {bytes} bytes that `{instruction}` needs",
                  addresses[lane], lane, op.bytes, ldsOpText(op)));
  return {};
}

std::vector<LdsMeeting> ldsMeetings(const LdsOp &op, LdsAddresses addresses) {
  std::vector<LdsMeeting> out;
  std::vector<std::vector<int>> phases = ldsPhases(op);
  for (size_t phase = 0; phase < phases.size(); ++phase)
    for (const auto &[bank, words] : banksOf(op, addresses, phases[phase])) {
      if (words.size() < 2)
        continue;
      std::set<int> lanes;
      for (const auto &[word, wanting] : words)
        lanes.insert(wanting.begin(), wanting.end());
      out.push_back({static_cast<int>(phase), bank, {lanes.begin(), lanes.end()}});
    }
  return out;
}

Result<LdsReport> ldsConflicts(const LdsOp &op, const ElementMap &map, const AddressMap &memory) {
  if (map.shape() != memory.shape())
    return error("shape-mismatch",
                 Message("the registers hold an array of shape {shape}, and the memory holds one of {other_shape}",
                         tupleText(map.shape()), tupleText(memory.shape())));
  if (!map.inWarpsOf(kLdsLanes))
    return error("warp-size", Message("`{instruction}` is of wavefronts of 64 lanes, and the layout has warps of {}; "
                                      "`ld.shared` and its kin are those of 32",
                                      ldsOpText(op), map.threadsPerWarp()));
  Result<AccessGroups> groups = groupAccesses(map, memory.offsets(), memory.bitwidth(), op.bytes);
  if (!groups)
    return std::unexpected(std::move(groups.error()));
  LdsReport out{.op = op, .waves = (map.threads() + kLdsLanes - 1) / kLdsLanes};
  int64_t count = saturatingMultiply(groups->instructions(), int64_t(out.waves) * kLdsLanes);
  if (count > kMaxLdsAddresses)
    return error("too-large",
                 Message("{} instructions of {} wavefronts are more than one report holds; ask for a smaller shape",
                         groups->instructions(), out.waves));
  for (int i = 0; i < groups->instructions(); ++i)
    for (int thread = 0; thread < out.waves * kLdsLanes; ++thread) {
      int32_t element =
          thread < map.threads() ? map.elements()[static_cast<size_t>(thread) * map.values() + groups->first(i)] : -1;
      out.addresses.push_back(element < 0 ? -1 : static_cast<int32_t>(memory.byte(element)));
    }
  for (int i = 0; i < groups->instructions(); ++i) {
    LdsCount &all = out.instructions.emplace_back();
    for (int wave = 0; wave < out.waves; ++wave) {
      LdsCount one = ldsCycles(op, out.addressesOf(i, wave));
      all.cycles += one.cycles;
      all.phases += one.phases;
    }
    out.cycles += all.cycles;
    out.ideal += all.phases;
  }
  return out;
}

} // namespace lanescope::layouts
