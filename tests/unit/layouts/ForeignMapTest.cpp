// The tables of other languages' layouts. A table is built by digits or bits if the layout allows it, otherwise entry
// by entry. In all cases each place of the table must be what the layout says, and the inverse must be what a search of
// the table finds.
#include "CuteSupport.h"
#include "layouts/Affine.h"
#include "layouts/DigitMap.h"
#include "layouts/Digits.h"
#include "layouts/ElementMap.h"
#include "layouts/linear/LinearForm.h"
#include "layouts/linear/TritonLayout.h"
#include "layouts/notation/Notation.h"
#include "layouts/Placement.h"
#include "layouts/XorMap.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <random>

using namespace lanescope;
using namespace lanescope::layouts;

namespace {

using Random = std::mt19937_64;

/// Finds every element's slots by a search of the table.
void expectInverse(const ElementMap &map) {
  std::vector<std::vector<int32_t>> slots(static_cast<size_t>(elementCount(map.shape())));
  for (size_t slot = 0; slot < map.elements().size(); ++slot)
    if (map.elements()[slot] >= 0)
      slots[static_cast<size_t>(map.elements()[slot])].push_back(static_cast<int32_t>(slot));
  size_t most = 1;
  for (size_t element = 0; element < slots.size(); ++element) {
    auto found = map.slots(static_cast<int64_t>(element));
    ASSERT_EQ(std::vector<int32_t>(found.begin(), found.end()), slots[element]) << "element " << element;
    most = std::max(most, found.size());
  }
  EXPECT_EQ(map.replication(), static_cast<int64_t>(most));
  EXPECT_TRUE(map.slots(elementCount(map.shape())).empty());
}

ElementMap fromTable(std::vector<int32_t> table, int64_t count) {
  auto threads = static_cast<int>(table.size());
  return *ElementMap::fromTable(WGSplatFragLayout{}, {count}, threads, 1, 1, std::move(table));
}

TEST(ForeignMap, TablesOfDigitsInAnyOrder) {
  Random random(1);
  for (int round = 0; round < 300; ++round) {
    std::vector<Digit> digits;
    int64_t count = 1, slots = 1;
    for (size_t i = 0; i < 1 + random() % 5; ++i) {
      int64_t size = cute::pick(random, {2, 2, 3, 4, 5, 8});
      bool copies = random() % 5 == 0;
      digits.push_back({size, copies ? 0 : count, 0});
      count *= copies ? 1 : size;
    }
    std::shuffle(digits.begin(), digits.end(), random);
    for (Digit &digit : digits) {
      digit.slot = slots;
      slots *= digit.size;
    }
    std::vector<int32_t> table;
    for (int64_t slot = 0; slot < slots; ++slot) {
      int64_t element = 0;
      for (const Digit &digit : digits)
        element += slot / digit.slot % digit.size * digit.element;
      table.push_back(static_cast<int32_t>(element));
    }
    std::vector<int32_t> made(table.size());
    std::vector<std::pair<int64_t, int64_t>> weights;
    for (size_t i = digits.size(); i-- > 0;)
      weights.emplace_back(digits[i].size, digits[i].element);
    outerSum(weights, made.data());
    ASSERT_EQ(made, table);
    expectInverse(fromTable(table, count));
    // After one entry has become idle or wrong, the table has no digits, and its inverse is still correct.
    size_t at = random() % table.size();
    table[at] = random() % 2 ? -1 : static_cast<int32_t>(random() % static_cast<uint64_t>(count));
    expectInverse(fromTable(table, count));
    expectInverse(fromTable(table, count + 3)); // three elements have no place
  }
}

TEST(ForeignMap, TablesOfBits) {
  Random random(2);
  int surjective = 0, copies = 0;
  for (int round = 0; round < 300; ++round) {
    int elementBits = static_cast<int>(random() % 8), slotBits = elementBits + static_cast<int>(random() % 4) - 1;
    std::vector<int32_t> bases;
    for (int bit = 0; bit < slotBits; ++bit)
      bases.push_back(static_cast<int32_t>(random() & ((uint64_t(1) << elementBits) - 1)));
    std::vector<int32_t> table(size_t(1) << bases.size());
    for (size_t slot = 0; slot < table.size(); ++slot)
      for (size_t bit = 0; bit < bases.size(); ++bit)
        table[slot] ^= (slot >> bit) & 1 ? bases[bit] : 0;
    std::vector<int32_t> made(table.size());
    xorSums(bases, made.data());
    ASSERT_EQ(made, table);
    EXPECT_EQ(xorBasesOf(table), bases);
    if (auto inverse = invertXor(bases, elementBits)) {
      ++surjective;
      copies += inverse->kernelBits > 0;
    }
    expectInverse(fromTable(table, int64_t(1) << elementBits));
    size_t at = random() % table.size();
    table[at] ^= elementBits > 0 ? 1 : 0;
    EXPECT_EQ(xorBasesOf(table).has_value(), elementBits == 0 || (table.size() == 2 && at == 1));
    expectInverse(fromTable(table, int64_t(1) << elementBits));
  }
  EXPECT_GT(surjective, 60);
  EXPECT_GT(copies, 40);
}

/// Tables larger than the blocks in which they are built.
TEST(ForeignMap, LargeTables) {
  Random random(3);
  std::vector<int32_t> bases;
  for (int bit = 0; bit < 15; ++bit)
    bases.push_back(int32_t(1) << bit);
  for (int step = 0; step < 60; ++step) {
    size_t a = random() % 15, b = random() % 15;
    if (a != b)
      bases[a] ^= bases[b];
  }
  bases.push_back(bases[3] ^ bases[11]); // copies
  std::vector<int32_t> table(size_t(1) << 16);
  xorSums(bases, table.data());
  for (size_t slot = 0; slot < table.size(); ++slot)
    ASSERT_EQ(table[slot],
              slot == 0 ? 0 : table[slot & (slot - 1)] ^ bases[static_cast<size_t>(std::countr_zero(slot))]);
  EXPECT_EQ(xorBasesOf(table), bases);
  expectInverse(fromTable(table, 1 << 15));
  std::vector<int32_t> digits(size_t(3) << 14);
  outerSum(std::vector<std::pair<int64_t, int64_t>>{{64, 1}, {768, 64}}, digits.data());
  for (size_t slot = 0; slot < digits.size(); ++slot)
    ASSERT_EQ(digits[slot], static_cast<int32_t>(slot / 768 + slot % 768 * 64));
  expectInverse(fromTable(digits, 3 << 14));
  for (size_t at : {size_t(4096), size_t(4095), digits.size() - 1, size_t(20000)}) {
    std::vector<int32_t> wrong = digits;
    wrong[at] = 0;
    expectInverse(fromTable(wrong, 3 << 14));
    std::vector<int32_t> wrongBits = table;
    wrongBits[at % table.size()] ^= 2;
    EXPECT_FALSE(xorBasesOf(wrongBits));
    expectInverse(fromTable(wrongBits, 1 << 15));
  }
}

/// CuTe's (thread, value) layouts, evaluated by recursion. The index is split with the first dimension fastest.
TEST(ForeignMap, CuteThreadValueLayouts) {
  Random random(4);
  int made = 0, swizzled = 0, recognised = 0;
  for (int round = 0; round < 4000; ++round) {
    cute::Layout plain = cute::randomLayout(random, round % 3 == 0);
    if (plain.rank() == 1 && !plain.shape.isTuple)
      continue;
    int64_t reach = cute::cosizeOf(plain);
    if (plain.rank() > 2 || plain.size() > 4096 || reach > 1 << 14)
      continue;
    Shape shape;
    int64_t rest = reach;
    while (shape.size() < 2) {
      int64_t size = cute::pick(random, {2, 4, 8, 3, 6, 16});
      shape.push_back(size);
      rest = (rest + size - 1) / size;
    }
    shape.push_back(random() % 2 ? static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(rest))) : rest);
    std::string text = cute::cppText(plain);
    cute::Swizzle swizzle;
    if (random() % 3 == 0) {
      swizzle = {static_cast<int>(1 + random() % 2), static_cast<int>(random() % 3), 2};
      text = cute::text(swizzle, "Sw") + " o _0 o " + text;
    }
    SCOPED_TRACE(text + " at " + tupleText(shape));
    cute::CuteLayout layout = cute::read(text);
    Result<ElementMap> map = layout.elementMap(shape);
    int64_t threads = productOf(plain.shape.mode(0)), values = plain.size() / threads, count = elementCount(shape);
    bool inside = true;
    std::vector<int32_t> expected;
    for (int64_t t = 0; t < threads; ++t)
      for (int64_t v = 0; v < values; ++v) {
        int64_t at = swizzle.apply(cute::slowValue(plain, t + threads * v)), element = 0;
        inside = inside && at < count;
        for (int64_t d = 0, left = at; d < 3; ++d) {
          element =
              element * 1 + left % shape[static_cast<size_t>(d)] * contiguousStrides(shape)[static_cast<size_t>(d)];
          left /= shape[static_cast<size_t>(d)];
        }
        expected.push_back(static_cast<int32_t>(element));
      }
    ASSERT_EQ(map.has_value(), inside);
    if (!map)
      continue;
    ++made;
    swizzled += swizzle.bits > 0;
    ASSERT_EQ(std::vector<int32_t>(map->elements().begin(), map->elements().end()), expected);
    recognised += digitsOf(*map).has_value();
    expectInverse(*map);
  }
  EXPECT_GT(made, 1000);
  EXPECT_GT(swizzled, 200);
  EXPECT_GT(recognised, 400);
}

