// Device functions: calls by name and by address, recursion, frames, the stack; clocks as operands; initialisers.
#include "tests/unit/emulator/EmulatorSupport.h"

namespace lanescope::core::test {
namespace {

/// Passes each lane's a[tid] through `body`, which calls the declared functions, and returns out[tid].
std::vector<uint32_t> withFunctions(const std::string &declarations, const std::string &body, uint32_t threads = 32) {
  Kernel kernel;
  kernel.threads = threads;
  kernel.declarations = declarations;
  kernel.body = "mov.u32 %r50, %tid.x;\nmul.wide.u32 %d40, %r50, 4;\nadd.s64 %d41, %d50, %d40;\n"
                "add.s64 %d42, %d51, %d40;\nld.global.b32 %r0, [%d41];\n" +
                body + "\nst.global.b32 [%d42], %r1;\nret;\n";
  std::vector<uint32_t> input(threads);
  for (uint32_t n = 0; n < threads; ++n)
    input[n] = n;
  auto result = run(kernel, {u32Array(input), u32Array(std::vector<uint32_t>(threads))});
  if (!result) {
    ADD_FAILURE() << errorText(result.error());
    return {};
  }
  EXPECT_TRUE(result->diagnostics.empty()) << errorText(result->diagnostics);
  return words(result->outputs[1]);
}

const char kFactorial[] = R"(
.func (.param .b32 out) factorial(.param .b32 in)
{
  .reg .pred %p;
  .reg .b32 %n, %m, %r;
  ld.param.b32 %n, [in];
  mov.b32 %r, 1;
  setp.lt.u32 %p, %n, 2;
  @%p bra DONE;
  sub.u32 %m, %n, 1;
  {
    .param .b32 a;
    .param .b32 b;
    st.param.b32 [a], %m;
    call.uni (b), factorial, (a);
    ld.param.b32 %m, [b];
  }
  mul.lo.u32 %r, %n, %m;
DONE:
  st.param.b32 [out], %r;
  ret;
}
)";

TEST(Calls, RecurseToADepthOfTheirOwnInEachLane) {
  auto out = withFunctions(kFactorial, R"(
    rem.u32 %r2, %r0, 10;
    { .param .b32 a; .param .b32 b; st.param.b32 [a], %r2; call (b), factorial, (a); ld.param.b32 %r1, [b]; })");
  uint32_t factorial[10] = {1, 1, 2, 6, 24, 120, 720, 5040, 40320, 362880};
  for (size_t n = 0; n < out.size(); ++n)
    EXPECT_EQ(out[n], factorial[n % 10]) << n;
}

TEST(Calls, EndlessRecursionIsAFault) {
  Kernel kernel;
  kernel.declarations = ".func f() { .local .b8 a[64]; .reg .b64 %a; mov.b64 %a, a; call f; ret; }\n";
  kernel.body = "call f;\nret;";
  auto result = run(kernel, {u32Array({0}), u32Array({0})});
  ASSERT_TRUE(result) << errorText(result.error());
  ASSERT_EQ(result->diagnostics.size(), 1u);
  EXPECT_EQ(result->diagnostics[0].kind, "stack-overflow") << errorText(result->diagnostics);
}

TEST(Calls, RegistersMayBeParameters) {
  auto out = withFunctions(".func (.reg .u32 r) plus(.reg .u32 a, .reg .u32 b) { add.u32 r, a, b; ret; }\n",
                           "call (%r1), plus, (%r0, 7);");
  for (uint32_t n = 0; n < out.size(); ++n)
    EXPECT_EQ(out[n], n + 7);
}

TEST(Calls, AddressesInAVariableAreCalledByLanes) {
  auto out = withFunctions(R"(
.func (.param .b32 r) twice(.param .b32 a) { .reg .b32 %x; ld.param.b32 %x, [a]; shl.b32 %x, %x, 1; st.param.b32 [r], %x; ret; }
.func (.param .b32 r) next(.param .b32 a) { .reg .b32 %x; ld.param.b32 %x, [a]; add.u32 %x, %x, 1; st.param.b32 [r], %x; ret; }
.global .align 8 .u64 table[2] = {twice, next};
)",
                           R"(
    and.b32 %r2, %r0, 1;
    mul.wide.u32 %d0, %r2, 8;
    mov.u64 %d1, table;
    add.u64 %d1, %d1, %d0;
    ld.global.u64 %d2, [%d1];
    {
      .param .b32 a; .param .b32 b;
      st.param.b32 [a], %r0;
      prototype: .callprototype (.param .b32 _) _ (.param .b32 _);
      call (b), %d2, (a), prototype;
      ld.param.b32 %r1, [b];
    })");
  for (uint32_t n = 0; n < out.size(); ++n)
    EXPECT_EQ(out[n], n & 1 ? n + 1 : 2 * n);
}

