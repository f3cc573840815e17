// Sparse products: the places that the metadata gives to A's stored elements, in mma.sp.sync and wgmma.mma_async.sp;
// wmma.
#include "tests/unit/emulator/EmulatorSupport.h"

namespace lanescope::core::test {
namespace {

constexpr uint32_t kOnes = 0x3C003C00; // two f16
constexpr uint32_t kHundreds = 0x56405640;

/// In B the first two of every four elements along K are 1, the others 100; all stored elements of A are 1. A row's sum
/// shows which elements were multiplied.
float sparseSum(const std::string &metadata, const std::string &form, const std::string &selector) {
  auto out =
      perLane(std::vector<uint32_t>(32), "mov.u32 %r2, %laneid;\nand.b32 %r3, %r2, 1;\nsetp.eq.u32 %p1, %r3, 0;\n"
                                         "selp.b32 %r4, " +
                                             std::to_string(kOnes) + ", " + std::to_string(kHundreds) +
                                             ", %p1;\n"
                                             "mov.b32 %r5, " +
                                             std::to_string(kOnes) + ";\nmov.b32 %r6, " + metadata +
                                             ";\nmov.f32 %f0, 0f00000000;\n" + "mma." + form +
                                             ".sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, "
                                             "{%r5, %r5, %r5, %r5}, {%r4, %r4, %r4, %r4}, {%f0, %f0, %f0, %f0}, %r6, " +
                                             selector +
                                             ";\n"
                                             "mov.b32 %r1, %f4;");
  for (uint32_t word : out)
    EXPECT_EQ(word, out[0]);
  return out.empty() ? -1 : std::bit_cast<float>(out[0]);
}

TEST(SparseMma, MetadataChooseElementsOfK) {
  EXPECT_EQ(sparseSum("0x44444444", "sp", "0"), 16.0f);   // the first two of every four
  EXPECT_EQ(sparseSum("0xEEEEEEEE", "sp", "1"), 1600.0f); // the last two
  EXPECT_EQ(sparseSum("0x88888888", "sp::ordered_metadata", "0"), 808.0f);
}

TEST(SparseMma, IndicesWithoutAMeaningAreTold) {
  for (auto [form, metadata] : {std::pair("sp", "0x00000000"), std::pair("sp::ordered_metadata", "0x11111111")}) {
    Kernel kernel;
    kernel.body = std::string("mov.b32 %r6, ") + metadata + ";\nmma." + form +
                  ".sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2}, {%r3, %r4}, "
                  "{%f1, %f2, %f3, %f4}, %r6, 0;\nret;";
    auto result = run(kernel, {u32Array({0}), u32Array({0})});
    ASSERT_TRUE(result) << errorText(result.error());
    ASSERT_EQ(result->diagnostics.size(), 1u) << form;
    EXPECT_EQ(result->diagnostics[0].kind, "sparsity-metadata") << form;
  }
}

TEST(SparseMma, IntegersAndBytesOfFloats) {
  auto first = [](const std::string &body) { return evaluate(0, body + "\nmov.b32 %r1, %r10;"); };
  EXPECT_EQ(first("mov.b32 %r2, 0x01010101;\nmov.b32 %r3, 0x02020202;\nmov.b32 %r4, 0x44444444;\nmov.b32 %r5, 7;\n"
                  "mma.sp.sync.aligned.m16n8k64.row.col.s32.s8.u8.s32 {%r10, %r11, %r12, %r13}, {%r2, %r2, %r2, %r2}, "
                  "{%r3, %r3, %r3, %r3}, {%r5, %r5, %r5, %r5}, %r4, 0;"),
            71u);
  EXPECT_EQ(first("mov.b32 %r2, 0x38383838;\nmov.b32 %r4, 0x44444444;\nmov.b32 %r5, 0;\n" // e4m3 1.0
                  "mma.sp.sync.aligned.m16n8k64.row.col.f32.e4m3.e4m3.f32 {%r10, %r11, %r12, %r13}, {%r2, %r2, %r2, "
                  "%r2}, {%r2, %r2, %r2, %r2}, {%r5, %r5, %r5, %r5}, %r4, 0;"),
            std::bit_cast<uint32_t>(32.0f));
}

TEST(SparseWgmma, MetadataChooseElementsOfK) {
  for (auto [metadata, sum] : {std::pair("0x44444444", 16.0f), std::pair("0xEEEEEEEE", 1600.0f)}) {
    Kernel kernel;
    kernel.threads = 128;
    kernel.declarations = ".shared .align 128 .b8 sh[2048];\n";
    kernel.body = std::string(R"(
mov.u32 %r50, %tid.x;
mul.lo.u32 %r2, %r50, 16;
mov.u32 %r3, sh;
add.u32 %r2, %r2, %r3;
st.shared.v4.b32 [%r2], {0x3C003C00, 0x56405640, 0x3C003C00, 0x56405640};
fence.proxy.async;
bar.sync 0;
shr.u32 %r3, %r3, 4;
cvt.u64.u32 %d1, %r3;
or.b64 %d1, %d1, 0x0000000800080000;
mov.b32 %r5, 0x3C003C00;
mov.f32 %f1, 0f00000000; mov.f32 %f2, %f1; mov.f32 %f3, %f1; mov.f32 %f4, %f1;
setp.ne.u32 %p1, %r50, %r50;
mov.b32 %r6, )") + metadata +
                  R"(;
wgmma.fence.sync.aligned;
wgmma.mma_async.sp.sync.aligned.m64n8k32.f32.f16.f16 {%f1, %f2, %f3, %f4}, {%r5, %r5, %r5, %r5}, %d1, %r6, 0, %p1, 1, 1, 0;
wgmma.commit_group.sync.aligned;
wgmma.wait_group.sync.aligned 0;
mul.wide.u32 %d2, %r50, 4;
add.s64 %d2, %d2, %d51;
st.global.f32 [%d2], %f3;
ret;)";
    auto result = run(kernel, {u32Array({0}), u32Array(std::vector<uint32_t>(128))});
    ASSERT_TRUE(result) << errorText(result.error());
    EXPECT_TRUE(result->diagnostics.empty()) << errorText(result->diagnostics);
    for (uint32_t word : words(result->outputs[1]))
      EXPECT_EQ(std::bit_cast<float>(word), sum) << metadata;
  }
}

/// A (16 x 16 of f16, each value its index) is loaded, and stored again through an accumulator: A times the identity.
TEST(Wmma, ProductsOfLoadedMatricesAreStored) {
  for (std::string layout : {"row", "col"}) {
    Kernel kernel;
    kernel.declarations = ".shared .align 128 .b8 one[512];\n";
    kernel.body =
        R"(
mov.u32 %r50, %tid.x;
mov.u32 %r51, 0;
LOOP:
mad.lo.u32 %r2, %r51, 32, %r50;
shr.u32 %r3, %r2, 4;
and.b32 %r4, %r2, 15;
setp.eq.u32 %p1, %r3, %r4;
selp.b16 %h1, 0x3C00, 0, %p1;
mov.u32 %r5, one;
mad.lo.u32 %r5, %r2, 2, %r5;
st.shared.b16 [%r5], %h1;
add.u32 %r51, %r51, 1;
setp.lt.u32 %p2, %r51, 8;
@%p2 bra LOOP;
bar.warp.sync -1;
wmma.load.a.sync.aligned.)" +
        layout + R"(.m16n16k16.global.f16 {%r10, %r11, %r12, %r13, %r14, %r15, %r16, %r17}, [%d50];
wmma.load.b.sync.aligned.col.m16n16k16.shared.f16 {%r20, %r21, %r22, %r23, %r24, %r25, %r26, %r27}, [one], 16;
mov.f32 %f0, 0f00000000;
wmma.mma.sync.aligned.)" +
        layout +
        R"(.col.m16n16k16.f32.f32 {%f1, %f2, %f3, %f4, %f5, %f6, %f7, %f8}, {%r10, %r11, %r12, %r13, %r14, %r15, %r16, %r17}, {%r20, %r21, %r22, %r23, %r24, %r25, %r26, %r27}, {%f0, %f0, %f0, %f0, %f0, %f0, %f0, %f0};
wmma.store.d.sync.aligned.row.m16n16k16.global.f32 [%d51], {%f1, %f2, %f3, %f4, %f5, %f6, %f7, %f8}, 16;
ret;)";
    Array a = Array::zeros(Dtype::F16, {16, 16});
    for (size_t n = 0; n < 256; ++n)
      a.setNumber(static_cast<int64_t>(n), static_cast<double>(n));
    auto result = run(kernel, {a, Array::zeros(Dtype::F32, {16, 16})});
    ASSERT_TRUE(result) << errorText(result.error());
    EXPECT_TRUE(result->diagnostics.empty()) << errorText(result->diagnostics);
    for (int64_t n = 0; n < 256; ++n)
      EXPECT_EQ(result->outputs[1].number(n), layout == "row" ? n : n % 16 * 16 + n / 16) << layout << n;
  }
}