TEST(ForeignMap, CuteCoordinates) {
  Random random(5);
  int made = 0;
  for (int round = 0; round < 1000; ++round) {
    std::string sizes[2], strides[2];
    std::vector<std::array<int64_t, 3>> leaves[2]; // size, step, dimension
    Shape reached = {1, 1};
    for (int mode : {0, 1})
      for (size_t i = 0; i < 2; ++i) {
        int64_t size = cute::pick(random, {1, 2, 3, 4, 8}), dim = static_cast<int64_t>(random() % 2);
        int64_t step = random() % 8 == 0 ? 1 : reached[static_cast<size_t>(dim)];
        leaves[mode].push_back({size, step, dim});
        reached[static_cast<size_t>(dim)] += step * (size - 1);
        sizes[mode] += (i ? "," : "(") + std::to_string(size);
        strides[mode] += (i ? "," : "(") + std::to_string(step) + "@" + std::to_string(dim);
      }
    Shape shape = {reached[0] + (random() % 4 == 0 ? 1 : 0) - (random() % 8 == 0 ? 1 : 0), reached[1]};
    if (shape[0] < 1)
      continue;
    std::string text = "(" + sizes[0] + ")," + sizes[1] + ")):(" + strides[0] + ")," + strides[1] + "))";
    SCOPED_TRACE(text + " at " + tupleText(shape));
    Result<ElementMap> map = cute::read(text).elementMap(shape);
    ASSERT_EQ(map.has_value(), shape[0] >= reached[0]);
    if (!map)
      continue;
    ++made;
    auto coordinate = [&](int mode, int64_t index, int64_t dim) {
      int64_t out = 0;
      for (auto [size, step, along] : leaves[mode]) {
        out += along == dim ? index % size * step : 0;
        index /= size;
      }
      return out;
    };
    int64_t values = leaves[1][0][0] * leaves[1][1][0];
    for (int64_t t = 0; t < map->threads(); ++t)
      for (int64_t v = 0; v < values; ++v)
        ASSERT_EQ(map->element(static_cast<int>(t), static_cast<int>(v), 0),
                  (coordinate(0, t, 0) + coordinate(1, v, 0)) * shape[1] + coordinate(0, t, 1) + coordinate(1, v, 1));
    expectInverse(*map);
  }
  EXPECT_GT(made, 500);
}