TEST(Calls, FramesOfCallersStayWhatTheyAre) { // the callee writes through a pointer into its caller's frame
  auto out = withFunctions(R"(
.func fill(.param .b64 to, .param .b32 value)
{
  .local .b32 own[4];
  .reg .b64 %a, %o;
  .reg .b32 %v;
  ld.param.b64 %a, [to];
  ld.param.b32 %v, [value];
  mov.b64 %o, own;
  st.local.b32 [%o+4], 99;
  st.b32 [%a], %v;
  ret;
}
)",
                           R"(
    {
      .local .b32 mine[2];
      .param .b64 a; .param .b32 b;
      mov.b64 %d0, mine;
      st.local.b32 [%d0+4], 1;
      cvta.local.u64 %d1, %d0;
      st.param.b64 [a], %d1;
      st.param.b32 [b], %r0;
      call fill, (a, b);
      ld.local.v2.b32 {%r2, %r3}, [%d0];
      add.u32 %r1, %r2, %r3;
    })");
  for (uint32_t n = 0; n < out.size(); ++n)
    EXPECT_EQ(out[n], n + 1);
}

TEST(Calls, SomeLanesReturnEarly) {
  auto out = withFunctions(R"(
.func (.param .b32 r) early(.param .b32 a)
{
  .reg .pred %p;
  .reg .b32 %x;
  ld.param.b32 %x, [a];
  st.param.b32 [r], 5;
  setp.lt.u32 %p, %x, 8;
  @%p ret;
  st.param.b32 [r], %x;
  ret;
}
)",
                           R"(
    setp.lt.u32 %p1, %r0, 16;
    mov.b32 %r1, 1;
    {
      .param .b32 a; .param .b32 b;
      st.param.b32 [a], %r0;
      @%p1 call (b), early, (a);
      @%p1 ld.param.b32 %r1, [b];
    }
    shfl.sync.idx.b32 %r2, %r1, 9, 0x1f, -1;
    add.u32 %r1, %r1, %r2;)");
  for (uint32_t n = 0; n < out.size(); ++n)
    EXPECT_EQ(out[n], (n < 8 ? 5 : n < 16 ? n : 1) + 9) << n;
}

TEST(Calls, AllocaTakesFromTheStack) {
  auto out = withFunctions("", R"(
    stacksave.u64 %d2;
    mov.u64 %d0, 64;
    alloca.u64 %d1, %d0;
    st.local.b32 [%d1+60], %r0;
    ld.local.b32 %r1, [%d1+60];
    stackrestore.u64 %d2;)");
  for (uint32_t n = 0; n < out.size(); ++n)
    EXPECT_EQ(out[n], n);
}

TEST(Calls, MallocGivesStretchesApart) {
  auto out = withFunctions(".extern .func (.param .b64 p) malloc(.param .b64 n);\n.extern .func free(.param .b64 p);\n",
                           R"(
    {
      .param .b64 a; .param .b64 b;
      st.param.b64 [a], 8;
      call (b), malloc, (a);
      ld.param.b64 %d0, [b];
    }
    st.b32 [%d0], %r0;
    ld.b32 %r1, [%d0];
    { .param .b64 a; st.param.b64 [a], %d0; call free, (a); })");
  for (uint32_t n = 0; n < out.size(); ++n)
    EXPECT_EQ(out[n], n);
}