/// An H200 adds the products of k = 0 to 3 before the others. So 1 - 1 are gone when 2^-30 is added, which would be cut
/// off beside them.
TEST(Wmma, Tf32IsAddedInTwoSteps) {
  Kernel kernel;
  kernel.body = R"(
wmma.load.a.sync.aligned.row.m16n16k8.global.tf32 {%r10, %r11, %r12, %r13}, [%d50], 8;
wmma.load.b.sync.aligned.col.m16n16k8.global.tf32 {%r20, %r21, %r22, %r23}, [%d51], 8;
mov.f32 %f0, 0f00000000;
wmma.mma.sync.aligned.row.col.m16n16k8.f32.tf32.tf32.f32 {%f1, %f2, %f3, %f4, %f5, %f6, %f7, %f8}, {%r10, %r11, %r12, %r13}, {%r20, %r21, %r22, %r23}, {%f0, %f0, %f0, %f0, %f0, %f0, %f0, %f0};
wmma.store.d.sync.aligned.row.m16n16k8.global.f32 [%d52], {%f1, %f2, %f3, %f4, %f5, %f6, %f7, %f8}, 16;
ret;)";
  kernel.params = 3;
  Array a = Array::zeros(Dtype::F32, {16, 8}), ones = Array::zeros(Dtype::F32, {16, 8});
  for (int64_t n = 0; n < 128; ++n)
    ones.setNumber(n, 1);
  for (auto [row, small] : {std::pair(0, 4), {1, 2}}) {
    a.setNumber(8 * row, 1);
    a.setNumber(8 * row + 1, -1);
    a.setNumber(8 * row + small, 0x1p-30);
  }
  auto result = run(kernel, {a, ones, Array::zeros(Dtype::F32, {16, 16})});
  ASSERT_TRUE(result) << errorText(result.error());
  EXPECT_EQ(result->outputs[2].number(0), 0x1p-30);
  EXPECT_EQ(result->outputs[2].number(16), 0);
}

