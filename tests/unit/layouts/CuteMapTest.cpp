// The meaning of CuTe's layouts for arrays: offsets with both kinds of swizzle, (thread, value) layouts, tensor memory,
// printouts of atoms, and maps printed in CuTe's notation.
#include "layouts/Catalogue.h"
#include "layouts/cute/CuteLayout.h"
#include "layouts/linear/LinearForm.h"
#include "tests/unit/layouts/CuteSupport.h"

#include <algorithm>

namespace lanescope::layouts::cute {
namespace {

std::string first(const Diagnostics &errors) { return errors[0].message; }

AddressMap addresses(std::string_view text, const Shape &shape, int bits) {
  Result<AddressMap> map = read(text).addressMap(shape, bits);
  EXPECT_TRUE(map) << text << "\n" << (map ? "" : render(map.error()));
  return map ? *map : *AddressMap::make("none", {1}, 32, {0});
}
ElementMap registers(std::string_view text, const Shape &shape) {
  Result<ElementMap> map = read(text).elementMap(shape);
  EXPECT_TRUE(map) << text << "\n" << (map ? "" : render(map.error()));
  return map ? *map : *ElementMap::fromTable(toLayout(read("1:0")), {1}, 1, 1, 1, std::vector<int32_t>{0});
}

// The SM90 64x64 accumulator and Mosaic's WGMMA have the same thread and value for each element.
TEST(CuteMap, AccumulatorIsWgmma) {
  ElementMap cute = registers("((_4,_8,_4),(_2,_2,_8)):((_128,_1,_16),(_64,_8,_512))", {64, 64});
  ElementMap mosaic = *ElementMap::of(catalogue::wgmma(), {64, 64});
  ASSERT_EQ(cute.threads(), 128);
  ASSERT_EQ(cute.values(), 32);
  EXPECT_TRUE(std::ranges::equal(cute.elements(), mosaic.elements()));
  Result<std::string> text = cuteText(Placement(mosaic), CuteStyle::Cpp);
  ASSERT_TRUE(text) << first(text.error());
  EXPECT_EQ(*text, "((_4,_8,_4),(_2,_2,_8)):((_128,_1,_16),(_64,_8,_512))");
  EXPECT_EQ(*cuteText(Placement(mosaic), CuteStyle::Dsl), "((4,8,4),(2,2,8)):((128,1,16),(64,8,512))");
}

// The PTX ISA's fragments of mma.m16n8k16, from the formulas in its text.
TEST(CuteMap, FragmentsOfM16n8k16) {
  ElementMap c = registers("((_4,_8),(_2,_2)):((_32,_1),(_16,_8))", {16, 8});
  ElementMap a = registers("((_4,_8),(_2,_2,_2)):((_32,_1),(_16,_8,_128))", {16, 16});
  ElementMap b = registers("((_4,_8),(_2,_2)):((_16,_1),(_8,_64))", {8, 16}); // (N,K)
  for (int lane = 0; lane < 32; ++lane) {
    int group = lane / 4, inGroup = lane % 4;
    for (int i = 0; i < 4; ++i)
      EXPECT_EQ(c.element(lane, i, 0), (group + 8 * (i / 2)) * 8 + inGroup * 2 + i % 2);
    for (int i = 0; i < 8; ++i)
      EXPECT_EQ(a.element(lane, i, 0), (group + (i % 4 < 2 ? 0 : 8)) * 16 + inGroup * 2 + i % 2 + (i < 4 ? 0 : 8));
    for (int i = 0; i < 4; ++i) // row of the K x N matrix: inGroup*2 + i%2 (+8), column: group
      EXPECT_EQ(b.element(lane, i, 0), group * 16 + inGroup * 2 + i % 2 + (i < 2 ? 0 : 8));
  }
}

TEST(CuteMap, OffsetsByModesAndByColexicographicIndex) {
  AddressMap nested = addresses("((_2,4),_8):((_1,16),_2)", {8, 8}, 32);
  for (int i = 0; i < 8; ++i)
    for (int j = 0; j < 8; ++j)
      EXPECT_EQ(nested.offset(i * 8 + j), i % 2 + 16 * (i / 2) + 2 * j);
  // The same layout for a 4x16 array: coordinate (i, j) is index i + 4*j.
  AddressMap other = addresses("((_2,4),_8):((_1,16),_2)", {4, 16}, 32);
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 16; ++j)
      EXPECT_EQ(other.offset(i * 16 + j), slowValue(plain("((_2,4),_8):((_1,16),_2)"), i + 4 * j));
  EXPECT_EQ(
      first(read("(8,8):(8,1)").addressMap({8, 4}, 32).error()),
      "`(8,8):(8,1)` has 64 elements, but shape (8, 4) has 32; compose it with a tile, or ask about an array of its "
      "own size");
}

// A trap: a pointer's swizzle acts on bytes, and a composed layout's swizzle acts on offsets.
TEST(CuteMap, SwizzlesOfBytesAndOfElements) {
  const char *bytes = "Sw<3,4,3> o smem_ptr[16b](unset) o (_8,_64):(_64,_1)";
  AddressMap a = addresses(bytes, {8, 64}, 16), b = addresses("Sw<3,3,3> o _0 o (_8,_64):(_64,_1)", {8, 64}, 16);
  EXPECT_TRUE(std::ranges::equal(a.offsets(), b.offsets()));
  // The parameters for bytes, applied to elements.
  AddressMap wrong = addresses("Sw<3,4,3> o _0 o (_8,_64):(_64,_1)", {8, 64}, 16);
  EXPECT_FALSE(std::ranges::equal(a.offsets(), wrong.offsets()));
  for (int i = 0; i < 8; ++i)
    for (int j = 0; j < 64; ++j) // 16-byte unit j/8 of line i goes to unit (j/8)^i
      EXPECT_EQ(a.offset(i * 64 + j), i * 64 + ((j / 8) ^ i) * 8 + j % 8);
  // The float atom prints Sw<3,2,3> as a position-independent layout.
  AddressMap c = addresses("Sw<3,4,3> o smem_ptr[32b](unset) o (_8,_32):(_32,_1)", {8, 32}, 32);
  AddressMap d = addresses("Sw<3,2,3> o _0 o (_8,_32):(_32,_1)", {8, 32}, 32);
  EXPECT_TRUE(std::ranges::equal(c.offsets(), d.offsets()));
  // Mosaic's 128-byte swizzle is the same. A 4-bit element stays in its half of the byte.
  AddressMap mosaic = AddressMap::of(*SmemMap::of({8, 64}, 16, {8, 64}, 128));
  EXPECT_TRUE(std::ranges::equal(a.offsets(), mosaic.offsets()));
  AddressMap nibbles = addresses("Sw<3,4,3> o smem_ptr[4b](unset) o (_8,_256):(_256,_1)", {8, 256}, 4);
  for (int i = 0; i < 8; ++i)
    for (int j = 0; j < 256; ++j)
      EXPECT_EQ(nibbles.offset(i * 256 + j), i * 256 + ((j / 32) ^ i) * 32 + j % 32);
  EXPECT_EQ(
      first(read(bytes).addressMap({8, 64}, 32).error()),
      "the pointer of `Sw<3,4,3> o smem_ptr[16b](unset) o (_8,_64):(_64,_1)` is of 16-bit elements, not of 32-bit "
      "ones; recast it first");
  EXPECT_EQ(first(read("Sw<2,0,3> o smem_ptr[32b](unset) o (_8,_32):(_32,_1)").addressMap({8, 32}, 32).error()),
            "`Sw<2,0,3>` takes the bytes of one 32-bit element apart: its base must leave them together");
  // A negative shift reads the low bits and changes the high ones.
  AddressMap up = addresses("Sw<2,0,-3> o _0 o 32:1", {32}, 8);
  for (int i = 0; i < 32; ++i)
    EXPECT_EQ(up.offset(i), i ^ ((i & 3) << 3));
  EXPECT_EQ(addresses("Sw<2,0,3>", {32}, 8).offset(9), 9 ^ 1);
  EXPECT_EQ(addresses("S<2,0,3> o 8 o 4:1", {4}, 8).offset(1), (8 + 1) ^ 1);
}

TEST(CuteMap, ComposedLayouts) {
  // (4,5):(1,4) at (2,1) + (i@1, 2j@0): coordinate (2 + 2j, 1 + i).
  AddressMap map = addresses("(4,9):(1,4) o (1,1) o (2,2):(1@1,2@0)", {2, 2}, 32);
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j)
      EXPECT_EQ(map.offset(i * 2 + j), (1 + 2 * j) + 4 * (1 + i));
  AddressMap plain = addresses("(4,8):(8,1) o {4} o (2,3):(1,2)", {2, 3}, 32);
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 3; ++j)
      EXPECT_EQ(plain.offset(i * 3 + j), (4 + i + 2 * j) % 4 * 8 + (4 + i + 2 * j) / 4);
  EXPECT_EQ(*read("(4,8):(8,1) o {4} o (2,3):(1,2)").offsetAt({1, 2}), (4 + 1 + 4) % 4 * 8 + (4 + 1 + 4) / 4);
  EXPECT_EQ(*read("Sw<3,4,3> o smem_ptr[16b](unset) o (_8,_64):(_64,_1)").offsetAt({1, 0}), 72);
  EXPECT_EQ(first(read("(4,8):(8,1)").offsetAt({4, 0}).error()), "4 is outside the mode of size 4");
}

