// The kinds that the scanners give to the pieces of a line, one language at a time.
#include "viz/scene/Syntax.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

using namespace lanescope::viz;

namespace {

/// "value:%p1 operation:ld.global.b32 …"
std::string scanned(Language language, std::string_view line, SyntaxState state = 0) {
  constexpr const char *kNames[kSyntaxKinds] = {"keyword", "operation", "type",      "value", "number",
                                                "string",  "comment",   "directive", "label"};
  std::vector<SyntaxToken> tokens;
  scanLine(language, line, state, tokens);
  std::string out;
  for (const SyntaxToken &token : tokens)
    out += (out.empty() ? "" : " ") + std::string(kNames[static_cast<size_t>(token.kind)]) + ":" +
           std::string(line.substr(token.begin, token.end - token.begin));
  return out;
}

} // namespace

TEST(Syntax, Python) {
  EXPECT_EQ(scanned(Language::Python, "@kernel(grid=(4,))"), "directive:@kernel number:4");
  EXPECT_EQ(scanned(Language::Python, "    def f(x: f16, n=2.5e-3):  # half"),
            "keyword:def operation:f type:f16 number:2.5e-3 comment:# half");
  EXPECT_EQ(scanned(Language::Python, "y = 'a # \\' b' + load(x[0x1F])"),
            "string:'a # \\' b' operation:load number:0x1F");
  EXPECT_EQ(scanned(Language::Python, "return None"), "keyword:return keyword:None");
}

TEST(Syntax, Mlir) {
  EXPECT_EQ(
      scanned(Language::Mlir, "  %0 = arith.addf %a, %b#1 : vector<64x16xf32> // sum"),
      "value:%0 operation:arith.addf value:%a value:%b number:1 type:vector number:64x16 type:f32 comment:// sum");
  EXPECT_EQ(scanned(Language::Mlir, "^bb1(%x: i32): func.func @main attributes {a = #map}"),
            "label:^bb1 value:%x type:i32 operation:func.func value:@main keyword:attributes directive:#map");
  EXPECT_EQ(scanned(Language::Mlir, "\"a.b\"(%1) {c = \"d\"}"), "operation:\"a.b\" value:%1 string:\"d\"");
  EXPECT_EQ(scanned(Language::Mlir, "%c-1_i32 -> i1"), "value:%c-1_i32 type:i1");
  EXPECT_EQ(scanned(Language::Mlir, "!mosaic_gpu.barrier, \"a\\\"b\", -4"),
            "directive:!mosaic_gpu.barrier string:\"a\\\"b\" number:4");
}

TEST(Syntax, Llvm) {
  EXPECT_EQ(scanned(Language::Llvm, "  %3 = fadd contract float %1, 2.000000e+00, !dbg !7 ; x"),
            "value:%3 operation:fadd keyword:contract type:float value:%1 number:2.000000e+00 directive:!dbg number:7 "
            "comment:; x");
  EXPECT_EQ(scanned(Language::Llvm, "12:"), "number:12");
  EXPECT_EQ(scanned(Language::Llvm, "loop.body:  ; preds"), "label:loop.body comment:; preds");
  EXPECT_EQ(scanned(Language::Llvm, "define ptx_kernel void @k(ptr %p) #0 {"),
            "keyword:define keyword:ptx_kernel type:void value:@k type:ptr value:%p number:0");
}

TEST(Syntax, Ptx) {
  EXPECT_EQ(scanned(Language::Ptx, "\t@!%p1 ld.global.v2.b32 \t{%r1, %r2}, [%rd6+1024]; // x"),
            "value:%p1 operation:ld.global.v2.b32 value:%r1 value:%r2 value:%rd6 number:1024 comment:// x");
  EXPECT_EQ(scanned(Language::Ptx, "$L__BB0_1: // loop"), "label:$L__BB0_1 comment:// loop");
  EXPECT_EQ(scanned(Language::Ptx, "\t.reg .b32 %r<12>;"), "directive:.reg directive:.b32 value:%r number:12");
  EXPECT_EQ(scanned(Language::Ptx, "{ mov.u32 now, %clock; add.f32 %f1, %f2, 0f3F800000; }"),
            "operation:mov.u32 value:%clock operation:add.f32 value:%f1 value:%f2 number:0f3F800000");
  EXPECT_EQ(scanned(Language::Ptx, "cvta.to.global.u64 %rd1, %rd2;"),
            "operation:cvta.to.global.u64 value:%rd1 value:%rd2");
  EXPECT_EQ(scanned(Language::Ptx, "cp.async.bulk.tensor.2d.shared::cluster.global [%r1], [%rd1, {%r2}];"),
            "operation:cp.async.bulk.tensor.2d.shared::cluster.global value:%r1 value:%rd1 value:%r2");
}

TEST(Syntax, Sass) {
  EXPECT_EQ(scanned(Language::Sass, "        /*0010*/              @!P0 IMAD.MOV.U32 R1, RZ, c[0x0][0x28], UR4 ;"),
            "comment:/*0010*/ value:P0 operation:IMAD.MOV.U32 value:R1 keyword:RZ number:0x0 number:0x28 value:UR4");
  EXPECT_EQ(scanned(Language::Sass, ".L_x_1:"), "label:.L_x_1");
  EXPECT_EQ(scanned(Language::Sass, "S2R R5, SR_TID.X ;"), "operation:S2R value:R5 value:SR_TID.X");
}

TEST(Syntax, OverSeveralLines) {
  EXPECT_EQ(syntaxStates(Language::Python, "a\n\"\"\"one\ntwo\"\"\" + 1\nb"),
            (std::vector<SyntaxState>{0, 0, 2, 0, 0}));
  EXPECT_EQ(scanned(Language::Python, "two\"\"\" + 1", 2), "string:two\"\"\" number:1");
  EXPECT_EQ(scanned(Language::Ptx, "still */ ret;", 1), "comment:still */ operation:ret");
  EXPECT_EQ(syntaxStates(Language::Mlir, "\"\"\"\n/*\n"), (std::vector<SyntaxState>{0, 0, 0}));
}

TEST(Syntax, ByName) {
  EXPECT_EQ(languageOf("double.py"), Language::Python);
  EXPECT_EQ(languageOf("laid-out"), Language::Mlir);
  EXPECT_EQ(languageOf("k.ptx"), Language::Ptx);
  EXPECT_EQ(languageOf("notes.txt"), Language::Plain);
  EXPECT_EQ(scanned(Language::Plain, "def f(): # 1"), "");
}

// For any bytes, tokens lie inside the line and in order, and every line ends.
TEST(Syntax, TakesAnything) {
  std::string letters = "a%@#!.^$\"'\\/*;:(){}[]0x9e+- \t\x80\xff~,<>=";
  uint32_t seed = 1;
  for (int n = 0; n < 20000; ++n) {
    std::string line;
    for (uint32_t size = (seed = seed * 1664525 + 1013904223) >> 27; line.size() < size;)
      line += letters[((seed = seed * 1664525 + 1013904223) >> 16) % letters.size()];
    for (Language language :
         {Language::Plain, Language::Python, Language::Mlir, Language::Llvm, Language::Ptx, Language::Sass}) {
      std::vector<SyntaxToken> tokens;
      scanLine(language, line, static_cast<SyntaxState>(n % 4), tokens);
      uint32_t last = 0;
      for (const SyntaxToken &token : tokens) {
        ASSERT_LE(last, token.begin) << line;
        ASSERT_LE(token.begin, token.end) << line;
        ASSERT_LE(token.end, line.size()) << line;
        last = token.end;
      }
    }
  }
}