TEST(ForeignMap, LinearLayouts) {
  Random random(6);
  for (int round = 0; round < 200; ++round) {
    std::vector<LinearLayout::Input> inputs = {{"register", {}}, {"lane", {}}, {"warp", {}}, {"block", {}}};
    int rows = static_cast<int>(random() % 4), columns = static_cast<int>(random() % 5);
    for (LinearLayout::Input &input : inputs)
      for (size_t bit = 0; bit < random() % 4; ++bit)
        input.bases.push_back(
            {static_cast<int32_t>(random() % (1u << rows)), static_cast<int32_t>(random() % (1u << columns))});
    LinearLayout linear = *LinearLayout::make(inputs, {{"dim0", 1 << rows}, {"dim1", 1 << columns}});
    Result<ElementMap> map = LinearForeign(linear).elementMap({1 << rows, 1 << columns});
    ASSERT_TRUE(map);
    int registers = 1 << linear.inputBits("register"), lanes = 1 << linear.inputBits("lane"),
        warps = 1 << linear.inputBits("warp");
    for (int t = 0; t < map->threads(); ++t)
      for (int r = 0; r < registers; ++r) {
        auto at = linear.apply({r, t % lanes, t / lanes % warps, t / lanes / warps});
        ASSERT_EQ(map->element(t, r, 0), at[0] * (1 << columns) + at[1]);
      }
    expectInverse(*map);
  }
}

