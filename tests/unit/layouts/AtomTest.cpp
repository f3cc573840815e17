// Instructions by name, what their fragments have in common, and which registers feed which.
#include "layouts/fragments/Feeds.h"
#include "layouts/fragments/FragmentLayout.h"
#include "layouts/notation/Fragment.h"

#include "layouts/Catalogue.h"
#include "layouts/Placement.h"
#include "layouts/support/Text.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

using namespace lanescope;
using namespace lanescope::layouts;

namespace {

Atom atomNamed(std::string_view name) {
  Result<Atom> atom = parseAtom(name);
  EXPECT_TRUE(atom) << name << ": " << (atom ? "" : atom.error().front().message);
  return atom ? *atom : Atom{};
}
ElementMap mapOf(std::string_view name, std::string_view operand) {
  Result<Foreign> layout = fragment(name, operand);
  EXPECT_TRUE(layout) << name << ' ' << operand;
  return *(*layout)->elementMap(*(*layout)->shape());
}
TmemMap cellsOf(std::string_view name, std::string_view operand) {
  Result<Foreign> layout = fragment(name, operand);
  EXPECT_TRUE(layout) << name << ' ' << operand;
  return *(*layout)->tmemMap(*(*layout)->shape(), *(*layout)->bitwidth());
}

/// A few more than the list has: other sizes of the open families.
std::vector<Atom> manyAtoms() {
  std::vector<Atom> out = atoms();
  for (int n = 8; n <= 256; n += 8)
    out.push_back(atomNamed(text("wgmma.m64n", n, "k16.f32.bf16")));
  for (std::string_view shape : {"32x32b", "16x64b", "16x32bx2", "16x128b.x8", "16x256b.x4"})
    out.push_back(
        atomNamed(text("tcgen05.ld.", shape, shape.find('x', 6) == shape.npos || shape.ends_with("x2") ? ".x16" : "")));
  for (int m : {64, 128})
    for (int n : {8, 64, 248})
      out.push_back(atomNamed(text("tcgen05.mma.m", m, 'n', n, "k16.f32.f16")));
  return out;
}

TEST(Atom, EveryElementHasItsPlaceOnce) {
  for (const Atom &atom : manyAtoms())
    for (const Operand &operand : atom.operands)
      for (const Fragment &each : operand.fragments) {
        std::vector<int32_t> elements = each.elements(operand.shape);
        std::map<int32_t, int> times;
        for (int32_t element : elements)
          ++times[element];
        times.erase(-1);
        // A of a pair of CTAs with 64 rows each is there twice (CUTLASS, TmemAllocMode::Duplicated).
        bool twice = atom.name.find("m128n128k16.cta_group::2") != std::string::npos && operand.name == "a";
        bool quarters = each.memory == Memory::Tmem && operand.name.starts_with("scale"); // a copy for each warp
        int64_t count = elementCount(operand.shape);
        ASSERT_EQ(static_cast<int64_t>(times.size()), count) << atom.name << ' ' << operand.name;
        EXPECT_EQ(times.begin()->first, 0);
        EXPECT_EQ(times.rbegin()->first, count - 1);
        for (const auto &[element, n] : times)
          ASSERT_EQ(n, twice ? 2 : quarters ? 4 : 1) << atom.name << ' ' << operand.name << ' ' << element;
        if (each.memory == Memory::Registers) {
          EXPECT_EQ(each.size(0), atom.threads) << atom.name << ' ' << operand.name;
          EXPECT_LE(each.size(2) * operand.bits, std::max(32, operand.bits)) << atom.name << ' ' << operand.name;
        }
      }
}

TEST(Atom, NamesAndMnemonicsReadBack) {
  std::set<std::string> names;
  for (const Atom &atom : manyAtoms()) {
    EXPECT_EQ(atomNamed(atom.name).name, atom.name);
    if (atom.instruction != Instruction::TmemMma) { // its PTX name has no sizes
      EXPECT_EQ(atomNamed(atom.ptx).name, atom.name) << atom.ptx;
    }
    EXPECT_FALSE(atom.section.empty());
    EXPECT_FALSE(atom.doc.empty());
    names.insert(atom.name);
  }
  EXPECT_GT(names.size(), 180u);
  EXPECT_EQ(atomNamed("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32").name, "mma.m16n8k16.f16");
  EXPECT_EQ(atomNamed("mma.m16n8k16.f16").ptx, "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32");
  EXPECT_EQ(atomNamed("mma.sp.sync.aligned.m16n8k32.row.col.f16.f16.f16.f16").name, "mma.sp.m16n8k32.f16.f16");
  EXPECT_EQ(atomNamed("mma.sync.aligned.m8n8k4.col.row.f32.f16.f16.f16").name, "mma.m8n8k4.col.row.f32.f16.f16.f16");
  EXPECT_EQ(atomNamed("mma.sync.aligned.m16n8k32.row.col.satfinite.s32.s8.u8.s32").name, "mma.m16n8k32.s32.s8.u8");
  EXPECT_EQ(atomNamed("mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc").name, "mma.m16n8k256.b1");
  EXPECT_EQ(
      atomNamed("mma.sync.aligned.m16n8k64.row.col.kind::mxf4nvf4.block_scale.scale_vec::4X.f32.e2m1.e2m1.f32.ue4m3")
          .name,
      "mma.m16n8k64.kind::mxf4nvf4.scale_vec::4X.e2m1.ue4m3");
  EXPECT_EQ(atomNamed("mma.m16n8k64.e2m1.ue4m3").name, "mma.m16n8k64.kind::mxf4nvf4.scale_vec::4X.e2m1.ue4m3");
  EXPECT_EQ(atomNamed("mma.m16n8k64.e2m1").name, "mma.m16n8k64.kind::mxf4.scale_vec::2X.e2m1.ue8m0");
  EXPECT_EQ(atomNamed("wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16").name, "wgmma.m64n128k16.f32.f16");
  EXPECT_EQ(atomNamed("wgmma.mma_async.sp.sync.aligned.m64n8k32.f16.f16.f16.selector::1").name,
            "wgmma.sp.m64n8k32.f16.f16.selector::1");
  EXPECT_EQ(atomNamed("tcgen05.ld.sync.aligned.16x256b.x4.pack::16b.b32").name, "tcgen05.ld.16x256b.x4.pack::16b");
  EXPECT_EQ(atomNamed("tcgen05.mma.m128n256.f16").name, "tcgen05.mma.m128n256k16.f32.f16");
  EXPECT_EQ(atomNamed("tcgen05.mma.m256n256k96.cta_group::2.kind::mxf4.e2m1").k, 96);
  EXPECT_EQ(atomNamed("ldmatrix.sync.aligned.m8n8.x4.trans.shared::cta.b16").name, "ldmatrix.x4.trans");
}

TEST(Atom, ErrorsSayWhichPartIsWrong) {
  const std::vector<std::tuple<std::string_view, std::string_view, std::string_view>> cases = {
      // name, the part pointed at, what is said of it
      {"mmma.m16n8k16.f16", "mmma", "no instruction with fragments"},
      {"", "", "no instruction"},
      {"mma.m16n8k15.f16", "m16n8k15", "there is `m8n8k4`, `m16n8k8` or `m16n8k16`"},
      {"mma.m16n8k16.f17", "f17", "did you mean `f16`"},
      {"mma.m16n8k16", "mma.m16n8k16", "lacks the types"},
      {"mma.f16", "mma.f16", "lacks the sizes"},
      {"mma.m16n8k16.s4", "m16n8k16", "`m16n8k32`"},
      {"mma.m16n8k16.f32.f16.bf16.f32", "bf16", "not multiplied together"},
      {"mma.m16n8k16.f16.bf16", "f16", "no accumulator for `bf16`"},
      {"mma.m16n8k16.f32.f16.f16.f16", "f16", "types of C and D must be equal"},
      {"mma.m16n8k16.col.col.f16", "col", "only m8n8k4"},
      {"mma.sp.m16n8k16.f64", "f64", "does not multiply"},
      {"mma.sp.m16n8k32.f16.selector::2", "2", "`0` or `1`"},
      {"mma.m16n8k16.f16.selector::1", "selector::1", "does not belong"},
      {"mma.m16n8k32.kind::mxf4.e4m3", "e4m3", "does not multiply `e4m3`"},
      {"mma.m16n8k64.kind::mxf4.scale_vec::4X.e2m1", "4X", "`scale_vec::2X` with `ue8m0`"},
      {"mma.m16n8k16.f16.ue8m0", "ue8m0", "block scales need"},
      {"mma.m16n8k32.kind::mxf9.e4m3", "mxf9", "has no `kind::mxf9`"},
      {"mma.m16n8k16.satfinite.f16", "satfinite", "is for integers"},
      {"mma.m16n8k16..f16", "mma.m16n8k16..f16", "empty part"},
      {"wgmma.m64n12k16.f16", "m64n12k16", "multiple of 8 up to 256"},
      {"wgmma.m64n264k16.f16", "m64n264k16", "multiple of 8 up to 256"},
      {"wgmma.m64n40k32.s8", "m64n40k32", "of 16 above 32"},
      {"wgmma.m64n64k16.f32.e4m3", "m64n64k16", "m64nNk32"},
      {"wgmma.m64n64k32.s8.u8", "s8", "no accumulator"},
      {"wgmma.sp.m64n64k256.b1", "b1", "does not multiply"},
      {"wgmma.m64n64k16.f64", "f64", "does not multiply"},
      {"tcgen05.ld.16x512b.x1", "16x512b", "did you mean"},
      {"tcgen05.ld.16x256b", "tcgen05.ld.16x256b", "lacks the repeat"},
      {"tcgen05.ld.x8", "tcgen05.ld.x8", "lacks the shape"},
      {"tcgen05.ld.16x256b.x64", "x64", "at most 32 times"},
      {"tcgen05.ld.32x32b.x2.unpack::16b", "unpack::16b", "takes `pack::16b`"},
      {"tcgen05.ld.red.32x32b.x2.min.f32", "red", "not supported"},
      {"tcgen05.cp.x1", "tcgen05.cp.x1", "`tcgen05.ld`"},
      {"tcgen05.mma.m96n64k16.f16", "m96n64k16", "M = `64` or `128`"},
      {"tcgen05.mma.m128n12k16.f16", "m128n12k16", "a multiple of 8"},
      {"tcgen05.mma.m128n64k32.f16", "m128n64k32", "K = 16"},
      {"tcgen05.mma.ws.m64n96k16.f16", "m64n96k16", "64, 128 or 256"},
      {"tcgen05.mma.ws.m64n64k16.cta_group::2.f16", "ws", "one CTA"},
      {"tcgen05.mma.m64n64k64.e2m1.kind::mxf4", "m64n64k64", "M = `128`"},
      {"tcgen05.mma.m128n64k16.f16.ue8m0", "ue8m0", "block scales need"},
      {"tcgen05.mma.m128n64k64.kind::mxf4.scale_vec::4X.e2m1", "4X", "`2X:ue8m0`"},
      {"tcgen05.mma.m128n64k64.kind::mxf4.e2m1.byte_id_a::1", "1", "`0` or `2`"},
      {"tcgen05.mma.m128n64k16.cta_group::3.f16", "3", "`1` or `2`"},
      {"ldmatrix.x3", "x3", "did you mean"},
      {"ldmatrix.trans", "ldmatrix.trans", "lacks the number of matrices"},
      {"ldmatrix.m16n16.x4.trans.b8", "x4", "`x1` or `x2`"},
      {"ldmatrix.m16n16.x1.b8", "m16n16", "always transposed"},
      {"ldmatrix.m8n16.x1.trans.b8x16.b4x16_p64", "trans", "never transposed"},
      {"ldmatrix.m8n16.x1.b8", "m8n16", "format of its source"},
      {"ldmatrix.x1.b8", "b8", "moves `b16`"},
      {"stmatrix.m8n8.x1.b16.b4x16_p64", "b4x16_p64", "is for `ldmatrix`"},
  };
  for (const auto &[name, part, message] : cases) {
    SourceRef source = Source::make("t", text("'", name, "'"));
    Result<Atom> atom = parseAtom(std::string_view(source->text()).substr(1, name.size()),
                                  Span{source, 1, 1 + static_cast<uint32_t>(name.size())});
    ASSERT_FALSE(atom) << name;
    const Diagnostic &error = atom.error().front();
    EXPECT_NE(error.message.find(message), std::string::npos) << name << ": " << error.message;
    EXPECT_EQ(source->text().substr(error.span.begin, error.span.end - error.span.begin), part) << name;
  }
  EXPECT_FALSE(parseAtom(std::string(100000, '.')));
  EXPECT_FALSE(parseAtom(text("mma.", std::string(300, 'm'))));
  EXPECT_FALSE(parseAtom("mma.m99999999999n8k16.f16"));
  EXPECT_FALSE(parseAtom("tcgen05.mma.m-128n-8k16.f16"));
}

TEST(Atom, AnyTextIsAnAtomOrAnErrorInIt) {
  std::mt19937 random(7);
  auto below = [&](size_t n) { return std::uniform_int_distribution<size_t>(0, n - 1)(random); };
  const std::string_view pieces[] = {
      "m",  "16", "n8", "k",     ".",          "::",     "x64",  "f16",          "sp", "ws",  "-1", "999999999999",
      "b1", "",   "d",  "trans", "selector::", "kind::", "e2m1", "cta_group::2", "b8", "\xff"};
  int read = 0;
  for (int round = 0; round < 20000; ++round) {
    std::string name = atoms()[below(atoms().size())].name;
    for (size_t edits = below(3) + 1; edits > 0 && !name.empty(); --edits) {
      size_t at = below(name.size());
      name.replace(at, below(4), pieces[below(std::size(pieces))]);
    }
    SourceRef source = Source::make("t", name);
    auto size = static_cast<uint32_t>(name.size());
    Result<Atom> atom = parseAtom(source->text(), Span{source, 0, size});
    if (!atom) {
      const Diagnostic &error = atom.error().front();
      ASSERT_FALSE(error.message.empty()) << name;
      ASSERT_LE(error.span.begin, error.span.end) << name;
      ASSERT_LE(error.span.end, size) << name;
      continue;
    }
    ++read;
    ASSERT_EQ(atomNamed(atom->name).name, atom->name) << name;
    for (const Operand &operand : atom->operands)
      if (!operand.fragments.empty()) {
        Foreign layout = *fragment(*atom, operand.name);
        ASSERT_TRUE(placement(layout, operand.shape, operand.bits)) << name << ' ' << operand.name;
      }
  }
  EXPECT_GT(read, 100); // some edits leave another name
}

TEST(Atom, FragmentsHaveTextThatReadsBack) {
  for (const Atom &atom : atoms())
    for (const Operand &operand : atom.operands) {
      Result<Foreign> layout = fragment(atom, operand.name);
      ASSERT_EQ(layout.has_value(), !operand.fragments.empty()) << atom.name << ' ' << operand.name;
      if (!layout) {
        EXPECT_NE(layout.error().front().message.find("descriptor"), std::string::npos);
        continue;
      }
      SourceRef source = Source::make("t", (*layout)->text());
      Scanner in(source);
      Result<Layout> read = parseFragment(in, nullptr);
      ASSERT_TRUE(read) << (*layout)->text();
      EXPECT_TRUE(in.atEnd());
      EXPECT_EQ(std::get<Foreign>(*read), *layout);
      EXPECT_EQ(languageOf(*read), "fragment");
    }
}

TEST(Atom, FragmentTextErrors) {
  const std::vector<std::tuple<std::string_view, std::string_view, std::string_view>> cases = {
      {"fragment(\"mma.m16n8k15.f16\", \"a\")", "m16n8k15", "no shape"},
      {"fragment(\"mma.m16n8k16.f16\", \"x\")", "x", "it has `a`, `b`, `c` or `d`"},
      {"fragment(\"wgmma.m64n8k16.f16\", \"b\")", "b", "shared memory"},
      {"fragment(mma, \"a\")", "mma", "in quotes"},
      {"fragment(\"mma\" \"a\")", "\"", "expected `,`"},
      {"fragment(\"mma.m16n8k16.f16, 'a')", "\"", "closing"},
      {"fragment(\"mma.m16n8k16.f16\", \"a\"", "", "expected `)`"},
      {"fragment(layout=\"mma.m16n8k16.f16\", \"a\")", "layout", "expected the name"},
      {"fragments(\"a\")", "f", "expected `fragment`"},
  };
  for (const auto &[written, part, message] : cases) {
    SourceRef source = Source::make("t", std::string(written));
    Scanner in(source);
    Result<Layout> read = parseFragment(in, nullptr);
    ASSERT_FALSE(read) << written;
    const Diagnostic &error = read.error().front();
    EXPECT_NE(error.message.find(message), std::string::npos) << written << ": " << error.message;
    EXPECT_EQ(source->text()
                  .substr(error.span.begin, std::max<size_t>(error.span.end - error.span.begin, part.size()))
                  .substr(0, part.size()),
              part)
        << written;
  }
  SourceRef source = Source::make("t", "fragment(atom = 'mma.m16n8k16.f16', operand = 'a',)");
  Scanner in(source);
  EXPECT_TRUE(parseFragment(in, nullptr));
}

TEST(Atom, FragmentsKeepToTheirShapeAndMemory) {
  Foreign a = *fragment("mma.m16n8k16.f16", "a");
  EXPECT_EQ(a->elementMap({16, 8}).error().front().kind, "fragment-shape");
  EXPECT_EQ(a->tmemMap({16, 16}, 16).error().front().kind, "layout-memory");
  EXPECT_EQ(a->addressMap({16, 16}, 16).error().front().kind, "layout-memory");
  EXPECT_EQ(a->bitwidth(), 16);
  Foreign d = *fragment("tcgen05.mma.m128n64k16.f32.f16", "d");
  EXPECT_EQ(d->elementMap({128, 64}).error().front().kind, "layout-memory");
  EXPECT_EQ(d->tmemMap({128, 64}, 64).error().front().kind, "tmem-bitwidth");
  Foreign both = *fragment("tcgen05.ld.32x32b.x4", "r");
  EXPECT_EQ(both->memories(), (std::vector<Memory>{Memory::Registers, Memory::Tmem}));
  EXPECT_TRUE(std::holds_alternative<TmemMap>(*placement(both, {128, 4}, 32, Memory::Tmem)));
  EXPECT_TRUE(std::holds_alternative<ElementMap>(*placement(both, {128, 4}, 32)));
}

TEST(Atom, EqualsTheCatalogue) {
  auto same = [](const ElementMap &mine, const TiledLayout &theirs) {
    Result<ElementMap> map = ElementMap::of(theirs, mine.shape());
    return map && map->threads() == mine.threads() && std::ranges::equal(map->elements(), mine.elements());
  };
  for (int n : {8, 64, 256}) {
    ElementMap d = mapOf(text("wgmma.m64n", n, "k16.f32.f16"), "d");
    EXPECT_TRUE(same(d, catalogue::wgmmaAcc32Bit())) << n;
    EXPECT_EQ(d.vector(), 1);
    ElementMap half = mapOf(text("wgmma.m64n", n, "k16.f16.f16"), "d");
    EXPECT_TRUE(same(half, catalogue::wgmma())) << n;
    EXPECT_EQ(half.vector(), 2);
  }
  EXPECT_TRUE(same(mapOf("wgmma.m64n8k16.bf16", "a"), catalogue::wgmma()));
  EXPECT_TRUE(same(mapOf("wgmma.m64n8k32.e4m3", "a"), catalogue::wgmma8Bit()));
  EXPECT_TRUE(same(mapOf("wgmma.m64n8k32.s8", "a"), catalogue::wgmma8Bit()));
  EXPECT_FALSE(same(mapOf("wgmma.m64n8k32.s8", "a"), catalogue::wgmma()));
  // Warp 0 of mma's layouts with four warps along M.
  for (const auto &[bits, name] : std::vector<std::pair<int, std::string_view>>{
           {4, "mma.m16n8k64.s4"}, {8, "mma.m16n8k32.e4m3"}, {16, "mma.m16n8k16.f16"}, {32, "mma.m16n8k8.tf32"}}) {
    catalogue::MmaLayouts theirs = *catalogue::mmaLayouts(bits);
    for (const auto &[operand, layout] : std::vector<std::pair<std::string_view, const TiledLayout *>>{
             {"a", &theirs.lhs}, {"b", &theirs.rhs}, {"d", &theirs.acc}}) {
      ElementMap mine = mapOf(name, operand);
      Shape shape = mine.shape();
      if (operand != "b")
        shape[0] *= 4;
      ElementMap map = *ElementMap::of(*layout, shape);
      EXPECT_TRUE(std::ranges::equal(mine.elements(), map.elements().first(mine.elements().size())))
          << name << ' ' << operand;
    }
  }
  // 32x32b gives one row per lane.
  for (int n : {4, 32, 128}) {
    EXPECT_TRUE(same(mapOf(text("tcgen05.ld.32x32b.x", n), "r"), *catalogue::tmemNative(2)));
    EXPECT_TRUE(same(mapOf(text("tcgen05.ld.32x32b.x", n, ".pack::16b"), "r"), *catalogue::tmemNative(2)));
  }
}

TEST(Atom, AccumulatorsInTensorMemoryEqualTheCatalogue) {
  auto same = [](const TmemMap &mine, const TMEMLayout &theirs) {
    Result<TmemMap> map = TmemMap::of(theirs, mine.shape(), mine.bitwidth());
    return map && map->columns() == mine.columns() && std::ranges::equal(map->elements(), mine.elements());
  };
  for (int n : {32, 128, 256}) {
    EXPECT_TRUE(
        same(cellsOf(text("tcgen05.mma.m128n", n, "k16.f32.f16"), "d"), *catalogue::inferTmem({128, n}, false, 1)));
    EXPECT_TRUE(
        same(cellsOf(text("tcgen05.mma.m128n", n, "k16.f16.f16"), "d"), *catalogue::inferTmem({128, n}, false, 1)));
    EXPECT_TRUE(same(cellsOf(text("tcgen05.mma.m256n", n, "k16.cta_group::2.f32.f16"), "d"),
                     *catalogue::inferTmem({128, n}, true, 1)));
    EXPECT_TRUE(same(cellsOf(text("tcgen05.mma.m128n", n, "k16.cta_group::2.f32.f16"), "d"),
                     *catalogue::inferTmem({64, n}, true, 1)));
  }
  EXPECT_TRUE(same(cellsOf("tcgen05.mma.m128n64k16.f32.f16", "a"), *catalogue::inferTmem({128, 16}, false, 2)));
  EXPECT_TRUE(same(cellsOf("tcgen05.mma.m128n64k32.s32.s8", "a"), *catalogue::inferTmem({128, 32}, false, 4)));
  // Layout E has layout B's lanes.
  EXPECT_TRUE(same(cellsOf("tcgen05.mma.ws.m64n128k16.f32.f16", "d"), *catalogue::inferTmem({64, 128}, true, 1)));
  // Mosaic's M = 64 is two instructions of N/2 columns, the second 16 lanes further on.
  TmemMap half = cellsOf("tcgen05.mma.m64n32k16.f32.f16", "d"),
          whole = *TmemMap::of(*catalogue::inferTmem({64, 64}, false, 1), {64, 64}, 32);
  for (int r = 0; r < 64; ++r)
    for (int c = 0; c < 64; ++c) {
      TmemCell cell = half.cells(r * 32 + c % 32).front();
      EXPECT_EQ(whole.cells(r * 64 + c), (std::vector<TmemCell>{{cell.lane + c / 32 * 16, cell.column, 0}}));
    }
  // CUTLASS mma_traits_sm100_frag.hpp: "1x4" (32,(N/4,4)):(1,(128,32)), half subpartitions ((16,4),N):((1,32),128),
  // addresses lane + 128*column.
  TmemMap quarters = cellsOf("tcgen05.mma.ws.m32n64k16.f32.f16", "d");
  for (int r = 0; r < 32; ++r)
    for (int c = 0; c < 64; ++c) {
      int address = r + c % 16 * 128 + c / 16 * 32, lower = r % 16 + r / 16 * 32 + c % 32 * 128;
      EXPECT_EQ(quarters.cells(r * 64 + c).front(), (TmemCell{address % 128, address / 128, 0}));
      EXPECT_EQ(half.cells(r * 32 + c % 32).front(), (TmemCell{lower % 128, lower / 128, 0}));
    }
}

TEST(Atom, SparseAndScaledOperandsInTensorMemory) {
  // CUTLASS mma_traits_sm100_frag.hpp, tmem_e_frg: (row, column before compression) -> lane + 128*bit; an index of a
  // 2:4 or 4:8 chunk is one bit of each of its columns, of tf32 two.
  struct Case {
    std::string_view name;
    int64_t rows[3][2], columns[2][2]; // size, stride
    int64_t columnsPerField, bitsPerColumn;
  };
  const std::vector<Case> cases = {
      {"tcgen05.mma.sp.m128n64k32.f32.f16", {{8, 1}, {2, 2048}, {8, 16}}, {{16, 128}, {2, 8}}, 2, 1},
      {"tcgen05.mma.sp.m256n64k32.cta_group::2.f32.bf16", {{8, 1}, {2, 2048}, {8, 16}}, {{16, 128}, {2, 8}}, 2, 1},
      {"tcgen05.mma.sp.m128n64k16.f32.tf32", {{8, 1}, {2, 1024}, {8, 16}}, {{8, 128}, {2, 8}}, 2, 2},
      {"tcgen05.mma.sp.m128n64k64.f32.e4m3", {{128, 1}, {1, 0}, {1, 0}}, {{64, 128}, {1, 0}}, 2, 1},
      {"tcgen05.mma.sp.m128n64k64.s32.s8", {{128, 1}, {1, 0}, {1, 0}}, {{64, 128}, {1, 0}}, 2, 1},
  };
  for (const Case &each : cases) {
    TmemMap map = cellsOf(each.name, "e");
    Shape shape = map.shape();
    int64_t fieldBits = map.bitwidth();
    ASSERT_EQ(shape[0], 128) << each.name;
    ASSERT_EQ(shape[1] * each.columnsPerField, each.columns[0][0] * each.columns[1][0]) << each.name;
    for (int64_t r = 0; r < shape[0]; ++r)
      for (int64_t f = 0; f < shape[1]; ++f) {
        int64_t column = f * each.columnsPerField, address = 0, row = r;
        for (const auto &[size, stride] : each.rows)
          address += row % size * stride, row /= size;
        for (const auto &[size, stride] : each.columns)
          address += column % size * stride, column /= size;
        int64_t bit = address / 128 * each.bitsPerColumn;
        ASSERT_EQ(map.cells(r * shape[1] + f),
                  (std::vector<TmemCell>{{static_cast<int32_t>(address % 128), static_cast<int32_t>(bit / 32),
                                          static_cast<int32_t>(bit % 32 / fieldBits)}}))
            << each.name << ' ' << r << ' ' << f;
      }
  }
  // Scales: the catalogue's layout of four for each row, of which the instruction takes some.
  TmemMap whole = *TmemMap::of(catalogue::scales(), {128, 4}, 8);
  for (const auto &[name, count, byte] : std::vector<std::tuple<std::string_view, int, int>>{
           {"tcgen05.mma.m128n128k32.kind::mxf8f6f4.f32.e4m3", 1, 0},
           {"tcgen05.mma.m128n128k32.kind::mxf8f6f4.f32.e4m3.byte_id_a::3.byte_id_b::3", 1, 3},
           {"tcgen05.mma.m128n128k64.kind::mxf4.f32.e2m1.byte_id_a::2.byte_id_b::2", 2, 2},
           {"tcgen05.mma.m128n128k64.kind::mxf4nvf4.block16.f32.e2m1", 4, 0}}) {
    TmemMap a = cellsOf(name, "scale_a"), b = cellsOf(name, "scale_b");
    ASSERT_EQ(a.shape(), (Shape{128, count}));
    ASSERT_EQ(b.shape(), (Shape{count, 128}));
    for (int i = 0; i < 128; ++i)
      for (int s = 0; s < count; ++s) {
        EXPECT_EQ(a.cells(i * count + s), whole.cells(i * 4 + byte + s)) << name;
        EXPECT_EQ(b.cells(s * 128 + i), whole.cells(i * 4 + byte + s)) << name;
      }
  }
  EXPECT_EQ(atomNamed("tcgen05.mma.m128n64k64.e2m1.kind::mxf4nvf4.scale_vec::4X.ue8m0").name,
            "tcgen05.mma.m128n64k64.kind::mxf4nvf4.scale_vec::4X.f32.e2m1.ue8m0");
  EXPECT_EQ(atomNamed("tcgen05.mma.sp.m64n64k32.f16").find("e"), nullptr); // the ISA has it as a picture only
}

/// What registers hold after loading an accumulator: [thread][value] -> element of D.
std::vector<int32_t> loaded(std::string_view load, const TmemMap &accumulator, int laneOffset) {
  ElementMap registers = mapOf(load, "r");
  TmemMap cells = cellsOf(load, "r");
  std::vector<int32_t> out;
  for (int32_t element : registers.elements()) {
    TmemCell cell = cells.cells(element).front();
    out.push_back(accumulator.element(cell.lane + laneOffset, cell.column, cell.sub));
  }
  return out;
}

TEST(Atom, LoadsOfAccumulatorsGiveRegisterLayouts) {
  // M = 64 on one CTA, read by 16x256b: WGMMA's accumulator.
  TmemMap d = cellsOf("tcgen05.mma.m64n64k16.f32.f16", "d");
  EXPECT_TRUE(std::ranges::equal(loaded("tcgen05.ld.16x256b.x8", d, 0),
                                 ElementMap::of(catalogue::wgmmaAcc32Bit(), {64, 64})->elements()));
  // 16-bit accumulators, packed on the way: two elements to a register.
  TmemMap narrow = cellsOf("tcgen05.mma.m64n64k16.f16.f16", "d");
  EXPECT_TRUE(std::ranges::equal(loaded("tcgen05.ld.16x128b.x8.pack::16b", narrow, 0),
                                 ElementMap::of(catalogue::wgmma(), {64, 64})->elements()));
  // M = 128: two loads, 16 lanes apart, are TCGEN05's row blocks {0, 1} and {2, 3}.
  TmemMap full = cellsOf("tcgen05.mma.m128n64k16.f32.f16", "d");
  ElementMap tcgen05 = *ElementMap::of(catalogue::tcgen05(), {128, 64});
  for (int half : {0, 1}) {
    std::vector<int32_t> registers = loaded("tcgen05.ld.16x256b.x8", full, 16 * half);
    for (int t = 0; t < 128; ++t)
      for (int v = 0; v < 32; ++v) // 8 column tiles x 2 row halves x pair
        ASSERT_EQ(registers[static_cast<size_t>(t * 32 + v)],
                  tcgen05.element(t, v / 4 * 4 + half * 2 + v / 2 % 2, v % 2));
  }
}

TEST(Atom, FeedsMultiplyAsMatricesDo) {
  for (std::string_view name : {"mma.m16n8k16.f16", "mma.m8n8k4.f64", "mma.m16n8k32.s32.s8.u8", "mma.m8n8k4.f16.f16"}) {
    Atom atom = atomNamed(name);
    ElementMap a = mapOf(name, "a"), b = mapOf(name, "b"), d = mapOf(name, "d");
    // Registers hold numbers that name their element; D is computed from what the feeds point at.
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

TEST(Atom, FeedsGoBothWays) {
  for (std::string_view name : {"mma.m16n8k8.f16", "mma.sp.m16n8k16.f16", "wgmma.m64n8k16.f32.f16",
                                "mma.m16n8k32.kind::mxf8f6f4.e4m3", "tcgen05.mma.m64n8k16.f32.f16", "mma.m8n8k4.f16"}) {
    Atom atom = atomNamed(name);
    const Operand &d = *atom.find("d");
    std::set<std::tuple<std::string, Shape, Shape>> forward, back;
    for (int64_t e = 0; e < elementCount(d.shape); ++e)
      for (const Feed &feed : *inputsOf(atom, "d", unravelIndex(e, d.shape)))
        forward.insert({feed.operand, feed.index, unravelIndex(e, d.shape)});
    for (const Operand &operand : atom.operands)
      if (operand.name != "d")
        for (int64_t e = 0; e < elementCount(operand.shape); ++e)
          for (const Feed &feed : *outputsOf(atom, operand.name, unravelIndex(e, operand.shape)))
            back.insert({operand.name, unravelIndex(e, operand.shape), feed.index});
    EXPECT_EQ(forward, back) << name;
    EXPECT_FALSE(forward.empty());
  }
}

TEST(Atom, FeedsOfTransfersAndErrors) {
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

TEST(Atom, ExplanationsComeToTheOwners) {
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