TEST(Calls, WhatDoesNotFitIsAnError) {
  for (auto [declarations, call, word] :
       {std::tuple("", "call nobody;", "unknown function"),
        std::tuple(".func f(.reg .u32 a) { ret; }\n", "call f;", "1 parameters"),
        std::tuple(".func f() { ret; }\n", "mov.u64 %d0, 5; p: .callprototype _ (); call %d0, p;", "no function")}) {
    Kernel kernel;
    kernel.declarations = declarations;
    kernel.body = std::string(call) + "\nret;";
    auto result = run(kernel, {u32Array({0}), u32Array({0})});
    EXPECT_TRUE(mentions(result ? result->diagnostics : result.error(), word)) << call;
    if (result)
      EXPECT_EQ(result->diagnostics.at(0).kind, "bad-call");
  }
}

TEST(Operands, ClocksAreReadByMov) {
  EXPECT_EQ(evaluate(1, "mov.u32 %r2, %clock;\nmov.u32 %r3, %clock;\nsub.u32 %r1, %r3, %r2;\n"
                        "setp.gt.u32 %p1, %r1, 0;\nselp.b32 %r1, 1, 0, %p1;"),
            1u);
}

TEST(Operands, ANameAndNumberedOnesAreApart) { // as in the declarations of Triton's fp8 conversions
  EXPECT_EQ(evaluate(0x00050003, "{ .reg .b32 a; .reg .b16 a<2>; mov.b32 a, %r0; mov.b32 {a0, a1}, a; "
                                 "mov.b32 %r1, {a1, a0}; add.u32 %r1, %r1, a; }"),
            0x00080008u);
  EXPECT_EQ(evaluate(1, "{ .reg .b32 a<2>; .reg .b32 a; mov.b32 a, 7; mov.b32 a1, %r0; add.u32 %r1, a, a1; }"), 8u);
}

TEST(Operands, TheSystemsSharedMemoryIsThere) {
  EXPECT_EQ(evaluate(5, "mov.u32 %r2, %reserved_smem_offset_1; mov.u32 %r3, %reserved_smem_offset_0;\n"
                        "st.shared.u32 [%r2+4], %r0; st.shared.u32 [%r3], 1; ld.shared.u32 %r1, [%r2+4];\n"
                        "mov.u32 %r2, %reserved_smem_offset_begin; mov.u32 %r4, %reserved_smem_offset_end;\n"
                        "sub.u32 %r4, %r4, %r2; mov.u32 %r5, %reserved_smem_offset_cap;\n"
                        "setp.eq.u32 %p1, %r4, %r5; @!%p1 mov.u32 %r1, 0;"),
            5u);
  Kernel kernel;
  kernel.body = "mov.u32 %r1, %reserved_smem_offset_9;\nret;";
  auto result = run(kernel, {u32Array({0}), u32Array({0})});
  ASSERT_FALSE(result);
  EXPECT_TRUE(mentions(result.error(), "unknown register `%reserved_smem_offset_9`")) << errorText(result.error());
}