/// Modes with gaps, offsets and copies. They are evaluated by digits if the places allow it, otherwise place by place;
/// both give the sum.
TEST(ForeignMap, AffineModes) {
  Random random(7);
  int made = 0, idle = 0, overlapping = 0;
  for (int round = 0; round < 3000; ++round) {
    AffinePlaces places;
    int64_t count = 1, thread = 1, value = 1;
    std::vector<size_t> order;
    for (size_t i = 0; i < 1 + random() % 4; ++i)
      places.modes.push_back({cute::pick(random, {1, 2, 3, 4}), 0, 0});
    for (size_t i = 0; i < random() % 3; ++i)
      places.replicas.push_back({cute::pick(random, {2, 3}), 0, 0});
    std::vector<AffineMode *> all;
    for (auto *list : {&places.modes, &places.replicas})
      for (AffineMode &mode : *list)
        all.push_back(&mode);
    std::shuffle(all.begin(), all.end(), random);
    for (AffineMode *mode : all) {
      bool inThread = random() % 2;
      int64_t &reach = inThread ? thread : value;
      (inThread ? mode->thread : mode->value) = random() % 12 == 0 ? 1 : reach;
      reach = reach * mode->size + (random() % 4 == 0 ? cute::pick(random, {1, 2}) : 0);
    }
    for (const AffineMode &mode : places.modes)
      count *= mode.size;
    places.baseThread = static_cast<int64_t>(random() % 3);
    places.baseValue = static_cast<int64_t>(random() % 2);
    Result<ElementMap> map = affineRegisters(WGSplatFragLayout{}, {count}, places);
    int64_t threads = places.threadCount(), values = places.valueCount();
    std::vector<int32_t> expected(static_cast<size_t>(threads * values), -1);
    bool overlaps = false;
    int64_t copies = 1;
    for (const AffineMode &replica : places.replicas)
      copies *= replica.size;
    for (int64_t element = 0; element < count; ++element)
      for (int64_t copy = 0; copy < copies; ++copy) {
        int64_t t = places.baseThread, v = places.baseValue;
        auto add = [&](const std::vector<AffineMode> &modes, int64_t index) {
          for (size_t i = modes.size(); i-- > 0; index /= modes[i].size) {
            t += index % modes[i].size * modes[i].thread;
            v += index % modes[i].size * modes[i].value;
          }
        };
        add(places.modes, element);
        add(places.replicas, copy);
        int32_t &entry = expected[static_cast<size_t>(t * values + v)];
        overlaps = overlaps || (entry >= 0 && entry != element);
        entry = static_cast<int32_t>(element);
      }
    ASSERT_EQ(map.has_value(), !overlaps);
    overlapping += overlaps;
    if (!map)
      continue;
    ++made;
    ASSERT_EQ(map->threads(), threads);
    ASSERT_EQ(std::vector<int32_t>(map->elements().begin(), map->elements().end()), expected);
    idle += std::ranges::find(expected, -1) != expected.end();
    expectInverse(*map);
  }
  EXPECT_GT(made, 1500);
  EXPECT_GT(idle, 800);
  EXPECT_GT(overlapping, 100);
}