// A tile of a large matrix has few elements, far apart. Code that only reads its offsets builds no table of the places
// between.
TEST(CuteMap, FarStrides) {
  AddressMap map = addresses("((_3,4),_8):((_2,33113392),_2)", {12, 8}, 32);
  EXPECT_EQ(map.extent(), 3 * 33113392 + 2 * 2 + 7 * 2 + 1);
  EXPECT_TRUE(map.sparse());
  auto linear = linearForm(Placement(map));
  ASSERT_FALSE(linear);
  EXPECT_NE(first(linear.error()).find("96 elements are spread over 99340195 offsets"), std::string::npos);
  EXPECT_FALSE(addresses("(_64,_64):(_64,_1)", {64, 64}, 32).sparse());
}

TEST(CuteMap, CoordinatesAsStrides) {
  // Thread t, value v at coordinate (t, v).
  ElementMap map = registers("(_128,_64):(_1@0,_1@1)", {128, 64});
  for (int t : {0, 5, 127})
    for (int v : {0, 1, 63})
      EXPECT_EQ(map.element(t, v, 0), t * 64 + v);
  Result<TmemMap> tmem = read("(128,64):(1@0,1@1)").tmemMap({128, 64}, 32); // TileLang: lane @0, column @1
  ASSERT_TRUE(tmem) << first(tmem.error());
  EXPECT_EQ(tmem->element(3, 5, 0), 3 * 64 + 5);
  EXPECT_EQ(
      first(read("(128,64):(1@0,1@2)").elementMap({128, 64}).error()),
      "`(128,64):(1@0,1@2)` has a coordinate that shape (128, 64) does not: every stride must be `n@d` with d below "
      "2");
  EXPECT_EQ(first(read("(128,64):(1@0,1@1)").addressMap({128, 64}, 32).error()),
            "an offset needs integer strides, but those of `(128,64):(1@0,1@1)` give coordinates (`@`)");
}

