// Triton's attributes and linear layouts of generated layouts: parsing and printing are inverse.
#include "layouts/linear/LinearForm.h"
#include "layouts/linear/TritonLayout.h"
#include "layouts/notation/triton/LinearText.h"
#include "layouts/notation/triton/TritonPrinter.h"
#include "layouts/support/Text.h"
#include "tests/unit/layouts/TritonSupport.h"

#include <random>

namespace lanescope::layouts {
namespace {

/// A random list of powers of two with a product of 2^bits.
Shape split(std::mt19937 &random, int bits, size_t rank) {
  Shape sizes(rank, 1);
  for (int i = 0; i < bits; ++i)
    sizes[random() % rank] *= 2;
  return sizes;
}
Shape randomOrder(std::mt19937 &random, size_t rank) {
  Shape order;
  for (size_t d = 0; d < rank; ++d)
    order.push_back(static_cast<int64_t>(d));
  std::shuffle(order.begin(), order.end(), random);
  return order;
}
int among(std::mt19937 &random, std::initializer_list<int> values) { return values.begin()[random() % values.size()]; }

CgaBases randomCga(std::mt19937 &random, size_t rank) {
  if (random() % 3 != 0)
    return {};
  Shape blocks = split(random, static_cast<int>(random() % 3), rank), parts = blocks;
  for (int64_t &part : parts)
    if (part > 1 && random() % 2)
      part /= 2;
  return *cgaFromSplit(blocks, parts, randomOrder(random, rank));
}

/// The bases of a bijection: the unit vectors of `sizes`, shuffled.
std::vector<LinearLayout::Basis> units(std::mt19937 &random, const Shape &sizes) {
  std::vector<LinearLayout::Basis> out;
  for (size_t d = 0; d < sizes.size(); ++d)
    for (int64_t step = 1; step < sizes[d]; step *= 2) {
      LinearLayout::Basis basis(sizes.size(), 0);
      basis[d] = static_cast<int32_t>(step);
      out.push_back(std::move(basis));
    }
  std::shuffle(out.begin(), out.end(), random);
  return out;
}

struct Generated {
  TritonEncoding encoding;
  Shape shape;
};

std::optional<Generated> generate(std::mt19937 &random, int depth = 0) {
  auto made = [](TritonEncoding::Data data, Shape shape) -> std::optional<Generated> {
    Result<TritonEncoding> encoding = TritonEncoding::make(std::move(data));
    EXPECT_TRUE(encoding) << (encoding ? "" : render(encoding.error()));
    if (!encoding)
      return std::nullopt;
    return Generated{*std::move(encoding), std::move(shape)};
  };
  size_t rank = 1 + random() % 3;
  Shape shape = split(random, 4 + static_cast<int>(random() % 6), rank), matrix = split(random, 8, 2);
  switch (random() % (depth == 0 ? 14 : 3)) {
  case 0:
    return made(Blocked{split(random, static_cast<int>(random() % 4), rank), split(random, 5, rank),
                        split(random, static_cast<int>(random() % 3), rank), randomOrder(random, rank),
                        randomCga(random, rank)},
                shape);
  case 1: return made(NvidiaMma{2, 0, split(random, 2, 2), {16, 8}, randomCga(random, 2)}, matrix);
  case 2:
    return made(
        NvidiaMma{3, 0, {4, among(random, {1, 2})}, {16, among(random, {8, 64, 256}), 16}, randomCga(random, 2)},
        matrix);
  case 3: {
    std::optional<Generated> parent = generate(random, 1);
    if (!parent || parent->shape.size() < 2)
      return std::nullopt;
    auto dim = static_cast<int>(random() % parent->shape.size());
    Shape sliced = parent->shape;
    sliced.erase(sliced.begin() + dim);
    return made(Slice{dim, TritonEncoding::share(parent->encoding)}, sliced);
  }
  case 4: {
    std::optional<Generated> parent = generate(random, 1);
    if (!parent || parent->shape.size() != 2)
      return std::nullopt;
    const auto *mma = parent->encoding.as<NvidiaMma>();
    return made(DotOperand{mma && mma->versionMajor == 3 ? 0 : static_cast<int>(random() % 2),
                           TritonEncoding::share(parent->encoding), mma ? among(random, {1, 2, 4, 8}) : 0},
                matrix);
  }
  case 5: {
    std::vector<LinearLayout::Basis> all = units(random, shape), zero = {LinearLayout::Basis(rank, 0)};
    size_t a = random() % (all.size() + 1), b = a + random() % (all.size() - a + 1);
    std::vector<LinearLayout::Input> inputs = {{"register", {all.begin(), all.begin() + a}},
                                               {"lane", {all.begin() + a, all.begin() + b}},
                                               {"warp", {all.begin() + b, all.end()}},
                                               {"block", {}}};
    if (random() % 2)
      inputs[1 + random() % 3].bases.push_back(zero[0]);
    Shape own = shape;
    LinearLayout linear = *LinearLayout::fitting(std::move(inputs), standardNames(rank));
    return made(LinearEncoding{linear, random() % 4 == 0}, linear.outputShape());
  }
  case 6:
    return made(SwizzledShared{among(random, {1, 2, 8}), among(random, {1, 2, 4}), among(random, {1, 4, 8}),
                               randomOrder(random, rank), randomCga(random, rank), random() % 4 == 0},
                shape);
  case 7: {
    bool padded = random() % 4 == 0;
    return made(NvmmaShared{among(random, {0, 32, 64, 128}), random() % 2 == 0, padded ? 8 : among(random, {8, 16, 32}),
                            padded, 2, randomCga(random, 2)},
                {256, 256});
  }
  case 8: {
    LinearLayout linear =
        *LinearLayout::fitting({{"offset", units(random, shape)}, {"block", {}}}, standardNames(rank));
    return made(SharedLinear{linear, among(random, {1, 16, 128})}, shape);
  }
  case 9: {
    LinearLayout linear =
        *LinearLayout::fitting({{"offset", units(random, shape)}, {"block", {}}}, standardNames(rank));
    return made(PaddedShared{{{among(random, {4, 16}), among(random, {1, 8})}, {64, 4}}, linear}, shape);
  }
  case 10:
    return made(AmdMfma{among(random, {1, 2, 3, 4}), split(random, 2, 2),
                        random() % 2 ? Shape{16, 16, 16} : Shape{32, 32, 8}, random() % 2 == 0, split(random, 1, 2), 32,
                        randomCga(random, 2)},
                matrix);
  case 11: {
    LinearLayout cta;
    cta.extend("register", "dim0", 1);
    cta.extend("register", "dim1", 1);
    cta.extend("register", random() % 2 ? "dim0" : "dim1", among(random, {1, 2}));
    cta.extend("warp", "dim1", among(random, {1, 2}));
    cta.extend("warp", "dim0", 2);
    return made(AmdWmma{2, random() % 2 == 0, cta, random() % 2 ? Shape{16, 16, 16} : Shape{16, 16, 32}, {}}, matrix);
  }
  case 12: {
    bool two = random() % 3 == 0;
    return made(TensorMemory{among(random, {64, 128}), among(random, {32, 64, 128}), among(random, {1, 2}),
                             two ? CgaBases{{1, 0}} : CgaBases{}, two},
                {two ? 256 : 128, 128});
  }
  default: return made(TensorMemoryScales{random() % 2 ? CgaBases{} : CgaBases{{0, 0}}, random() % 2 == 0}, {256, 16});
  }
}

TEST(TritonPrinter, GeneratedLayoutsReadBack) {
  std::mt19937 random(20260101);
  int attributes = 0, types = 0, maps = 0, linear = 0;
  for (int round = 0; round < 16000; ++round) {
    std::optional<Generated> g = generate(random);
    if (!g)
      continue;
    std::string text = tritonAttribute(g->encoding);
    Result<Layout> again = parse(text);
    ASSERT_TRUE(again) << text << "\n" << render(again.error());
    ASSERT_EQ(layoutText(*again), text);
    ++attributes;
    // Also as a type, and as the same map.
    TritonType type{g->shape, "f16", 16, !g->encoding.isDistributed(), {}, false, std::nullopt};
    Layout typed = TritonLayout::make(g->encoding, type);
    Result<Layout> typedAgain = parse(layoutText(typed));
    ASSERT_TRUE(typedAgain) << layoutText(typed) << "\n" << render(typedAgain.error());
    ASSERT_EQ(layoutText(*typedAgain), layoutText(typed));
    ASSERT_EQ(std::get<Foreign>(*typedAgain)->shape(), g->shape);
    ++types;
    if (round % 16 != 0)
      continue;
    Result<Placement> map = placement(typed, g->shape, 16);
    if (!map)
      continue;
    ++maps;
    ASSERT_TRUE(same(*map, *placement(*again, g->shape, 16))) << text;
    // The text printed from the map alone reads back as the same map, and so does its linear form.
    Result<std::string> printed = tritonText(*map);
    if (printed) {
      Result<Layout> fromMap = parse(*printed);
      ASSERT_TRUE(fromMap) << *printed;
      ASSERT_TRUE(same(*map, placed(*fromMap, g->shape))) << text << "\n" << *printed;
    }
    if (Result<std::string> form = linearText(*map)) {
      Scanner in(Source::make("t", *form));
      Result<Layout> fromForm = parseLinearText(in, nullptr);
      ASSERT_TRUE(fromForm && in.atEnd()) << *form;
      ASSERT_EQ(layoutText(*fromForm), *form);
      Memory memory = memoryOf(typed);
      // A column with a zero basis holds nothing. The linear form does not distinguish such columns from copies in
      // several blocks.
      if (memory != Memory::Tmem || text.find("CGALayout") == std::string::npos)
        ASSERT_TRUE(same(*map, placed(*fromForm, g->shape))) << text << "\n" << *form;
      ++linear;
    }
  }
  EXPECT_GE(attributes, 10000);
  EXPECT_GE(types, 10000);
  EXPECT_GE(maps, 300);
  EXPECT_GE(linear, 200);
}

TEST(TritonPrinter, GeneratedLinearTextsReadBack) {
  std::mt19937 random(7);
  for (int round = 0; round < 3000; ++round) {
    std::vector<LinearLayout::Output> outputs;
    size_t rank = random() % 4;
    for (size_t d = 0; d < rank; ++d)
      outputs.push_back({standardName(d), 1 << (random() % 6)});
    std::vector<LinearLayout::Input> inputs;
    for (const char *name : {"register", "lane", "warp", "block"}) {
      if (random() % 4 == 0)
        continue;
      LinearLayout::Input input{name, {}};
      for (unsigned bit = random() % 4; bit > 0 && rank > 0; --bit) {
        LinearLayout::Basis basis;
        for (const LinearLayout::Output &output : outputs)
          basis.push_back(static_cast<int32_t>(random() % static_cast<unsigned>(output.size)));
        input.bases.push_back(std::move(basis));
      }
      inputs.push_back(std::move(input));
    }
    LinearLayout layout = *LinearLayout::make(std::move(inputs), std::move(outputs));
    Scanner in(Source::make("t", layout.toString()));
    EXPECT_TRUE(looksLikeLinearText(layout.toString()));
    Result<Layout> again = parseLinearText(in, nullptr);
    ASSERT_TRUE(again) << layout.toString() << "\n" << render(again.error());
    ASSERT_TRUE(in.atEnd());
    ASSERT_EQ(std::get<Foreign>(*again).as<LinearForeign>()->linear(), layout);
  }
}

} // namespace
} // namespace lanescope::layouts
