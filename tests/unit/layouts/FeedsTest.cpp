// Which registers feed which registers, and the arithmetic from an element to its register.
#include "tests/unit/layouts/FragmentSupport.h"

#include "layouts/fragments/Feeds.h"
#include "layouts/support/Text.h"

#include <algorithm>
#include <set>

using namespace lanescope;
using namespace lanescope::layouts;

namespace {

TEST(Feeds, FeedsMultiplyAsMatricesDo) {
  for (std::string_view name : {"mma.m16n8k16.f16", "mma.m8n8k4.f64", "mma.m16n8k32.s32.s8.u8", "mma.m8n8k4.f16.f16"}) {
    Atom atom = atomNamed(name);
    ElementMap a = mapOf(name, "a"), b = mapOf(name, "b"), d = mapOf(name, "d");
    // Registers hold numbers that name their elements; D is computed from the places that the feeds name.
    auto held = [](const ElementMap &map, const Feed &feed, int64_t factor) {
      EXPECT_EQ(feed.owners.size(), 1u);
      const Owner &owner = feed.owners.front();
      return (map.element(owner.thread, owner.reg, owner.position) * factor + 7) % 101;
    };
    for (int64_t e = 0; e < elementCount(d.shape()); e += 13) {
      Shape index = unravelIndex(e, d.shape());
      std::vector<Feed> inputs = *inputsOf(atom, "d", index);
      std::vector<int64_t> as, bs;
      for (const Feed &feed : inputs)
        if (feed.operand == "a")
          as.push_back(held(a, feed, 3));
        else if (feed.operand == "b")
          bs.push_back(held(b, feed, 5));
      ASSERT_EQ(as.size(), static_cast<size_t>(atom.k));
      ASSERT_EQ(bs.size(), as.size());
      EXPECT_EQ(inputs.size(), as.size() * 2 + 1);
      int64_t sum = 0, expected = 0, p = index.size() == 3 ? index[0] : 0, i = index[index.size() - 2],
              j = index.back();
      for (int64_t k = 0; k < atom.k; ++k) {
        sum += as[static_cast<size_t>(k)] * bs[static_cast<size_t>(k)];
        expected += (((p * atom.m + i) * atom.k + k) * 3 + 7) % 101 * ((((p * atom.k + k) * atom.n + j) * 5 + 7) % 101);
      }
      EXPECT_EQ(sum, expected) << name << ' ' << e;
    }
  }
}

TEST(Feeds, FeedsGoBothWays) {
  for (std::string_view name : {"mma.m16n8k8.f16", "mma.sp.m16n8k16.f16", "wgmma.m64n8k16.f32.f16",
                                "mma.m16n8k32.kind::mxf8f6f4.e4m3", "tcgen05.mma.m64n8k16.f32.f16", "mma.m8n8k4.f16"}) {
    Atom atom = atomNamed(name);
    const Operand &d = *atom.find("d");
    std::set<std::tuple<std::string, Shape, Shape>> forward, back;
    for (int64_t e = 0; e < elementCount(d.shape); ++e) {
      std::vector<Feed> feeds = *inputsOf(atom, "d", unravelIndex(e, d.shape));
      for (const Feed &feed : feeds)
        forward.insert({feed.operand, feed.index, unravelIndex(e, d.shape)});
    }
    for (const Operand &operand : atom.operands)
      if (operand.name != "d")
        for (int64_t e = 0; e < elementCount(operand.shape); ++e) {
          std::vector<Feed> feeds = *outputsOf(atom, operand.name, unravelIndex(e, operand.shape));
          for (const Feed &feed : feeds)
            back.insert({operand.name, unravelIndex(e, operand.shape), feed.index});
        }
    EXPECT_EQ(forward, back) << name;
    EXPECT_FALSE(forward.empty());
  }
}

TEST(Feeds, FeedsOfTransfersAndErrors) {
  Atom load = atomNamed("ldmatrix.x2.trans");
  EXPECT_EQ(inputsOf(load, "r", {9, 3})->front().owners, (std::vector<Owner>{{9, 0, 0}}));
  std::vector<Feed> row = *outputsOf(load, "p", {9});
  ASSERT_EQ(row.size(), 8u);
  EXPECT_EQ(row[3].owners, (std::vector<Owner>{{12, 1, 1}})); // row 1 of matrix 1, column 3: lane 3*4 + 0, upper half
  Atom tmem = atomNamed("tcgen05.ld.16x256b.x2");
  EXPECT_EQ(inputsOf(tmem, "r", {17, 9})->front().cells, (std::vector<TmemCell>{{33, 9, 0}}));
  EXPECT_TRUE(inputsOf(tmem, "r", {17, 9})->front().owners.empty());
  EXPECT_EQ(outputsOf(atomNamed("stmatrix.x1"), "r", {5, 0})->front().index, (Shape{5}));
  EXPECT_EQ(inputsOf(atomNamed("stmatrix.x1"), "p", {5})->size(), 8u);
  Atom sparse = atomNamed("mma.sp.m16n8k16.f16");
  std::vector<Feed> inputs = *inputsOf(sparse, "d", {9, 0});
  auto metadata = std::ranges::find(inputs, "e", &Feed::operand);
  ASSERT_NE(metadata, inputs.end());
  EXPECT_EQ(metadata->owners, (std::vector<Owner>{{4, 0, 8}})); // row 9: upper half of lane 4's register
  Atom wgmma = atomNamed("wgmma.m64n8k16.f32.f16");
  std::vector<Feed> shared = *inputsOf(wgmma, "d", {0, 0});
  EXPECT_TRUE(shared.back().owners.empty() && shared.back().operand == "b");

  auto kind = [](const auto &result) { return result ? std::string() : result.error().front().kind; };
  EXPECT_EQ(kind(inputsOf(load, "r", {16, 0})), "index-range");
  EXPECT_EQ(kind(inputsOf(load, "r", {0})), "index-range");
  EXPECT_EQ(kind(inputsOf(load, "r", {-1, 0})), "index-range");
  EXPECT_EQ(kind(inputsOf(load, "q", {0, 0})), "operand");
  EXPECT_EQ(kind(inputsOf(load, "p", {0})), "operand-direction");
  EXPECT_EQ(kind(outputsOf(load, "r", {0, 0})), "operand-direction");
  EXPECT_EQ(kind(outputsOf(tmem, "r", {0, 0})), "operand-direction");
  EXPECT_EQ(kind(inputsOf(wgmma, "a", {0, 0})), "operand-direction");
  EXPECT_EQ(kind(outputsOf(wgmma, "d", {0, 0})), "operand-direction");
}

TEST(Feeds, ExplanationsComeToTheOwners) {
  for (const Atom &atom : atoms())
    for (const Operand &operand : atom.operands) {
      Result<Foreign> layout = fragment(atom, operand.name);
      if (!layout || (*layout)->memories().front() != Memory::Registers)
        continue;
      ElementMap map = *(*layout)->elementMap(operand.shape);
      for (int64_t e = 0; e < elementCount(operand.shape); e += 7) {
        std::vector<ExplainStep> steps = *(*layout)->explain(operand.shape, unravelIndex(e, operand.shape));
        Owner owner = map.owners(e).front();
        ASSERT_GE(steps.size(), 2u);
        ASSERT_EQ(steps[0].value, text(owner.thread))
            << atom.name << ' ' << operand.name << ' ' << e << ' ' << steps[0].how;
        ASSERT_EQ(steps[1].value, text(owner.reg)) << atom.name << ' ' << operand.name << ' ' << e;
        if (map.vector() > 1) {
          ASSERT_EQ(steps[2].value, text(owner.position)) << atom.name << ' ' << operand.name << ' ' << e;
        }
      }
    }
  std::vector<ExplainStep> steps = *(*fragment("mma.m16n8k16.f16", "a"))->explain({16, 16}, {9, 11});
  ASSERT_EQ(steps.size(), 3u);
  EXPECT_EQ(steps[0].how, "(i % 8) * 4 + (j / 2) % 4");
  EXPECT_EQ(steps[0].value, "5");
  EXPECT_EQ(steps[1].how, "(j / 8) * 2 + i / 8");
  EXPECT_EQ(steps[2].how, "j % 2");
  EXPECT_FALSE((*fragment("mma.m16n8k16.f16", "a"))->explain({16, 16}, {16, 0}));
}

} // namespace
