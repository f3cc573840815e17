// Which texts are PTX at all, as ptxas (CUDA 13.0) decides it.
#include "core/gpu/emulator/ptx/PtxParser.h"
#include "core/gpu/kernel/PtxArchitectures.h"
#include "layouts/support/Text.h"
#include "tests/unit/emulator/EmulatorSupport.h"

#include <gtest/gtest.h>

namespace lanescope::core::emulator {
namespace {

constexpr char kHead[] = ".version 8.0\n.target sm_90a\n.address_size 64\n";

std::string module(std::string_view body) { return text(kHead, body); }
std::string entry(std::string_view body, std::string_view parameters = "") {
  return module(text(".visible .entry k(", parameters, ")\n{\n", body, "\nret;\n}\n"));
}

/// The first error and the text at its place, such as "`%r` is declared twice here @%r"; empty if there is none.
std::string problem(std::string ptx) {
  Result<Module> parsed = parsePtx(Source::make("k.ptx", std::move(ptx)));
  if (parsed)
    return "";
  const Diagnostic &first = parsed.error().front();
  return text(first.message, " @",
              first.span.source->text().substr(first.span.begin, first.span.end - first.span.begin));
}

#define EXPECT_PROBLEM(ptx, part) EXPECT_NE(problem(ptx).find(part), std::string::npos) << problem(ptx)

TEST(PtxSyntax, BeginsWithItsVersionAndTarget) {
  const std::string kernel = ".visible .entry k(){ret;}\n";
  EXPECT_EQ(problem(kHead), "");
  EXPECT_EQ(problem("// nvcc\n/* */ .version 8.00\n.target sm_90a\n" + kernel), "");
  EXPECT_EQ(problem(".version 1.0\n.target sm_10\n" + kernel), "");
  EXPECT_EQ(problem(".version 8.0\n.target sm_90a, debug, texmode_independent\n" + kernel), "");
  EXPECT_EQ(problem(".version 8.0\n.target sm_90a\n.target sm_80\n" + kernel), "");
  EXPECT_EQ(problem(".version 9.7\n.target sm_90a\n" + kernel), ""); // a later version
  EXPECT_PROBLEM("", "PTX begins with `.version`");
  EXPECT_PROBLEM(kernel, "PTX begins with `.version`");
  EXPECT_PROBLEM(".target sm_90a\n.version 8.0\n" + kernel, "PTX begins with `.version`");
  EXPECT_PROBLEM(".version 8.0\n.address_size 64\n" + kernel, "expected `.target` after `.version`");
  EXPECT_PROBLEM(".version 8.0\n.version 8.0\n.target sm_90a\n" + kernel, "expected `.target` after `.version`");
  for (const char *version : {"8", "-8.0", "0.5", "8.9", "7.9", "8.", ".8", "8.0.0", "8.0x", "", "eight", "1e1.0"})
    EXPECT_NE(problem(text(".version ", version, "\n.target sm_90a\n", kernel)), "") << version;
  for (const char *directive : {".version 8.0", ".target sm_90a", ".address_size 64"})
    EXPECT_PROBLEM(text(kHead, kernel, directive, "\n"), "belongs at the beginning, once");
  EXPECT_PROBLEM(text(kHead, ".address_size 64\n"), "belongs at the beginning, once");
  EXPECT_PROBLEM(".version 8.0\n.target sm_90a\n.address_size 32\n", "only `.address_size 64` can be run");
}

TEST(PtxSyntax, NamesAnArchitecture) {
  auto of = [](std::string_view target, std::string_view version = "9.0") {
    return problem(text(".version ", version, "\n.target ", target, "\n"));
  };
  for (const PtxArchitecture &architecture : ptxArchitectures()) {
    EXPECT_EQ(of(architecture.name), "") << architecture.name;
    EXPECT_EQ(of(architecture.name, ptxVersionText(architecture.since)), "") << architecture.name;
  }
  for (const char *none : {"sm_1", "sm_0", "sm_", "sm", "sm_9", "sm_90b", "sm_90f", "sm_90aa", "SM_90a", "sm_999",
                           "sm_1000", "compute_90", "x", "90"})
    EXPECT_NE(of(none), "") << none;
  EXPECT_EQ(of("sm_1"), "`sm_1` is no architecture; did you mean `sm_10`? @sm_1");
  EXPECT_PROBLEM(".version 8.0\n.target sm_100a\n", "`sm_100a` needs `.version 8.6` or a later one @sm_100a");
  EXPECT_PROBLEM(".version 8.0\n.target sm_90a, fast\n", "such as `debug`, not `fast` @fast");
  EXPECT_PROBLEM(".version 8.0\n.target debug\n", "takes an architecture such as `sm_90a`, not `debug`");
}

TEST(PtxSyntax, DeclaresANameOnceInAScope) {
  auto twice = [](const std::string &body, std::string_view parameters = "") {
    std::string said = problem(entry(body, parameters));
    return said.find("is declared twice here") != std::string::npos;
  };
  EXPECT_EQ(problem(entry(".reg .b32 %r;\n.reg .b32 %r;")), "`%r` is declared twice here @%r");
  for (const char *body :
       {".reg .b32 %r, %r;", ".reg .b32 %r; .reg .b64 %r;", ".reg .b32 %r<4>; .reg .b32 %r<8>;",
        ".reg .b32 %r<4>; .reg .b32 %r2;", ".reg .b32 %r2; .reg .b32 %r<4>;", ".reg .b32 %r12; .reg .b32 %r1<4>;",
        ".reg .v2 .b32 %v; .reg .b32 %v;", ".reg .b32 x; .shared .b32 x;", ".shared .b32 x; .local .b32 x;",
        ".param .b32 x; .param .b32 x;", "L: bra L; L: ret;", ".reg .b32 L; L: bra L;", ".shared .b32 L; L: bra L;",
        "L: ret; T: .branchtargets L; T: .branchtargets L;", "T: .callprototype _ (); T: .callprototype _ ();",
        "{ .reg .b32 x; .reg .b32 x; }"})
    EXPECT_TRUE(twice(body)) << body << problem(entry(body));
  EXPECT_TRUE(twice(".reg .b32 p;", ".param .b32 p"));
  EXPECT_TRUE(twice("p: bra p;", ".param .b32 p"));
  EXPECT_TRUE(twice("", ".param .b32 p, .param .b64 p"));
  for (const char *body :
       {".reg .b32 %r<4>; .reg .b32 %r4;", ".reg .b32 %r<4>; .reg .b32 %r;", ".reg .b32 %r<4>; .reg .b32 %r02;",
        ".reg .b32 %r<0>; .reg .b32 %r0;", ".reg .b32 %r1<20>; .reg .b32 %r<20>;", ".reg .b32 %r; { .reg .b32 %r; }",
        "{ .reg .b32 x; } { .reg .b32 x; }", ".shared .b32 x; { .shared .b32 x; }", "L: { L: bra L; }", "k: bra k;",
        ".reg .b32 p; { .param .b32 p2; { .param .b32 p2; } }"})
    EXPECT_EQ(problem(entry(body)), "") << body;
}

TEST(PtxSyntax, DeclaresANameOnceInAModule) {
  const std::string kernel = ".visible .entry k(){ret;}\n";
  for (const char *body :
       {".global .b32 p;\n.global .b32 p;\n", ".weak .global .b32 p;\n.weak .global .b32 p;\n", ".global .b32 k;\n",
        ".visible .entry k(){ret;}\n", ".func f(){ret;}\n.func f(){ret;}\n", ".func f(){ret;}\n.func f();\n",
        ".func f();\n.global .b32 f;\n", ".global .b32 f;\n.func f();\n"})
    EXPECT_PROBLEM(module(body + kernel), "is declared twice here");
  for (const char *body :
       {".extern .global .b32 p;\n.visible .global .b32 p;\n", ".visible .global .b32 p;\n.extern .global .b32 p;\n",
        ".extern .shared .b8 p[];\n.extern .shared .b8 p[];\n", ".func f();\n.func f(){ret;}\n",
        ".global .b32 p;\n.func f(){.shared .b32 p; ret;}\n"})
    EXPECT_EQ(problem(module(body + kernel)), "") << body;
  EXPECT_PROBLEM(module(".func f(.param .b32 a);\n.func f(){ret;}\n"), "`f` was declared with other parameters");
}

TEST(PtxSyntax, TakesCountsWithoutSigns) {
  EXPECT_PROBLEM(entry(".reg .b32 %r<-1>;"), "expected an integer without a sign @-");
  for (const char *body : {".reg .b32 %r<1.5>;", ".reg .b32 %r<2+3>;", ".reg .b32 %r<5000000000>;", ".reg .b32 %r<x>;",
                           ".reg .b32 %r<>;", ".loc 1 -1 1", ".shared .b32 a[-1];", ".shared .align -4 .b32 a;",
                           ".shared .align 3 .b32 a;", ".shared .align 0 .b32 a;"})
    EXPECT_NE(problem(entry(body)), "") << body;
  for (const char *body : {".reg .b32 %r<0>;", ".reg .b32 %r<0x10>;", ".reg .b32 %r<010>;", ".reg .b32 %r<10U>;",
                           ".reg .b32 %r<1000000>;"})
    EXPECT_EQ(problem(entry(body)), "") << body;
  EXPECT_NE(problem(entry(".reg .b64 %r; mov.u64 %r, 99999999999999999999;")), ""); // 2^64 and more
  EXPECT_EQ(problem(entry(".reg .b64 %r; mov.u64 %r, 18446744073709551615;")), "");
}

TEST(PtxSyntax, GivesVariablesASize) {
  EXPECT_PROBLEM(module(".global .b32 p[];\n"), "`p` has no size");
  EXPECT_PROBLEM(module(".global .b32 p[0];\n"), "`p` has no size");
  EXPECT_PROBLEM(entry(".shared .b32 p[];"), "`p` has no size");
  EXPECT_EQ(problem(module(".global .b32 p[] = {1, 2};\n")), "");
  EXPECT_EQ(problem(module(".extern .shared .align 16 .b8 p[];\n")), "");
  EXPECT_PROBLEM(module(".shared .b32 p = 1;\n"), "only `.global` and `.const` variables can");
  EXPECT_PROBLEM(module(".extern .global .b32 p = 1;\n"), "it is defined elsewhere");
}

TEST(PtxSyntax, ChecksDirectivesOfFunctions) {
  auto with = [](std::string_view directives) {
    return problem(module(text(".entry k() ", directives, "\n{ret;}\n")));
  };
  for (const char *good : {".maxntid 128", ".maxntid 8, 8, 8", ".reqntid 32 .minnctapersm 2", ".maxnreg 64",
                           ".reqnctapercluster 2, 1, 1 .explicitcluster", ".maxclusterrank 8", ".maxntid 1 .maxntid 2",
                           ".pragma \"nounroll\";"})
    EXPECT_EQ(with(good), "") << good;
  for (const char *bad : {".maxntid", ".maxntid 0", ".maxntid -1", ".maxntid 4294967296",
                          ".maxntid 9223372036854775808", ".maxntid 1,1,1,1", ".maxntid 8,", ".maxnreg 0", ".maxnreg",
                          ".maxntid 32 .reqntid 32", ".reqnctapercluster 2 .maxclusterrank 4", ".noreturn",
                          ".reqnctapercluster", ".pragma;", ".pragma \"x\"", ".unknown"})
    EXPECT_NE(with(bad), "") << bad;
  EXPECT_NE(problem(module(".func f() .maxntid 32\n{ret;}\n")), "");
  EXPECT_EQ(problem(module(".func f() .noreturn\n{ret;}\n")), "");
  EXPECT_PROBLEM(module(".entry (.param .b32 r) k() {ret;}\n"), "an entry gives no results");
}

TEST(PtxSyntax, HasNoEmptyParts) {
  for (const char *body : {";", "ret;;", "mov..u32 %r1, 5;", "mov.u32. %r1, 5;", "mov.u32 %r1, 5,;", "mov.u32 %r1,, 5;",
                           "mov.u32 %r1 5;", ", ret;", ".reg .b16 %h%r<8>;", ".reg .b32 add%p<8>;"})
    EXPECT_NE(problem(entry(body)), "") << body;
  for (const char *body : {"{}", "mov .u32 %r1, 5 ;", "mov.u32 %r1 ,5;"})
    EXPECT_EQ(problem(entry(body)), "") << body;
  EXPECT_EQ(problem(entry("mov..u32 %r1, 5;")), "`mov..u32` has an empty part between its dots @mov..u32");
  EXPECT_NE(problem(".versionversion 8.0\n.target sm_90a\n"), "");
  EXPECT_NE(problem(".version 8.0\n.targettarget sm_90a\n"), "");
  EXPECT_NE(problem(".version 8.0\n.target sm_90a\n.address_sizeaddress_size 64\n"), "");
  EXPECT_PROBLEM(module(".const .align 64 .const .u32 a;\n"), "unknown attribute `.const`");
  EXPECT_EQ(problem(entry("", ".param .u64 .ptr .global .align 4 a")), "");
  EXPECT_NE(problem(module(".const .u32 a[3] = {1, 2, 3, };\n")), "");
  EXPECT_PROBLEM(module(".const .u32 a[3] = {1, 2, 3, 4};\n"), "has 12 bytes, and its initial value has 16");
}

TEST(PtxSyntax, ClosesWhatItOpens) {
  EXPECT_PROBLEM(entry("") + "/* more", "the comment is not closed @/*");
  EXPECT_PROBLEM(module("/*\n.entry k(){ret;}\n"), "the comment is not closed");
  EXPECT_EQ(problem(entry("") + "// more"), "");
  EXPECT_PROBLEM(module(".file 1 \"a\n"), "the text's quotes are not closed");
  EXPECT_PROBLEM(module(".file 1 \"a\n.file 2 \"b\"\n"), "the text's quotes are not closed");
  EXPECT_PROBLEM(module(".file 1\n"), "expected a text in quotes");
  EXPECT_PROBLEM(module(".file -1 \"a\"\n"), "without a sign");
  EXPECT_EQ(problem(module(".file 1 \"a\", 12345, 678\n")), "");
  EXPECT_PROBLEM(module(".visible\n"), "expected a variable or function after its linkage @.visible");
  EXPECT_PROBLEM(module(".visible .file 1 \"a\"\n"), "expected a variable or function after its linkage");
  EXPECT_PROBLEM(module(".visible .extern .global .b32 a;\n"), "expected a variable or function after its linkage");
  EXPECT_PROBLEM(module(".loc 1 1 1\n"), "unknown directive `.loc`");
  EXPECT_NE(problem(entry("") + "}\n"), "");
  EXPECT_NE(problem(entry("") + "hello\n"), "");
  EXPECT_NE(problem(entry("") + ";\n"), "");
}

} // namespace
} // namespace lanescope::core::emulator