TEST(CuteMap, TensorMemory) {
  CuteLayout layout = read("tmem_[32b](0x0000.0000) o ((_128,_256),_1,_1):((_65536,_1),_0,_0)");
  EXPECT_EQ(layout.memories(), std::vector<Memory>{Memory::Tmem});
  EXPECT_EQ(layout.shape(), (Shape{128, 256}));
  Result<TmemMap> map = layout.tmemMap({128, 256}, 32);
  ASSERT_TRUE(map) << first(map.error());
  TmemMap mosaic = *TmemMap::of(*catalogue::tmemDefault(1), {128, 256}, 32);
  EXPECT_TRUE(std::ranges::equal(map->elements(), mosaic.elements()));
  EXPECT_EQ(*cuteText(Placement(mosaic), CuteStyle::Cpp), "tmem_[32b](0x0000.0000) o (_128,_256):(_65536,_1)");
  // 16-bit elements, two per column: the lane's stride doubles, as tmem_ptr shifts offsets to columns.
  TmemMap packed = *TmemMap::of(*catalogue::tmemDefault(2), {128, 64}, 16);
  EXPECT_EQ(*cuteText(Placement(packed), CuteStyle::Cpp), "tmem_[16b](0x0000.0000) o (_128,_64):(_131072,_1)");
  Result<TmemMap> again = read("tmem_[16b](0x0000.0000) o (_128,_64):(_131072,_1)").tmemMap({128, 64}, 16);
  ASSERT_TRUE(again);
  EXPECT_TRUE(std::ranges::equal(again->elements(), packed.elements()));
  EXPECT_EQ(
      first(read("tmem_[32b](0x0) o (_128,_2):(_65536,_512)").tmemMap({128, 2}, 32).error()),
      "`tmem_[32b](0x0000.0000) o (_128,_2):(_65536,_512)` puts element (0, 1) at lane 0, column 512; tensor memory "
      "has 128 lanes of 512 columns");
  EXPECT_EQ(
      first(read("tmem_[32b](0x0) o (_128,_2):(_65536,_0)").tmemMap({128, 2}, 32).error()),
      "`tmem_[32b](0x0000.0000) o (_128,_2):(_65536,_0)` puts the elements (0, 0) and (0, 1) in one place, lane 0, "
      "column 0");
  EXPECT_FALSE(toCute(Placement(*TmemMap::of(catalogue::scales(), {128, 4}, 8)))); // four copies of each element
}

