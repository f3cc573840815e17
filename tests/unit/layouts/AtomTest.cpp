// Instructions by name, their errors, and what their fragments have in common.
#include "tests/unit/layouts/FragmentSupport.h"

#include "layouts/notation/FragmentNotation.h"
#include "layouts/Placement.h"
#include "layouts/support/Text.h"

#include <algorithm>
#include <map>
#include <random>
#include <set>

using namespace lanescope;
using namespace lanescope::layouts;

namespace {

/// More atoms than the list has: other sizes of the open families.
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
        // With 64 rows in each CTA of a pair, A is stored twice (CUTLASS, TmemAllocMode::Duplicated).
        bool twice = atom.name.find("m128n128k16.cta_group::2") != std::string::npos && operand.name == "a";
        bool quarters = each.memory == Memory::Tmem && operand.name.starts_with("scale"); // one copy for each warp
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
    if (atom.instruction != Instruction::TmemMma) { // the PTX name of TmemMma has no sizes
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
  EXPECT_EQ(atomNamed("wgmma.m64n48k32.s32.s8.u8").name, "wgmma.m64n48k32.s32.s8.u8");
  EXPECT_EQ(atomNamed("tcgen05.mma.m128n256.f16").name, "tcgen05.mma.m128n256k16.f32.f16");
  EXPECT_EQ(atomNamed("tcgen05.mma.m256n256k96.cta_group::2.kind::mxf4.e2m1").k, 96);
  EXPECT_EQ(atomNamed("ldmatrix.sync.aligned.m8n8.x4.trans.shared::cta.b16").name, "ldmatrix.x4.trans");
}

TEST(Atom, ErrorsSayWhichPartIsWrong) {
  const std::vector<std::tuple<std::string_view, std::string_view, std::string_view>> cases = {
      // name, the part that the error points at, a part of the message
      {"mmma.m16n8k16.f16", "mmma", "no instruction with fragments"},
      {"", "", "no instruction"},
      {"mma.m16n8k15.f16", "m16n8k15", "there is `m8n8k4`, `m16n8k8` or `m16n8k16`"},
      {"mma.m16n8k16.f17", "f17", "did you mean `f16`"},
      {"mma.m16n8k16", "mma.m16n8k16", "lacks the types"},
      {"mma.f16", "mma.f16", "lacks the sizes"},
      {"mma.m16n8k16.s4", "m16n8k16", "`m16n8k32`"},
      {"mma.m16n8k16.f32.f16.bf16.f32", "bf16", "not multiplied together"},
      {"mma.m16n8k16.f16.bf16", "f16", "does not sum products of `bf16` in `f16`; there is `f32`"},
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
      {"wgmma.m64n40k32.s8", "m64n40k32", "N = 8, 24 or a multiple of 16 up to 256, not 40"},
      {"wgmma.m64n64k16.f32.e4m3", "m64n64k16", "K = 32, not 16"},
      {"wgmma.m64n64k32.s8.u8", "s8", "does not sum products of `u8` in `s8`; there is `s32`"},
      {"wgmma.m64n64k32.s32.s8.e4m3", "e4m3", "not multiplied together by `wgmma`; B must be `s8` or `u8`"},
      {"wgmma.m64n64k256.satfinite.b1", "satfinite", "is for integers of 4 and 8 bits"},
      {"wgmma.sp.m64n64k256.b1", "b1", "does not multiply"},
      {"wgmma.m64n64k16.f64", "f64", "does not multiply"},
      {"tcgen05.ld.16x512b.x1", "16x512b", "did you mean"},
      {"tcgen05.ld.16x256b", "tcgen05.ld.16x256b", "lacks the repeat"},
      {"tcgen05.ld.x8", "tcgen05.ld.x8", "lacks the shape"},
      {"tcgen05.ld.16x256b.x64", "x64", "at most 32 times"},
      {"tcgen05.ld.32x32b.x2.unpack::16b", "unpack::16b", "takes `pack::16b`"},
      {"tcgen05.ld.red.32x32b.x2.min.f32", "red", "not supported"},
      {"tcgen05.cp.x1", "tcgen05.cp.x1", "`tcgen05.ld`"},
      {"tcgen05.mma.m96n64k16.f16", "m96n64k16", "M = 64 or 128, not 96"},
      {"tcgen05.mma.m128n12k16.f16", "m128n12k16", "a multiple of 8"},
      {"tcgen05.mma.m128n64k32.f16", "m128n64k32", "K = 16"},
      {"tcgen05.mma.ws.m64n96k16.f16", "m64n96k16", "64, 128 or 256"},
      {"tcgen05.mma.ws.m64n64k16.cta_group::2.f16", "ws", "no `tcgen05.mma.ws` on two CTAs"},
      {"tcgen05.mma.m64n64k64.e2m1.kind::mxf4", "m64n64k64", "M = 128, not 64"},
      {"tcgen05.mma.m128n64k16.f16.ue8m0", "ue8m0", "block scales need"},
      {"tcgen05.mma.m128n64k64.kind::mxf4.scale_vec::4X.e2m1", "4X", "`scale_vec::2X` with `ue8m0`"},
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
  EXPECT_GT(read, 100); // some edits give another atom's name
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

} // namespace
