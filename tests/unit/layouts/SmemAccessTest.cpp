// The wavefront rule against every access that was measured on an NVIDIA H200, and laws that any such rule obeys.

#include "layouts/cost/SmemAccess.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <zlib.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

using namespace lanescope;
using namespace lanescope::layouts;
using nlohmann::json;

namespace {

using Addresses = std::array<int32_t, 32>;

json readGolden(const char *name) {
  gzFile file = gzopen((std::string(LANESCOPE_SOURCE_DIR "/tests/golden/") + name).c_str(), "rb");
  std::string text;
  char buffer[1 << 16];
  for (int n; file && (n = gzread(file, buffer, sizeof buffer)) > 0;)
    text.append(buffer, static_cast<size_t>(n));
  if (file)
    gzclose(file);
  return json::parse(text, nullptr, false);
}

const std::vector<SmemOp> &allOps() {
  static const std::vector<SmemOp> ops = [] {
    std::vector<SmemOp> out;
    for (const char *name :
         {"ld.shared.b8", "ld.shared.b16", "ld.shared.b32", "ld.shared.b64", "ld.shared.b128", "st.shared.b8",
          "st.shared.b16", "st.shared.b32", "st.shared.b64", "st.shared.b128", "ldmatrix.x1", "ldmatrix.x2",
          "ldmatrix.x4", "ldmatrix.x4.trans", "stmatrix.x1", "stmatrix.x2.trans", "stmatrix.x4"})
      out.push_back(*parseSmemOp(name));
    return out;
  }();
  return ops;
}

SmemOp op(std::string_view text) { return *parseSmemOp(text); }

SmemCount countOf(std::string_view name, const Addresses &addresses) { return smemWavefronts(op(name), addresses); }

Addresses strided(int stride) {
  Addresses out;
  for (int lane = 0; lane < 32; ++lane)
    out[lane] = lane * stride;
  return out;
}

Addresses randomAddresses(std::mt19937 &random, const SmemOp &op, int limit) {
  Addresses out;
  for (int32_t &address : out)
    address = static_cast<int32_t>(random() % (limit / op.bytes)) * op.bytes;
  return out;
}

TEST(SmemWavefronts, EveryMeasuredAccess) {
  json golden = readGolden("bank_conflicts.json.gz");
  ASSERT_FALSE(golden.is_discarded());
  ASSERT_EQ(golden["accesses"].size(), 183u);
  for (const json &entry : golden["accesses"]) {
    SCOPED_TRACE(entry["op"].get<std::string>() + ", " + entry["pattern"].get<std::string>());
    auto parsed = parseSmemOp(entry["op"].get<std::string>());
    ASSERT_TRUE(parsed) << render(parsed.error());
    EXPECT_EQ(smemOpText(*parsed), entry["op"].get<std::string>());
    auto addresses = entry["addresses"].get<Addresses>();
    ASSERT_TRUE(checkAlignment(*parsed, addresses));
    SmemCount count = smemWavefronts(*parsed, addresses);
    EXPECT_EQ(count.wavefronts, entry["wavefronts"].get<int>());
    EXPECT_EQ(count.conflicts(), entry["conflicts"].get<int>());
    int wavefronts = 0;
    for (const SmemPhase &phase : smemPhases(*parsed, addresses))
      wavefronts += phase.wavefronts;
    EXPECT_EQ(wavefronts, count.wavefronts);
  }
}

/// The rule computed from sets of words per bank, without the shortcut for whole accesses.
TEST(SmemWavefronts, PhasesAgreeWithTheCount) {
  std::mt19937 random(1);
  for (const SmemOp &op : allOps())
    for (int trial = 0; trial < 300; ++trial) {
      Addresses addresses = randomAddresses(random, op, trial % 3 ? 512 : 8192);
      if (trial % 5 == 0)
        for (int lane = 0; lane < 32; lane += 1 + static_cast<int>(random() % 4))
          addresses[lane] = kNoAddress;
      SmemCount count = smemWavefronts(op, addresses);
      auto phases = smemPhases(op, addresses);
      int wavefronts = 0;
      for (const SmemPhase &phase : phases) {
        size_t most = 0;
        for (const SmemBankUse &use : phase.banks) {
          most = std::max(most, use.words.size());
          for (const auto &word : use.words) {
            EXPECT_EQ(word.word % 32, use.bank);
            EXPECT_FALSE(word.lanes.empty());
          }
        }
        EXPECT_EQ(static_cast<size_t>(phase.wavefronts), most);
        wavefronts += phase.wavefronts;
      }
      EXPECT_EQ(wavefronts, count.wavefronts);
      EXPECT_EQ(static_cast<int>(phases.size()), count.phases);
    }
}

// Layout/instruction pairs and accesses that distinguish the rules for joining phases; null means that the lane is off.
TEST(SmemWavefronts, EveryProbedAccess) {
  json golden = readGolden("bank_conflict_probes.json.gz");
  ASSERT_FALSE(golden.is_discarded());
  ASSERT_EQ(golden.size(), 108u);
  for (const json &entry : golden) {
    SCOPED_TRACE(entry["name"].get<std::string>());
    Addresses addresses;
    for (size_t lane = 0; lane < addresses.size(); ++lane)
      addresses[lane] = entry["addresses"][lane].is_null() ? kNoAddress : entry["addresses"][lane].get<int32_t>();
    SmemCount count = countOf(entry["op"].get<std::string>(), addresses);
    EXPECT_EQ(count.wavefronts, entry["wavefronts"].get<int>());
    EXPECT_EQ(count.conflicts(), entry["conflicts"].get<int>());
  }
}

TEST(SmemWavefronts, WholeRowsOfBanksMayBeAdded) {
  std::mt19937 random(2);
  for (const SmemOp &op : allOps())
    for (int trial = 0; trial < 100; ++trial) {
      Addresses addresses = randomAddresses(random, op, 2048), moved = addresses, rotated = addresses;
      for (int32_t &address : moved)
        address += 128 * static_cast<int32_t>(1 + trial);
      // All addresses may also be rotated by whole accesses.
      for (int32_t &address : rotated)
        address += 16;
      EXPECT_EQ(smemWavefronts(op, moved), smemWavefronts(op, addresses));
      EXPECT_EQ(smemWavefronts(op, rotated), smemWavefronts(op, addresses));
    }
}

TEST(SmemWavefronts, LanesOfAPhaseMayBePermuted) {
  std::mt19937 random(3);
  for (const SmemOp &op : allOps()) {
    if (op.kind == SmemOp::Kind::Load && op.bytes > 4)
      continue; // wide loads join neighbouring lanes
    int lanes = op.isMatrix() ? 8 : std::min(32, 128 / op.bytes);
    for (int trial = 0; trial < 100; ++trial) {
      Addresses addresses = randomAddresses(random, op, 2048), permuted = addresses;
      for (int first = 0; first < 32; first += lanes)
        std::shuffle(permuted.begin() + first, permuted.begin() + first + lanes, random);
      EXPECT_EQ(smemWavefronts(op, permuted), smemWavefronts(op, addresses));
    }
  }
}

TEST(SmemWavefronts, BoundsOfEveryAccess) {
  std::mt19937 random(4);
  for (const SmemOp &op : allOps())
    for (int trial = 0; trial < 200; ++trial) {
      SmemCount count = smemWavefronts(op, randomAddresses(random, op, 1 << (7 + trial % 8)));
      EXPECT_GE(count.conflicts(), 0);
      EXPECT_LE(count.wavefronts, op.addressLanes());
      EXPECT_GE(count.phases, 1);
    }
}

TEST(SmemWavefronts, NeighboursThatShareJoinPhasesOfLoads) {
  auto shared = [](int unit, auto place) {
    Addresses out;
    for (int lane = 0; lane < 32; ++lane)
      out[lane] = place(lane) * unit;
    return out;
  };
  auto pairs = [](int lane) { return lane / 2; };
  auto acrossBitOne = [](int lane) { return (lane & 1) + (lane >> 2) * 2; };
  auto mixed = [](int lane) { return lane < 16 ? lane / 2 : (lane & 1) + (lane >> 2) * 2; };
  EXPECT_EQ(countOf("ld.shared.b64", shared(8, pairs)), (SmemCount{1, 1}));
  EXPECT_EQ(countOf("ld.shared.b64", shared(8, acrossBitOne)), (SmemCount{1, 1}));
  // The whole warp joins phases in the same way.
  EXPECT_EQ(countOf("ld.shared.b64", shared(8, mixed)), (SmemCount{2, 2}));
  EXPECT_EQ(countOf("ld.shared.b128", shared(16, pairs)), (SmemCount{2, 2}));
  EXPECT_EQ(countOf("ld.shared.b128", shared(16, mixed)), (SmemCount{4, 4}));
  EXPECT_EQ(countOf("st.shared.b64", shared(8, pairs)), (SmemCount{2, 2}));
  EXPECT_EQ(countOf("st.shared.b128", shared(16, pairs)), (SmemCount{4, 4}));
}

TEST(SmemWavefronts, LanesSwitchedOff) {
  Addresses none;
  none.fill(kNoAddress);
  EXPECT_EQ(countOf("ld.shared.b32", none), (SmemCount{0, 0}));
  EXPECT_TRUE(smemPhases(op("ld.shared.b128"), none).empty());
  Addresses one = none;
  one[31] = 16;
  EXPECT_EQ(countOf("ld.shared.b128", one), (SmemCount{1, 1}));
  EXPECT_EQ(countOf("st.shared.b64", one), (SmemCount{1, 1}));
  // The addresses of lanes beyond the instruction's matrices do not matter.
  Addresses rows = strided(128);
  EXPECT_EQ(countOf("ldmatrix.x1", rows), (SmemCount{8, 1}));
  EXPECT_EQ(countOf("ldmatrix.x2", rows), (SmemCount{16, 2}));
}

TEST(SmemWavefronts, WhichLanesMeet) {
  auto phases = smemPhases(op("ld.shared.b32"), strided(64)); // lanes 0, 2, 4, … use bank 0, the others bank 16
  ASSERT_EQ(phases.size(), 1u);
  ASSERT_EQ(phases[0].banks.size(), 2u);
  EXPECT_EQ(phases[0].banks[1].bank, 16);
  ASSERT_EQ(phases[0].banks[1].words.size(), 16u);
  EXPECT_EQ(phases[0].banks[1].words[1].word, 48);
  EXPECT_EQ(phases[0].banks[1].words[1].lanes, std::vector<int>{3});
}

TEST(SmemOp, SpellingsOfPtx) {
  auto reads = [](std::string_view written) {
    auto parsed = parseSmemOp(written);
    return parsed ? smemOpText(*parsed) : render(parsed.error());
  };
  EXPECT_EQ(reads("ld.shared.v4.f32"), "ld.shared.b128");
  EXPECT_EQ(reads("ld.shared::cta.v2.b16"), "ld.shared.b32");
  EXPECT_EQ(reads("st.shared.u8"), "st.shared.b8");
  EXPECT_EQ(reads("ld.shared.v2.bf16x2"), "ld.shared.b64");
  EXPECT_EQ(reads("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16"), "ldmatrix.x4.trans");
  EXPECT_EQ(reads("stmatrix.sync.aligned.x1.m8n8.shared::cta.b16"), "stmatrix.x1");
}

TEST(SmemOp, RefusesWhatItDoesNotKnow) {
  for (const char *written : {"", ".", "ld", "ld.global.b32", "ld.shared", "ld.shared.b33", "ld.shared.v4.b64",
                              "ld.shared.v3.b32", "ld.shared.b32.v2", "ldmatrix", "ldmatrix.x3", "ldmatrix.x4.b8",
                              "ldmatrix.x4.x2", "ld.shared.x4", "ld.shared.b32.trans", "tma", "ld..shared.b32"})
    EXPECT_FALSE(parseSmemOp(written)) << written;
  EXPECT_NE(render(parseSmemOp("ld.shared.v4.b64").error()).find("32 bytes"), std::string::npos);
}

TEST(SmemOp, MisalignedAddresses) {
  Addresses addresses = strided(8);
  addresses[9] = 74;
  EXPECT_TRUE(checkAlignment(op("ld.shared.b16"), addresses));
  auto checked = checkAlignment(op("ld.shared.b64"), addresses);
  ASSERT_FALSE(checked);
  EXPECT_NE(checked.error()[0].message.find("address 74 of lane 9"), std::string::npos);
  EXPECT_FALSE(checkAlignment(op("ldmatrix.x1"), addresses));
}

} // namespace