TEST(CuteMap, Printouts) {
  const char *text = "MMA_Atom\n"
                     "  ThrID:      _32:_1\n"
                     "  Shape_MNK:  (_16,_8,_16)\n"
                     "  LayoutA_TV: ((_4,_8),(_2,_2,_2)):((_32,_1),(_16,_8,_128))\n"
                     "  LayoutB_TV: ((_4,_8),(_2,_2)):((_16,_1),(_8,_64))\n"
                     "  LayoutC_TV: ((_4,_8),(_2,_2)):((_32,_1),(_16,_8))\n";
  SourceRef source = Source::make("print", text);
  Scanner in(source);
  Diagnostics remarks;
  Result<layouts::Layout> c = parseCute(in, &remarks);
  ASSERT_TRUE(c) << render(c.error());
  EXPECT_EQ(layoutText(*c), "Tiler_MN: (_16,_8) LayoutC_TV: ((_4,_8),(_2,_2)):((_32,_1),(_16,_8))");
  EXPECT_EQ(asCute(*c)->shape(), (Shape{16, 8}));
  EXPECT_EQ(memoryOf(*c), Memory::Registers);
  ASSERT_EQ(remarks.size(), 1u);
  EXPECT_EQ(remarks[0].message, "`LayoutC_TV` of this printout is taken; it also holds LayoutA_TV, LayoutB_TV");
  Scanner again(source);
  auto operands = readPrintout(again);
  ASSERT_TRUE(operands);
  ASSERT_EQ(operands->size(), 3u);
  EXPECT_EQ((*operands)[0].second.shape(), (Shape{16, 16}));
  EXPECT_EQ((*operands)[1].second.shape(), (Shape{8, 16}));

  // CuTe DSL's spelling of the same layout, over 2x2 warps: the tile's layouts, then the atom's.
  source = Source::make("print", "Tiled MMA\n  Thr Layout VMNK: (32,2,2,1):(1,32,64,0)\n  Permutation MNK: (_,_,_)\n"
                                 "MMA Atom\n  ThrID:           32:1\n  Shape MNK:       (16,8,16)\n"
                                 "  TV Layout A:     ((4,8),(2,2,2)):((32,1),(16,8,128))\n"
                                 "  TV Layout B:     ((4,8),(2,2)):((16,1),(8,64))\n"
                                 "  TV Layout C:     ((4,8),(2,2)):((32,1),(16,8))");
  Scanner tiled(source);
  operands = readPrintout(tiled);
  ASSERT_TRUE(operands) << render(operands.error());
  ASSERT_EQ(operands->size(), 6u);
  EXPECT_EQ((*operands)[2].first, "LayoutC_TV");
  EXPECT_EQ((*operands)[5].first, "AtomLayoutC_TV");
  ElementMap map = *(*operands)[2].second.elementMap({32, 16});
  for (int thread = 0; thread < 128; ++thread)
    for (int i = 0; i < 4; ++i) {
      int row = thread / 32 % 2 * 16 + thread % 32 / 4 + 8 * (i / 2), column = thread / 64 * 8 + thread % 4 * 2 + i % 2;
      ASSERT_EQ(map.element(thread, i, 0), row * 16 + column);
    }
  // With a permutation of N, each warp has two atoms, eight columns apart (CuTe's 32x32 tile of four warps).
  source = Source::make("print", "TiledMMA\n  ThrLayoutVMNK:  (_32,_2,_2,_1):(_1,_32,_64,_0)\n"
                                 "  PermutationMNK: (_32,_32,_16)\nMMA_Atom\n  ThrID: _32:_1\n"
                                 "  Shape_MNK:  (_16,_8,_16)\n  LayoutC_TV: ((_4,_8),(_2,_2)):((_32,_1),(_16,_8))");
  Scanner permuted(source);
  operands = readPrintout(permuted);
  ASSERT_TRUE(operands) << render(operands.error());
  map = *(*operands)[0].second.elementMap({32, 32});
  ASSERT_EQ(map.values(), 8);
  EXPECT_EQ(map.element(64, 4, 0), 24); // the second warp along N, its second atom: columns 24..31

  // The threads of a quad pair (SM70) are not lanes 0..7.
  map = registers("ThrID: (_4,_2):(_1,_16) Tiler_MN: (_8,_8) "
                  "LayoutC_TV: ((_2,_2,_2),(_2,_2,_2)):((_1,_16,_4),(_8,_2,_32))",
                  {8, 8});
  EXPECT_EQ(map.threads(), 32);
  EXPECT_EQ(map.element(16, 0, 0), 4 * 8);
  EXPECT_EQ(map.element(4, 0, 0), -1);
  // Copies are read by the tile's layout, or by the atom's destination.
  EXPECT_EQ(read("TiledCopy\n  Tiler_MN:       (_32,_8)\n  TiledLayout_TV: (_32,_8):(_1,_32)\nCopy_Atom\n"
                 "  ThrID:        _1:_0\n  ValLayoutSrc: (_1,_1):(_0,_1)\n  ValLayoutDst: (_1,_1):(_0,_1)\n"
                 "  ValLayoutRef: (_1,_1):(_0,_1)\n  ValueType:    32b\n")
                .text(),
            "Tiler_MN: (_32,_8) TiledLayout_TV: (_32,_8):(_1,_32)");
  CuteLayout load = read("Copy_Atom\n ThrID: _32:_1\n ValLayoutSrc: (_32,_128):(_0,_1)\n "
                         "ValLayoutDst: ((_4,_8),(_2,_2)):((_2,_8),(_1,_64))\n ValueType: 32b");
  EXPECT_EQ(load.shape(), (Shape{128}));
  EXPECT_EQ(load.elementMap({128})->element(5, 3, 0), 1 * 2 + 8 + 1 + 64);
}

