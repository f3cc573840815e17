#include "layouts/cost/SmemAccess.h"

#include "layouts/SharedMemory.h"
#include "layouts/support/Text.h"

#include <algorithm>
#include <bit>

namespace lanescope::layouts {

namespace {

constexpr int kPhaseBytes = kSmemBanks * kSmemBankBytes;

/// Lanes [first, first + count), served together.
struct LaneGroup {
  int first = 0, count = 0;
};

/// The phases of an access, at most four.
struct Phases {
  std::array<LaneGroup, 4> groups;
  int count = 0;
  void add(int first, int lanes) { groups[count++] = {first, lanes}; }
};

/// True if each lane of the warp has the address of its neighbour across `bit`, or one of the two is inactive.
bool neighboursAgree(LaneAddresses addresses, int bit) {
  for (int lane = 0; lane < kLanesPerWarp; ++lane) {
    int32_t mine = addresses[lane], other = addresses[lane ^ bit];
    if (mine != other && mine != kNoAddress && other != kNoAddress)
      return false;
  }
  return true;
}

Phases phasesOf(const SmemOp &op, LaneAddresses addresses) {
  Phases out;
  if (op.isMatrix()) {
    for (int matrix = 0; matrix < op.matrices; ++matrix)
      out.add(8 * matrix, 8);
    return out;
  }
  int lanes = std::min(kLanesPerWarp, kPhaseBytes / op.bytes);
  if (lanes == kLanesPerWarp) {
    out.add(0, kLanesPerWarp);
    return out;
  }
  // One decision holds for the whole warp: two groups of lanes are joined only if the lanes of both halves agree.
  if (op.isLoad() && (neighboursAgree(addresses, 1) || neighboursAgree(addresses, 2)))
    lanes *= 2;
  for (int first = 0; first < kLanesPerWarp; first += lanes)
    out.add(first, lanes);
  return out;
}

/// The wavefronts of one phase. An access of several words is aligned to its size, so two accesses share all their
/// banks or none. It is therefore enough to count whole accesses per group of banks.
int wavefrontsOf(LaneAddresses addresses, LaneGroup group, int unitBytes) {
  int32_t units[kSmemBanks][2 * kLanesPerWarp];
  uint8_t used[kSmemBanks] = {};
  // Powers of two, so that the inner loop below needs no division.
  int shift = std::countr_zero(static_cast<unsigned>(unitBytes)), mask = kPhaseBytes / unitBytes - 1, most = 0;
  for (int lane = group.first; lane < group.first + group.count; ++lane) {
    if (addresses[lane] < 0)
      continue;
    int32_t unit = addresses[lane] >> shift;
    int32_t *bank = units[unit & mask];
    uint8_t &count = used[unit & mask];
    if (std::find(bank, bank + count, unit) != bank + count)
      continue;
    bank[count++] = unit;
    most = std::max<int>(most, count);
  }
  return most;
}

int unitBytes(const SmemOp &op) { return std::max(op.bytes, kSmemBankBytes); }

/// The bits of one PTX type suffix: "b32", "f16x2", "s8"; 0 for other texts.
int typeBits(std::string_view part) {
  if (part == "f16x2" || part == "bf16x2")
    return 32;
  if (part.starts_with("bf"))
    part.remove_prefix(1);
  else if (part.empty() || std::string_view("bufs").find(part[0]) == std::string_view::npos)
    return 0;
  auto bits = parseInteger<int>(part.substr(1));
  if (!bits || (*bits != 8 && *bits != 16 && *bits != 32 && *bits != 64 && *bits != 128))
    return 0;
  return *bits;
}

std::unexpected<Diagnostics> notAnAccess(std::string_view text, std::string why) {
  return error("smem-op", Message("`{}` {}; known are `ld.shared` and `st.shared` with `.b8` … `.b128` or `.v2`/`.v4` "
                                  "and a type, and `ldmatrix`/`stmatrix` with `.x1`, `.x2`, `.x4` and `.trans`",
                                  text, why));
}

} // namespace

Result<SmemOp> parseSmemOp(std::string_view written) {
  std::vector<std::string_view> parts;
  for (std::string_view rest = written;;) {
    size_t dot = rest.find('.');
    parts.push_back(rest.substr(0, dot));
    if (dot == std::string_view::npos)
      break;
    rest.remove_prefix(dot + 1);
  }
  SmemOp op;
  bool matrix = parts[0] == "ldmatrix" || parts[0] == "stmatrix";
  if (!matrix && parts[0] != "ld" && parts[0] != "st")
    return notAnAccess(written, "is not an access to shared memory");
  bool load = parts[0].starts_with("ld"), shared = false;
  op.kind = matrix ? (load ? SmemOp::Kind::LoadMatrix : SmemOp::Kind::StoreMatrix)
                   : (load ? SmemOp::Kind::Load : SmemOp::Kind::Store);
  int vector = 0, bits = 0;
  for (size_t i = 1; i < parts.size(); ++i) {
    std::string_view part = parts[i];
    if ((part == "shared" || part == "shared::cta") && !shared)
      shared = true;
    else if (matrix && (part == "sync" || part == "aligned" || part == "m8n8"))
      continue;
    else if (matrix && op.matrices == 0 && (part == "x1" || part == "x2" || part == "x4"))
      op.matrices = part[1] - '0';
    else if (matrix && part == "trans" && !op.trans)
      op.trans = true;
    else if (!matrix && vector == 0 && bits == 0 && (part == "v2" || part == "v4"))
      vector = part[1] - '0';
    else if (bits == 0 && typeBits(part) != 0)
      bits = typeBits(part);
    else
      return notAnAccess(written, text("has a part `.", part, "` that is not understood"));
  }
  if (matrix) {
    if (op.matrices == 0)
      return notAnAccess(written, "lacks its number of matrices");
    if (bits != 0 && bits != 16)
      return notAnAccess(written, text("has elements of ", bits, " bits; 8x8 matrices are of 16-bit elements"));
    op.bytes = kSwizzleChunkBytes;
    return op;
  }
  if (!shared)
    return notAnAccess(written, "does not name the space `.shared`");
  if (bits == 0)
    return notAnAccess(written, "lacks its type");
  op.bytes = bits / 8 * std::max(vector, 1);
  if (op.bytes > kSwizzleChunkBytes)
    return notAnAccess(written, text("moves ", op.bytes, " bytes per lane; shared memory has accesses up to 16"));
  return op;
}

std::string smemOpText(const SmemOp &op) {
  if (op.isMatrix())
    return text(op.isLoad() ? "ldmatrix" : "stmatrix", ".x", op.matrices, op.trans ? ".trans" : "");
  return text(op.isLoad() ? "ld" : "st", ".shared.b", op.bytes * 8);
}

Result<void> checkAlignment(const SmemOp &op, LaneAddresses addresses) {
  for (int lane = 0; lane < op.addressLanes(); ++lane)
    if (addresses[lane] >= 0 && addresses[lane] % op.bytes != 0)
      return error(
          "smem-alignment",
          Message("address {} of lane {lane} is not a multiple of the {bytes} bytes that `{instruction}` needs",
                  addresses[lane], lane, op.bytes, smemOpText(op)));
  return {};
}

SmemCount smemWavefronts(const SmemOp &op, LaneAddresses addresses) {
  SmemCount out;
  Phases phases = phasesOf(op, addresses);
  for (int i = 0; i < phases.count; ++i) {
    int wavefronts = wavefrontsOf(addresses, phases.groups[i], unitBytes(op));
    out.wavefronts += wavefronts;
    out.phases += wavefronts > 0;
  }
  return out;
}

std::vector<SmemPhase> smemPhases(const SmemOp &op, LaneAddresses addresses) {
  std::vector<SmemPhase> out;
  Phases phases = phasesOf(op, addresses);
  for (int i = 0; i < phases.count; ++i) {
    SmemPhase phase;
    std::array<SmemBankUse, kSmemBanks> banks;
    auto [first, count] = phases.groups[i];
    for (int lane = first; lane < first + count; ++lane) {
      if (addresses[lane] < 0)
        continue;
      phase.lanes.push_back(lane);
      int32_t begin = addresses[lane] / op.bytes * op.bytes / kSmemBankBytes;
      for (int32_t word = begin; word < begin + unitBytes(op) / kSmemBankBytes; ++word) {
        auto &words = banks[word % kSmemBanks].words;
        auto it = std::find_if(words.begin(), words.end(), [&](const SmemBankUse::Word &w) { return w.word == word; });
        if (it == words.end())
          it = words.insert(it, {word, {}});
        it->lanes.push_back(lane);
      }
    }
    for (int bank = 0; bank < kSmemBanks; ++bank) {
      phase.wavefronts = std::max(phase.wavefronts, static_cast<int>(banks[bank].words.size()));
      if (banks[bank].words.empty())
        continue;
      banks[bank].bank = bank;
      phase.banks.push_back(std::move(banks[bank]));
    }
    if (!phase.lanes.empty())
      out.push_back(std::move(phase));
  }
  return out;
}

} // namespace lanescope::layouts