/// TileLang's expressions: sums over the indices become digits, and other expressions are evaluated. The test has its
/// own arithmetic.
TEST(ForeignMap, TileLangExpressions) {
  Random random(8);
  int made = 0, apart = 0, refused = 0;
  for (int round = 0; round < 600; ++round) {
    int64_t rows = cute::pick(random, {2, 4, 6, 8}), columns = cute::pick(random, {2, 4, 8, 12});
    int64_t rowPart = cute::pick(random, {1, 2}), columnPart = cute::pick(random, {1, 2, 4});
    int64_t copies = cute::pick(random, {1, 1, 2, 3}), first = random() % 4 == 0 ? 3 : 0;
    if (columns % columnPart != 0)
      continue;
    bool mixed = random() % 4 == 0; // not a sum over the indices: a swizzle of registers
    int64_t rowThreads = rows / rowPart, columnThreads = columns / columnPart;
    int64_t gap = random() % 4 == 0 ? 1 : 0, crossing = random() % 6 == 0 ? 1 : 0;
    auto thread = [&](int64_t i, int64_t j, int64_t copy) {
      return first + i / rowPart * (columnThreads + gap - crossing) + j / columnPart +
             copy * rowThreads * (columnThreads + gap);
    };
    auto reg = [&](int64_t i, int64_t j) {
      int64_t plain = i % rowPart * columnPart + j % columnPart;
      return mixed ? plain ^ (i / rowPart % 2 & (columnPart > 1 ? 1 : 0)) : plain;
    };
    int64_t threads = first + copies * rowThreads * (columnThreads + gap), values = rowPart * columnPart;
    auto number = [](int64_t n) { return std::to_string(n); };
    std::string plain = "_i % " + number(rowPart) + " * " + number(columnPart) + " + _j % " + number(columnPart);
    std::string text =
        "Fragment([" + number(rows) + ", " + number(columns) + "] -> [" + number(values) +
        "], replicate: " + number(copies) + ", thread: " + number(threads) + ", forward_thread: " + number(first) +
        " + _i // " + number(rowPart) + " * " + number(columnThreads + gap - crossing) + " + _j // " +
        number(columnPart) + " + _rep * " + number(rowThreads * (columnThreads + gap)) + ", forward_index: [" +
        (mixed && columnPart > 1 ? "T.bitwise_xor(" + plain + ", _i // " + number(rowPart) + " % 2)" : plain) + "])";
    SCOPED_TRACE(text);
    Result<Layout> layout = parseLayout(Source::make("layout", text));
    ASSERT_TRUE(layout) << render(layout.error());
    std::vector<int32_t> expected(static_cast<size_t>(threads * values), -1);
    bool overlaps = false;
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t j = 0; j < columns; ++j)
        for (int64_t copy = 0; copy < copies; ++copy) {
          int32_t &entry = expected[static_cast<size_t>(thread(i, j, copy) * values + reg(i, j))];
          overlaps = overlaps || (entry >= 0 && entry != i * columns + j);
          entry = static_cast<int32_t>(i * columns + j);
        }
    Result<ElementMap> map = elementMapOf(*layout, {rows, columns});
    ASSERT_EQ(map.has_value(), !overlaps) << (map ? "" : render(map.error()));
    refused += overlaps;
    if (!map)
      continue;
    ++made;
    apart += mixed && columnPart > 1;
    ASSERT_EQ(map->threads(), threads);
    ASSERT_EQ(std::vector<int32_t>(map->elements().begin(), map->elements().end()), expected);
    expectInverse(*map);
  }
  EXPECT_GT(made, 300);
  EXPECT_GT(apart, 30);
  EXPECT_GT(refused, 20);
}

} // namespace