TEST(CuteMap, RegistersThatDoNotFit) {
  EXPECT_EQ(
      first(read("((_4,_8),(_2,_2)):((_32,_1),(_16,_8))").elementMap({8, 8}).error()),
      "`((_4,_8),(_2,_2)):((_32,_1),(_16,_8))` does not fit shape (8, 8): value 0 of thread 2 has column-major index "
      "64");
  EXPECT_EQ(
      first(read("(4,2,2):(1,4,8)").elementMap({4, 4}).error()),
      "a (thread, value) layout has two modes, but `(4,2,2):(1,4,8)` has 3; put the values' modes in parentheses");
  EXPECT_EQ(
      first(read("(?,2):(1,4)").elementMap({4, 4}).error()),
      "a register map needs numbers, but `(?,2):(1,4)` has `?`, which only a running kernel knows; put a number in "
      "its place");
  EXPECT_FALSE(read("(8:2,16)").elementMap({16, 16}));
  EXPECT_FALSE(read("(536870912,536870912):(0,0)").elementMap({16, 16}));
  EXPECT_FALSE(read("(8,8):(1,8)").elementMap({0, 8}));
  EXPECT_FALSE(read("(8,8):(1,8)").tmemMap({8, 8}, 32));
}

TEST(CuteMap, MapsOfOtherLanguagesAsCute) {
  for (const auto &[layout, shape, text] : std::initializer_list<std::tuple<RegisterLayout, Shape, const char *>>{
           {catalogue::wgmmaRow(), {64}, "((4,8,4),2):((0,1,16),8)"},
           {*WGStridedFragLayout::make({128, 64}, 4), {128, 64}, "((16,8),(4,16)):((512,1),(128,8))"},
       })
    EXPECT_EQ(*cuteText(Placement(*ElementMap::of(layout, shape)), CuteStyle::Dsl), text);
  // Every layout of the catalogue that has a CuTe form keeps its meaning when it is read back.
  int found = 0;
  for (const CatalogueEntry &entry : catalogueEntries()) {
    if (entry.callable)
      continue;
    layouts::Layout made = *entry.make();
    const auto *reg = std::get_if<RegisterLayout>(&made);
    const auto *tiled = reg ? std::get_if<TiledLayout>(reg) : nullptr;
    if (!tiled)
      continue;
    Shape shape = tiled->baseTile();
    if (!shape.empty())
      shape[0] *= 2;
    Result<ElementMap> map = ElementMap::of(*tiled, shape);
    Result<CuteLayout> cute = map ? toCute(Placement(*map)) : std::unexpected(map.error());
    if (!cute)
      continue;
    ++found;
    ElementMap back = *read(cute->text()).elementMap(shape);
    EXPECT_TRUE(std::ranges::equal(back.elements(), map->elements())) << entry.name;
  }
  EXPECT_GE(found, 10);
  // Shared memory: plain, padded, swizzled.
  auto smem = [](const Shape &shape, int bits, const Shape &tiling, std::optional<int> swizzle) {
    return cuteText(Placement(AddressMap::of(*SmemMap::of(shape, bits, tiling, swizzle))), CuteStyle::Cpp).value();
  };
  EXPECT_EQ(smem({8, 64}, 16, {8, 64}, 128), "Sw<3,3,3> o _0 o (_8,_64):(_64,_1)");
  EXPECT_EQ(smem({8, 32}, 32, {8, 32}, 128), "Sw<3,2,3> o _0 o (_8,_32):(_32,_1)");
  EXPECT_EQ(smem({64, 32}, 16, {8, 32}, 64), "Sw<2,3,3> o _0 o (_64,_32):(_32,_1)");
  EXPECT_EQ(smem({16, 128}, 16, {8, 64}, 128), "Sw<3,3,3> o _0 o ((_8,_2),(_64,_2)):((_64,_1024),(_1,_512))");
  EXPECT_EQ(smem({16, 128}, 16, {8, 64}, std::nullopt), "((_8,_2),(_64,_2)):((_64,_1024),(_1,_512))");
  std::vector<int32_t> padded;
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 6; ++j)
      padded.push_back(7 * i + j);
  EXPECT_EQ(*cuteText(Placement(*AddressMap::make("p", {4, 6}, 32, padded)), CuteStyle::Cpp), "(_4,_6):(_7,_1)");
  std::swap(padded[8], padded[9]);
  EXPECT_EQ(
      first(toCute(Placement(*AddressMap::make("p", {4, 6}, 32, padded))).error()),
      "this map is no CuTe layout: element (1, 2) lies at offset 10, where the offsets of its coordinates add up to "
      "9; and no swizzle makes it one");
  std::vector<int32_t> holes = {0, 1, 2, -1};
  EXPECT_EQ(
      first(toCute(Placement(*ElementMap::fromTable(toLayout(read("4:1")), {3}, 2, 2, 1, holes))).error()),
      "this map is no CuTe layout: value 1 of thread 1 holds nothing, but a layout gives every thread and value an "
      "element");
  std::vector<int32_t> crossed = {0, 1, 3, 2};
  EXPECT_EQ(
      first(toCute(Placement(*ElementMap::fromTable(toLayout(read("4:1")), {4}, 2, 2, 1, crossed))).error()),
      "this map is no CuTe layout: value 1 of thread 1 is element (2,) (column-major index 2), where thread 1's first "
      "value plus thread 0's value 1 would give 4");
}