namespace lanescope::core::test {
namespace {

/// The trailing comments are the errors of ptxas 13.0. The parser once accepted all of these but the first.
TEST(PtxSyntax, WhatPtxasRefusesIsRefused) {
  struct {
    std::string declarations, body, words;
  } all[] = {
      {"", "ld.global.b32 %r0, [%d50-4];", "an offset is added"},         // Parsing error near '-'
      {"", "st.param.u64 [p0], %d0;", "is not written"},                  // Illegal to write
      {"", ".reg .bf16 %b;", "unknown register type"},                    // Parsing error near '.bf16'
      {".entry j(.param .u32 a,) { ret; }", "", "after the comma"},       // Parsing error near ')'
      {".entry j(.reg .u32 a) { ret; }", "", "in a register"},            // must have .param state space
      {".entry _() { ret; }", "", "expected the function's name"},        // Parsing error near '_'
      {".global .b32 x = {5};", "", "more `{ }` than it has dimensions"}, // Initial value type mismatch
      {".global .b32 x[2] = 1;", "", "in as many `{ }`"},                 // Initial value type mismatch
      {".global .b32 x[2][2] = {1, 2, 3, 4};", "", "in as many `{ }`"},   // Greater number of elements
      {".global .f32 x = 1;", "", "holds numbers with a fraction"},       // Initial value type mismatch
      {".global .u32 x = 1.5;", "", "holds whole numbers"},               // Initial value type mismatch
      {".const .s32 x[2] = {1, 0f3F800000};", "", "holds whole numbers"}, // Initial value type mismatch
      {"", "mad .lo.u32 %r0, %r0, 10, %r1;", "are one word"},             // Unexpected instruction types
      {"", "mul\n.hi.u32 %r0, %r0, 10;", "are one word"},                 // Unexpected instruction types
      {".global .f16 x = 0x3c00;", "", "has no initial value"},           // No initial value is allowed
      {"// \xc3\xa9\n", "", "PTX is ASCII"},                              // Unexpected non-ASCII character
      {"", "mov.b64 {_, _}, %d0;", "each destination is `_`"},            // Arguments mismatch
      {"", "mov.f32 %f0, {%h0, %h1};", "`mov.b32` does"},                 // Arguments mismatch
  };
  for (const auto &one : all) {
    Kernel kernel;
    kernel.declarations = one.declarations;
    kernel.body = one.body + "\nret;";
    auto result = run(kernel, {u32Array({0}), u32Array({0})});
    ASSERT_FALSE(result) << one.declarations << one.body;
    EXPECT_TRUE(mentions(result.error(), one.words)) << errorText(result.error());
  }
}

TEST(PtxSyntax, BlanksBeforeAModifierAndBitsOfEitherKindAreTaken) {
  Kernel kernel;
  kernel.declarations = ".global .b32 x = 1.5;";
  kernel.body =
      "ld .global.b32 %r0, [x];\nadd  .u32 %r0, %r0, 1;\nmad.lo .u32 %r0, %r0, 1, 1;\nst.global.b32 [%d50], %r0;\nret;";
  kernel.threads = 1;
  auto result = run(kernel, {u32Array({0}), u32Array({0})});
  ASSERT_TRUE(result) << errorText(result.error());
  EXPECT_EQ(words(result->outputs[0])[0], 0x3FC00002U);
}

/// ptxas 13.0 refuses each call that is refused here, and accepts the others.
TEST(PtxSyntax, ArgumentsOfACallMatchItsParameters) {
  auto called = [](const std::string &formal, const std::string &local, const std::string &actual) {
    Kernel kernel;
    kernel.declarations = ".func f(" + formal + ") { ret; }";
    kernel.body = "{ " + local + " call f, (" + actual + "); }\nret;";
    auto result = run(kernel, {u32Array({0}), u32Array({0})});
    return result ? std::string("taken") : errorText(result.error());
  };
  struct {
    const char *formal, *local, *actual, *answer;
  } all[] = {
      {".param .u64 x", ".param .b64 a;", "a", "taken"},
      {".param .f32 x", ".param .b32 a;", "a", "taken"},
      {".param .s32 x", ".param .u32 a;", "a", "taken"},
      {".param .u64 x", "", "%d0", "taken"},
      {".param .f32 x", "", "%r0", "taken"},
      {".param .u32 x", "", "5", "taken"},
      {".param .align 8 .b8 x[16]", ".param .align 8 .b8 a[16];", "a", "taken"},
      {".param .align 8 .b8 x[16]", ".param .align 8 .b64 a[2];", "a", "taken"},
      {".param .u64 x", ".param .b32 a;", "a", "which has 8 bytes where this has 4"},
      {".param .u16 x", ".param .b32 a;", "a", "which has 2 bytes where this has 4"},
      {".param .f32 x", ".param .u32 a;", "a", "of another type"},
      {".param .u32 x", "", "%f0", "of another type"},
      {".param .u64 x", "", "%r0", "which has 8 bytes where this has 4"},
      {".param .align 8 .b8 x[16]", ".param .align 8 .b8 a[24];", "a", "16 bytes of an array where this has 24"},
      {".param .align 8 .b8 x[16]", ".param .align 4 .b8 a[16];", "a", "is aligned to 4 bytes"},
      {".param .b64 x", ".param .align 8 .b8 a[8];", "a", "is no value for the parameter"},
      {".param .align 8 .b8 x[8]", ".param .b64 a;", "a", "is no value for the parameter"},
  };
  for (const auto &one : all)
    EXPECT_NE(called(one.formal, one.local, one.actual).find(one.answer), std::string::npos)
        << one.formal << " " << one.local << " " << one.actual << ": " << called(one.formal, one.local, one.actual);
}

TEST(PtxSyntax, AFunctionIsDeclaredBeforeItIsCalled) {
  Kernel kernel;
  kernel.params = 0;
  kernel.body = "call f;\nret;";
  kernel.declarations = ".func f();";
  std::string after = "\n.func f() { ret; }\n";
  auto launched = [&](const std::string &ptx) {
    Launch launch;
    launch.entry = "k";
    launch.block = {32, 1, 1};
    return emulate(Source::make("k.ptx", ptx), launch, {}, {});
  };
  EXPECT_TRUE(launched(kernel.ptx() + after));
  kernel.declarations = "";
  auto late = launched(kernel.ptx() + after);
  ASSERT_FALSE(late);
  EXPECT_TRUE(mentions(late.error(), "is declared after this call")) << errorText(late.error());
}

TEST(PtxSyntax, SeveralVariablesShareADeclaration) {
  Kernel kernel;
  kernel.declarations = ".global .align 8 .b32 a[2] = {1, 2}, b = 3, c[2][2] = {{4, 5}, {6, 7}};";
  kernel.body = "ld.global.b32 %r0, [a+4];\nld.global.b32 %r1, [b];\nld.global.b32 %r2, [c+12];\n"
                "mad.lo.u32 %r0, %r0, 10, %r1;\nmad.lo.u32 %r0, %r0, 10, %r2;\nst.global.b32 [%d50], %r0;\nret;";
  kernel.threads = 1;
  auto result = run(kernel, {u32Array({0}), u32Array({0})});
  ASSERT_TRUE(result) << errorText(result.error());
  EXPECT_EQ(words(result->outputs[0])[0], 237U);
}

} // namespace
} // namespace lanescope::core::test
