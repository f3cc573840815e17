// CuTe's texts: every spelling, their meanings computed independently, errors at the wrong character, round trips.
#include "tests/unit/layouts/CuteSupport.h"

namespace lanescope::layouts::cute {
namespace {

/// The text that the first error marks, and its message.
std::string fault(std::string_view text) {
  Result<CuteLayout> layout = readCute(text);
  if (layout)
    return "read as " + layout->text();
  const Diagnostic &first = layout.error()[0];
  EXPECT_TRUE(first.span.source) << first.message;
  return std::string(text.substr(first.span.begin, first.span.end - first.span.begin)) + " <- " + first.message;
}

TEST(CuteNotation, CppPrintsAreReadAndPrintedAlike) {
  for (const char *text : {
           "(_8,_8):(_8,_1)",
           "(8,4):(1,8)",
           "(_4,3):(3,_1)",
           "((_2,4),_8):((_1,16),_2)",
           "_32:_1",
           "Sw<3,4,3>",
           "Sw<3,3,3> o _0 o (_8,_64):(_64,_1)",
           "Sw<3,4,3> o smem_ptr[16b](unset) o (_8,_64):(_64,_1)",
           "Sw<3,4,3> o smem_ptr[16b](unset) o ((_8,_16),(_64,_1),(_1,_4)):((_64,_512),(_1,_0),(_0,_8192))",
           "Sw<2,4,3> o smem_ptr[16b](unset) o (_32,_8):(_1,_32)",
           "(_128,_64):(_1@0,_1@1)",
           "tmem_[32b](0x0000.0000) o ((_128,_256),_1,_1):((_65536,_1),_0,_0)",
           "Sw<3,4,3> o smem_sparse<2>_ptr[8b](unset) o (_8,_64):(_64,_1)",
           "smem_ptr[16b](unset) o Sw<3,3,3> o _0 o (_8,_64):(_64,_1)",
           "(4,5):(1,4) o (2,1) o (2,3):(1@1,2@0)",
           "(_8:_2,_16:_1)",
           "LayoutC_TV: ((_4,_8),(_2,_2)):((_32,_1),(_16,_8))",
           "Tiler_MN: (_16,_8) LayoutC_TV: ((_4,_8),(_2,_2)):((_32,_1),(_16,_8))",
           "ThrID: (_4,_2):(_1,_16) Tiler_MN: (_8,_8) LayoutC_TV: ((_2,_2,_2),(_2,_2,_2)):((_1,_16,_4),(_8,_2,_32))",
       })
    EXPECT_EQ(read(text).text(), text);
}

TEST(CuteNotation, OtherSpellings) {
  for (auto [text, cpp] : std::initializer_list<std::pair<const char *, const char *>>{
           // bound pointers: the address is dropped
           {"gmem_ptr[32b]((nil)) o (8,16):(16,1)", "gmem_ptr[32b](unset) o (8,16):(16,1)"},
           {"Sw<3,4,3>_smem_ptr[16b](0x7f1200000400) o ((_256,_16),_1,_4):((_64,_1),_0,_16)",
            "Sw<3,4,3> o smem_ptr[16b](unset) o ((_256,_16),_1,_4):((_64,_1),_0,_16)"},
           {"ArithTuple(_0,_0) o (_128,_64):(_1@0,_1@1)", "(_128,_64):(_1@0,_1@1)"},
           {"ptr[8b](0x55) o _16:_1", "ptr[8b](unset) o _16:_1"},
           {"raw_ptr(0x00007f5e: f16, smem, align<128>, S<3,4,3>) o (8,64):(64,1)",
            "Sw<3,4,3> o smem_ptr[16b](unset) o (8,64):(64,1)"},
           {"tensor<ptr<f32, generic> o (100,?{div=8}):(?{i32 div=8},1)>",
            "ptr[32b](unset) o (100,?{div=8}):(?{i32 div=8},1)"},
           {"(_8:_2,_16)", "(_8:_2,_16:_1)"},
           {"(_,_8)", "(_,_8:_1)"},
           // CuTe DSL
           {"S<3,4,3> o 0 o (5,4):(4,1)", "Sw<3,4,3> o 0 o (5,4):(4,1)"},
           {"S<3,5,4> o 2 o (2,3):(1,2)", "Sw<3,5,4> o 2 o (2,3):(1,2)"},
           {"S<3,4,3> o 0 o ((5,4),(2,5)):((4,1),(20,40))", "Sw<3,4,3> o 0 o ((5,4),(2,5)):((4,1),(20,40))"},
           {"(?,2):(1,?)", "(?,2):(1,?)"},
           {"(?{div=2},4,16,2):(2,?{div=4},?{div=16},1)", "(?{div=2},4,16,2):(2,?{div=4},?{div=16},1)"},
           {"?{i64}", "?{i64}:1"},
           {"(4, 2) : (1, ?{i64 div=4})", "(4,2):(1,?{i64 div=4})"},
           // MLIR types
           {"!cute.layout<\"(4,8):(1,4)\">", "(4,8):(1,4)"},
           {"!cute.layout<\"(4,2)\">", "(4,2):(1,4)"},
           {"!cute.composed_layout<\"S<3,5,4> o 0 o (8,4):(1,8)\">", "Sw<3,5,4> o 0 o (8,4):(1,8)"},
           {"!cute.composed_layout<\"(4,5):(1,4) o (2,1) o (2,3):(1@1,2@0)\">",
            "(4,5):(1,4) o (2,1) o (2,3):(1@1,2@0)"},
           {"!cute.swizzle<\"S<3,5,4>\">", "Sw<3,5,4>"},
           {"!cute.tile<\"[(4,8):(1,4);_;(2,3):(1,2)]\">", "((4,8):(1,4),_,(2,3):(1,2))"},
           {"!cute.tile<\"[[3:1];4:1]\">", "([3:1],4:1)"},
           {"!cute.shape<\"(?,64)\">", "(?,64):(1,?)"},
           {"!cute.memref<f16, smem, align<128>, S<3,4,3>, \"(8,64):(64,1)\">",
            "Sw<3,4,3> o smem_ptr[16b](unset) o (8,64):(64,1)"},
           // C++ types and calls
           {"Layout<Shape<Shape<_4,_8>,Shape<_2,_2>>, Stride<Stride<_32,_1>,Stride<_16,_8>>>",
            "((_4,_8),(_2,_2)):((_32,_1),(_16,_8))"},
           {"cute::Layout<cute::Shape<cute::Int<12>, cute::C<8>>>{}", "(_12,_8):(_1,_12)"},
           {"Layout<_3,_4>{}", "_3:_4"},
           {"Layout<Shape<int,_8>,Stride<_8,_1>>", "(?,_8):(_8,_1)"},
           {"Layout<Shape<int64_t,_8>,Stride<_8,_1>>", "(?{i64},_8):(_8,_1)"},
           {"Layout<tuple<constant<int,4>,_2>,Stride<ScaledBasis<_1,0>,ScaledBasis<Int<3>,1,2>>>",
            "(_4,_2):(_1@0,_3@2@1)"},
           {"Swizzle<3,4,3>{}", "Sw<3,4,3>"},
           {"composition(Swizzle<3,3,3>{}, Layout<Shape<_8,_64>,Stride<_64,_1>>{})",
            "Sw<3,3,3> o _0 o (_8,_64):(_64,_1)"},
           {"composition(Layout<Shape<_6,_2>,Stride<_8,_2>>{}, Layout<Shape<_4,_3>,Stride<_3,_1>>{})",
            "((_2,_2),_3):((_24,_2),_8)"},
           {"ComposedLayout<Swizzle<3,4,3>, smem_ptr_flag_bits<16>, Layout<Shape<_8,_64>,Stride<_64,_1>>>",
            "Sw<3,4,3> o smem_ptr[16b](unset) o (_8,_64):(_64,_1)"},
           {"make_layout(make_shape(Int<8>{}, 4), make_stride(4, Int<1>{}))", "(_8,4):(4,_1)"},
           {"cute.make_layout((4, 8), stride=(8, 1))", "(4,8):(8,1)"},
           {"make_layout(Layout<_4,_1>{}, Layout<_2,_4>{})", "(_4,_2):(_1,_4)"},
           {"make_tile(Layout<_3,_4>{}, Layout<_8,_2>{})", "(_3:_4,_8:_2)"},
           // tensor-layouts, niyunsheng, kainzhong, TLX, TileLang
           {"(4, 8) : (1, 4)", "(4,8):(1,4)"},
           {"(Swizzle(3, 0, 3)) o ((8, 8) : (8, 1))", "Sw<3,0,3> o _0 o (8,8):(8,1)"},
           {"((4, 8) : (1, 4)) o {4} o ((2, 2) : (1, 2))", "(4,8):(1,4) o 4 o (2,2):(1,2)"},
           {"Layout((4, 2), (1, 4))", "(4,2):(1,4)"},
           {"Layout((8, 8), (8, 1), swizzle=Swizzle(3, 0, 3))", "Sw<3,0,3> o _0 o (8,8):(8,1)"},
           {"ComposedLayout(Layout((4, 8), (1, 4)), Layout(4, 2), preoffset=4)", "(4,8):(1,4) o 4 o 4:2"},
           {"(12,(4,8)):(59,(13,1))", "(12,(4,8)):(59,(13,1))"},
           {"(4,(2,3))", "(4,(2,3)):(1,(4,8))"},
           {"Swizzle<2,1,5> o (_32,_32):(_32,_1)", "Sw<2,1,5> o _0 o (_32,_32):(_32,_1)"},
           {"Sw<3,4,3> \xE2\x88\x98 4 \xE2\x88\x98 (128,64):(64,1)", "Sw<3,4,3> o 4 o (128,64):(64,1)"},
           {"(128,64):(1@0,1@1)", "(128,64):(1@0,1@1)"},
       }) {
    EXPECT_EQ(read(text).text(), cpp) << text;
    EXPECT_TRUE(looksLikeCute(text)) << text;
    EXPECT_EQ(read(read(text).text()).text(), cpp) << text;
  }
  EXPECT_EQ(cppText(tiler("3:4\n8:2")), "(3:4,8:2)"); // kainzhong writes one mode per line
  for (const char *other : {"WGMMA", "TiledLayout(tiling=…)", "#ttg.blocked<{}>", "S[(8,4):(1@laneid,1)]",
                            "local(2, 1)", "Layout((16, 16) -> (8,), transform: i)", "(local(2) * spatial(4))", ""})
    EXPECT_FALSE(looksLikeCute(other)) << other;
}

TEST(CuteNotation, ErrorsPointAtTheOffence) {
  for (auto [text, wanted] : std::initializer_list<std::pair<const char *, const char *>>{
           {"(4,8):(1,4", " <- expected `)` in the tuple, found the end"},
           {"(4,8):(1,4))", ") <- expected the end of the layout, found `)`"},
           {"(4,8):(1;4)", "; <- expected `)` in the tuple, found `;`"},
           {"(4,0):(1,4)", "0 <- expected a size of at least 1, not 0"},
           {"(4,-8)", "-8 <- expected a size of at least 1, not -8"},
           {"(4,2@0):(1,4)", "2@0 <- expected a size; `@` belongs to strides"},
           {"(4,(2,2)):(1,4)", "4 <- expected 2 strides in parentheses for the shape `(2,2)`, found `4`"},
           {"(4,8):(1,4,2)", "(1,4,2) <- expected 2 strides in parentheses for the shape `(4,8)`, found `(1,4,2)`"},
           {"4:(1,4)", "(1,4) <- expected one stride for the shape `4`, found `(1,4)`"},
           {"(4,_):(1,4)", "_ <- expected a size; `_` stands for a whole mode in a tile"},
           {"(4,8):(1,_)", "_ <- expected a stride, not `_`"},
           {"(4,8):(1,x)", "x <- expected a layout, a swizzle or a pointer of CuTe, found `x`"},
           {"(4,8):(1,4):2", ": <- expected the end of the layout, found `:`"},
           {"Sw<3,4>", "Sw<3,4> <- expected the three numbers B, M, S of a swizzle, found 2"},
           {"Sw<3,4,2>",
            "Sw<3,4,2> <- a swizzle of 3 bits needs a shift of at least that, not 2: the bits that it reads "
            "and those that it changes must not overlap"},
           {"Sw<3,4,x>", "x <- expected an integer, found `x`"},
           {"Sw<3,4,3> o", " <- expected a layout: an integer, `(`, a swizzle or a pointer, found the end"},
           {"Sw<3,4,3> o Sw<3,4,3> o 4:1", "Sw<3,4,3> <- expected an offset: an integer or a tuple of them"},
           {"Sw<3,4,3> o ? o 4:1", "? <- expected an offset of known integers"},
           {"smem_ptr[16b](unset) o 4 o smem_ptr[16b](unset) o 4:1",
            "smem_ptr[16b](unset) <- expected an offset; a pointer stands first, or right after a swizzle"},
           {"smem_ptr[16b](unset)", "smem_ptr[16b](unset) <- expected `o` and a layout after the pointer"},
           {"smem_ptr[16](unset) o 4:1", "] <- expected `b`, for bits, found `]`"},
           {"smem_prt[16b](unset) o 4:1", "s <- expected a pointer such as `smem_ptr[16b](unset)`, found `s`"},
           {"?{div=0}:1", "0 <- a divisor is a positive integer"},
           {"?{dib=4}:1", "d <- expected `i32`, `i64`, `div=n` or `}`, found `d`"},
           {"!cute.coord<\"(1,2)\">", "!cute.coord <- `!cute.coord` is not the type of a layout"},
           {"!cute.layuot<\"4:1\">",
            "l <- expected `layout`, `composed_layout`, `swizzle`, `tile`, `shape` or `memref`, found `l`"},
           {"!cute.layout<\"4:1>", "> <- expected `\"` in the type, found `>`"},
           {"Layout<Shape<_4,_8>,Stride<_1>>",
            "Stride<_1> <- expected 2 strides in parentheses for the shape `(4,8)`, found `(1)`"},
           {"Layout<Shape<_4,_8>,Stride<_1,_4>", " <- expected `>` in the arguments of `Layout`, found the end"},
           {"99999999999999999999:1", "99999999999999999999 <- the number does not fit 64 bits"},
           {"(1152921504606846976,2)",
            "(1152921504606846976,2) <- the shape `(1152921504606846976,2)` is too large: sizes "
            "up to 2^60 are supported"},
           {"4:1@999", "999 <- modes count from 0 to 255"},
           {"LayoutX_TV: 4:1", "L <- expected a layout, a swizzle or a pointer of CuTe, found `L`"},
           {"LayoutC_TV: (4,8):(1,4) LayoutC_TV: 4:1", "LayoutC_TV <- `LayoutC_TV` is there twice"},
           {"MMA_Atom ThrID: 32:1", "MMA_Atom ThrID: 32:1 <- the printout has no (thread, value) layout such as "
                                    "`LayoutC_TV: …`"},
           {"MMA_Atom Shape_MNK: (16,8) LayoutC_TV: 4:1",
            "(16,8) LayoutC_TV: 4:1 <- expected the three sizes (M,N,K) of the atom"},
           {"MMA_Atom Shape_MNK (16,8,8)", "( <- expected `:` in `Shape_MNK`, found `(`"},
       })
    EXPECT_EQ(fault(text), wanted) << text;
  std::string deep;
  for (int n = 0; n < 100; ++n)
    deep += "(";
  EXPECT_NE(fault(deep + "1").find("expected at most 24 levels of nesting"), std::string::npos);
}

TEST(CuteNotation, GeneratedLayoutsRoundTrip) {
  Random random(7);
  auto bare = [](const CuteLayout &layout, bool isStatic) {
    Parts parts = layout.parts();
    if (parts.plain)
      parts.plain = Layout{withStatic(parts.plain->shape, isStatic), withStatic(parts.plain->stride, isStatic)};
    if (auto *outer = std::get_if<Layout>(&parts.outer))
      *outer = Layout{withStatic(outer->shape, isStatic), withStatic(outer->stride, isStatic)};
    if (parts.offset)
      parts.offset = withStatic(*parts.offset, isStatic);
    return *CuteLayout::make(parts);
  };
  int types = 0;
  for (int n = 0; n < 12000; ++n) {
    Parts parts;
    parts.plain = randomLayout(random, true, 3);
    std::vector<IntTuple *> strides;
    auto collect = [&](auto &&self, IntTuple &tuple) -> void {
      if (!tuple.isTuple)
        strides.push_back(&tuple);
      for (IntTuple &item : tuple.items)
        self(self, item);
    };
    collect(collect, parts.plain->stride);
    switch (n % 6) {
    case 0: break;
    case 1:
      parts.outer = Swizzle{static_cast<int>(random() % 4), static_cast<int>(random() % 5), n % 4 ? 4 : -4};
      parts.offset = IntTuple(static_cast<int64_t>(random() % 9), random() % 2 == 0);
      break;
    case 2:
      parts.outer = Swizzle{3, 4, 3};
      parts.engine = Engine{Engine::Kind::Smem, 16, 0};
      parts.swizzlesAddress = true;
      break;
    case 3:
      for (IntTuple *stride : strides)
        for (uint64_t k = random() % 3; k-- > 0;)
          stride->leaf.basis.push_back(static_cast<int>(random() % 3));
      break;
    case 4:
      parts.outer = randomLayout(random);
      parts.offset = IntTuple(static_cast<int64_t>(random() % 9));
      break;
    case 5:
      for (IntTuple *stride : strides)
        if (random() % 2)
          *stride = Leaf{.kind = Leaf::Kind::Unknown,
                         .width = static_cast<uint8_t>(random() % 2 * 64),
                         .value = 1 + static_cast<int64_t>(random() % 4)};
      break;
    }
    Result<CuteLayout> made = CuteLayout::make(parts);
    ASSERT_TRUE(made) << render(made.error());
    std::string cpp = *cuteText(*made, CuteStyle::Cpp), dsl = *cuteText(*made, CuteStyle::Dsl);
    ASSERT_EQ(read(cpp), *made) << cpp;
    ASSERT_EQ(read(dsl), bare(*made, false)) << dsl;
    ASSERT_TRUE(looksLikeCute(cpp) && looksLikeCute(dsl)) << cpp;
    if (n % 6 == 5)
      continue; // `int` in a type loses the divisor and, in C++, which `?` it is
    Result<std::string> type = cuteText(*made, CuteStyle::Type);
    ASSERT_TRUE(type) << render(type.error());
    ASSERT_EQ(read(*type), bare(*made, true)) << *type;
    ++types;
  }
  EXPECT_EQ(types, 10000);
  // The type has no width.
  EXPECT_FALSE(cuteText(read("!cute.memref<f, smem, S<3,4,3>, \"(8,4):(4,1)\">"), CuteStyle::Type));
  EXPECT_EQ(cuteText(read("gmem_ptr[32b](unset) o (8,16):(16,1)"), CuteStyle::Type).error()[0].message,
            "`gmem_ptr[32b](unset) o (8,16):(16,1)` is a tensor; as a type there is only its layout, "
            "`Layout<Shape<_8,_16>,Stride<_16,_1>>`");
}

} // namespace
} // namespace lanescope::layouts::cute