TEST(Wmma, FragmentsOfAnotherSizeAreRefused) {
  for (const char *form :
       {"wmma.load.a.sync.aligned.row.m16n16k16.f16 {%r1, %r2}, [%d50];",
        "wmma.load.a.sync.aligned.row.m16n8k16.f16 {%r1}, [%d50];",
        "wmma.load.b.sync.aligned.row.m8n8k32.s4 {%r1}, [%d50];",
        "wmma.mma.sync.aligned.row.col.m16n16k16.rz.f32.f32 {%f1, %f2}, {%f3}, {%f4}, {%f1, %f2};"}) {
    Kernel kernel;
    kernel.body = std::string(form) + "\nret;";
    EXPECT_FALSE(run(kernel, {u32Array({0}), u32Array({0})})) << form;
  }
}

TEST(Wmma, DoublesRoundAsTheyAreTold) {
  // Four products of 2^-60, each of which is less than half of the last bit.
  auto low = [](const std::string &mode) {
    return evaluate(0, "mov.f64 %g1, 0d3FF0000000000000;\nmov.f64 %g3, 0d3E10000000000000;\n"
                       "wmma.mma.sync.aligned.row.col.m8n8k4" +
                           mode +
                           ".f64.f64.f64.f64 {%g5, %g6}, {%g3}, {%g3}, {%g1, %g1};\n"
                           "mov.b64 %d50, %g5;\ncvt.u32.u64 %r1, %d50;");
  };
  EXPECT_EQ(low(""), 0u);
  EXPECT_EQ(low(".rn"), 0u);
  EXPECT_EQ(low(".rz"), 0u);
  EXPECT_EQ(low(".rm"), 0u);
  EXPECT_EQ(low(".rp"), 4u); // one bit for each product
}

} // namespace
} // namespace lanescope::core::test