TEST(Operands, ArePtxasOnes) {
  auto refused = [](const std::string &body) {
    Kernel kernel;
    kernel.declarations = ".shared .b32 sh;\n.shared .b64 bar;\n";
    kernel.body = body + "\nret;";
    auto result = run(kernel, {u32Array({0}), u32Array({0})});
    return result ? std::string() : errorText(result.error());
  };
  for (auto [body, says] :
       {std::pair("add.u32 %r1, %laneid, 1;", "cannot read `%laneid`; `mov` copies it"),
        std::pair("sub.u32 %r1, %r1, %clock;", "cannot read `%clock`"),
        std::pair("st.shared.u32 [sh], %clock;", "cannot read `%clock`"),
        std::pair("st.shared.v2.u32 [bar], {%r1, %clock64};", "%clock64"),
        std::pair("add.u32 %r1, %r1, %foo.w;", "%foo.w"),
        std::pair("add.u32 %r1, %r1, sh;", "cannot read the address of `sh`"),
        std::pair("st.shared.u32 [sh], sh;", "cannot read the address of `sh`"),
        std::pair("add.u32 %r1, %r1, 1.5;", "reads an integer here"), std::pair("shl.b32 %r1, %r1, 1.0;", "an integer"),
        std::pair("add.u32 %r1, %r1, 0f3F800000;", "reads an integer here"),
        std::pair("add.f32 %f1, %f1, 1;", "a number with a fraction"),
        std::pair("mov.u32 %late, 1; .reg .b32 %late;", "unknown register `%late`"),
        std::pair("mov.u32 %r1, late; .shared .b32 late;", "unknown name `late`"),
        std::pair("mov.u64 %d1, k;", "`k` is a kernel: the emulator has no launches of kernels by kernels"),
        std::pair("mbarrier.try_wait.parity.shared::cta.b64 %p1, [bar], 2;",
                  "the phase parity is 2, and must be 0 or 1")})
    EXPECT_NE(refused(body).find(says), std::string::npos) << body << "\n" << refused(body);
  for (const char *body :
       {"mov.b32 %r1, 0f3F800000;", "mov.b64 %d1, 1.5;", "add.f32 %f1, %f1, 1.0;",
        "mov.u32 %r1, sh; mov.u32 %r2, sh+4;", "st.shared.v2.u32 [bar], {%r1, %clock};",
        "@%p1 st.shared.v2.s32 [bar], {%smid, %tid.x};", "st.shared.v2.f32 [bar], {%f1, %clock};",
        "st.shared.b32 [sh], {%clock};", "mov.b64 %d1, {%clock, %r1};", "st.shared.v2.u16 [sh], {%tid.x, %tid.y};",
        "cvt.u64.u32 %d1, %tid.x;", "add.u32 %r1, %r1, WARP_SZ;",
        "{ .reg .b32 x; mov.u32 x, 1; { mov.u32 x, 2; .reg .b32 x; mov.u32 x, 3; } }"})
    EXPECT_EQ(refused(body), "") << body;
}

TEST(Operands, VectorsHoldSpecialRegisters) {
  EXPECT_EQ(evaluate(5, "mov.u32 %r2, %reserved_smem_offset_1; mov.u32 %r3, 7;\n"
                        "st.shared.v2.u32 [%r2], {%r3, %ntid.x}; ld.shared.v2.u32 {%r4, %r5}, [%r2];\n"
                        "mov.u32 %r2, %ntid.x; sub.u32 %r5, %r5, %r2; add.u32 %r1, %r4, %r5;"),
            7u);
}

TEST(Operands, SpecialRegistersHaveTheWidthThatIsRead) {
  auto out = perLane(std::vector<uint32_t>(32),
                     "mov.u16 %h1, %tid.x;\ncvt.u32.u16 %r2, %h1;\ncvt.u64.u32 %d1, %laneid;\n"
                     "cvt.u32.u64 %r3, %d1;\nadd.u32 %r1, %r2, %r3;\nmov.u32 %r4, %tid.w;\nadd.u32 %r1, %r1, %r4;");
  for (uint32_t n = 0; n < out.size(); ++n)
    EXPECT_EQ(out[n], 2 * n);
}

TEST(Operands, ConstantExpressionsAreThoseOfC) {
  for (auto [written, value] : {std::pair("(1 ? 2 : 3)", 2u), std::pair("3 > 2", 1u), std::pair("-(-3)", 3u),
                                std::pair("7 == 7 && 0", 0u), std::pair("(0xf0 & 0xcc) | 0xaa", 0xEAu),
                                std::pair("!0", 1u), std::pair("10 - 2 * 3 << 1", 8u), std::pair("(.s64)5", 5u)})
    EXPECT_EQ(evaluate(0, std::string("mov.u32 %r1, ") + written + ";"), value) << written;
}

} // namespace
} // namespace lanescope::core::test