TEST(CuteMap, GeneratedMapsReadBack) {
  Random random(13);
  int swizzled = 0;
  for (int n = 0; n < 3000; ++n) {
    Layout plain = randomLayout(random, false);
    if (plain.size() > 2048)
      continue;
    Shape shape;
    for (size_t i = 0; i < plain.rank(); ++i)
      shape.push_back(productOf(plain.shape.mode(i)));
    Parts parts{.plain = plain};
    if (n % 2) {
      parts.outer = Swizzle{1 + n % 3, static_cast<int>(random() % 4), 3};
      parts.offset = IntTuple(0, true);
    }
    CuteLayout layout = *CuteLayout::make(parts);
    Result<AddressMap> map = layout.addressMap(shape, 8);
    ASSERT_TRUE(map) << first(map.error());
    for (int64_t e = 0; e < plain.size(); ++e) {
      Shape index = unravelIndex(e, shape);
      int64_t colex = 0, weight = 1, offset;
      for (size_t d = 0; d < shape.size(); weight *= shape[d++])
        colex += index[d] * weight;
      offset = slowValue(plain, colex);
      if (n % 2)
        offset ^= (offset >> 3) & (((int64_t(1) << (1 + n % 3)) - 1) << layout.swizzle()->base);
      ASSERT_EQ(map->offset(e), offset) << layout.text();
    }
    Result<CuteLayout> back = toCute(Placement(*map));
    ASSERT_TRUE(back) << layout.text() << ": " << first(back.error());
    swizzled += back->swizzle() != nullptr;
    AddressMap again = addresses(back->text(), shape, 8);
    ASSERT_TRUE(std::ranges::equal(again.offsets(), map->offsets())) << layout.text() << " as " << back->text();
  }
  EXPECT_GT(swizzled, 200);
}

TEST(CuteMap, Explained) {
  CuteLayout layout = read("Sw<3,4,3> o smem_ptr[16b](unset) o (_8,_64):(_64,_1)");
  Result<std::vector<ExplainStep>> steps = layout.explain({8, 64}, {3, 10});
  ASSERT_TRUE(steps);
  ASSERT_FALSE(steps->empty());
  int byte = layout.addressMap({8, 64}, 16)->offset(3 * 64 + 10) * 2;
  EXPECT_EQ(steps->back().value, std::to_string(byte) + " (byte)");
  EXPECT_EQ(steps->back().how, "bits 7..9 of byte 404 xored onto bits 4..6");
}

} // namespace
} // namespace lanescope::layouts::cute
