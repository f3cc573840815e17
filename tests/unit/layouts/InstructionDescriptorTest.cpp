// Descriptors of tcgen05: instruction descriptors and shared-memory descriptors, as words that kernels of JAX, Triton
// and CUTLASS contain, and words that are not descriptors.
#include "layouts/fragments/InstructionDescriptor.h"
#include "layouts/fragments/MatrixDescriptor.h"

#include <gtest/gtest.h>

namespace lanescope::layouts {
namespace {

using enum MatrixType;

struct Case {
  TmemMmaOpcode opcode;
  uint32_t bits;
  TmemMmaShape shape;
};

/// The words come from PTX of JAX 0.11 and Triton 3.7, except those of kinds that neither writes.
const Case kCases[] = {
    {{.kind = "f16"}, 0x08100010, {.d = F32, .a = F16, .b = F16, .m = 128, .n = 64, .k = 16}},
    {{.kind = "f16"}, 0x08100000, {.d = F16, .a = F16, .b = F16, .m = 128, .n = 64, .k = 16}},
    {{.kind = "f16"}, 0x08210490, {.d = F32, .a = BF16, .b = BF16, .m = 128, .n = 128, .k = 16, .transposeB = true}},
    {{.kind = "f16"},
     0x08218010,
     {.d = F32, .a = F16, .b = F16, .m = 128, .n = 128, .k = 16, .transposeA = true, .transposeB = true}},
    {{.kind = "f16"}, 0x04110010, {.d = F32, .a = F16, .b = F16, .m = 64, .n = 64, .k = 16, .transposeB = true}},
    {{.kind = "f16", .ctas = 2},
     0x10210490,
     {.d = F32, .a = BF16, .b = BF16, .m = 256, .n = 128, .k = 16, .transposeB = true}},
    {{.kind = "f16"}, 0x08106010, {.d = F32, .m = 128, .n = 64, .k = 16, .negateA = true, .negateB = true}},
    {{.kind = "f16", .weightStationary = true}, 0x82100010, {.d = F32, .m = 32, .n = 64, .k = 16, .maxShift = 16}},
    {{.kind = "tf32"}, 0x08100910, {.d = F32, .a = TF32, .b = TF32, .m = 128, .n = 64, .k = 8}},
    {{.kind = "f8f6f4"}, 0x08100410, {.d = F32, .a = E4M3, .b = E5M2, .m = 128, .n = 64, .k = 32}},
    {{.kind = "f8f6f4"}, 0x08100480, {.d = F16, .a = E5M2, .b = E5M2, .m = 128, .n = 64, .k = 32}},
    {{.kind = "f8f6f4"}, 0x08101190, {.d = F32, .a = E2M3, .b = E3M2, .m = 128, .n = 64, .k = 32}},
    {{.kind = "i8"}, 0x081004A0, {.d = S32, .a = S8, .b = S8, .m = 128, .n = 64, .k = 32}},
    {{.kind = "i8"}, 0x08100028, {.d = S32, .a = U8, .b = U8, .m = 128, .n = 64, .k = 32, .saturate = true}},
    {{.kind = "f16", .sparse = true},
     0x08100015,
     {.d = F32, .a = F16, .b = F16, .m = 128, .n = 64, .k = 32, .sparsitySelector = 1}},
    {{.kind = "i8", .ctas = 2, .sparse = true}, 0x102004A4, {.d = S32, .a = S8, .b = S8, .m = 256, .n = 128, .k = 64}},
    {{.kind = "mxf8f6f4", .scaleCount = 1},
     0x68900030,
     {.a = E4M3, .b = E4M3, .m = 128, .n = 64, .k = 32, .scaleIdA = 3, .scaleIdB = 3}},
    {{.kind = "mxf8f6f4", .scaleCount = 1}, 0x08C01400, {.a = E4M3, .b = E2M1, .m = 128, .n = 256, .k = 32}},
    {{.kind = "mxf8f6f4", .sparse = true, .scaleBlock = 32},
     0x48A004A4,
     {.a = E5M2, .b = E5M2, .m = 128, .n = 128, .k = 64, .scaleIdA = 2, .scaleIdB = 2}},
    {{.kind = "mxf4", .scaleCount = 2}, 0x08900480, {.a = E2M1, .b = E2M1, .m = 128, .n = 64, .k = 64}},
    {{.kind = "mxf4"}, 0x489004A0, {.a = E2M1, .b = E2M1, .m = 128, .n = 64, .k = 64, .scaleIdA = 2, .scaleIdB = 2}},
    {{.kind = "mxf4nvf4", .scaleCount = 4},
     0x08200480,
     {.a = E2M1, .b = E2M1, .m = 128, .n = 128, .k = 64, .scale = UE4M3}},
    {{.kind = "mxf4nvf4", .ctas = 2, .scaleBlock = 16},
     0x90200480,
     {.a = E2M1, .b = E2M1, .m = 256, .n = 128, .k = 96, .scale = UE4M3}},
};

TEST(InstructionDescriptor, IsReadAndWritten) {
  for (const Case &each : kCases) {
    auto shape = decode(each.opcode, each.bits);
    ASSERT_TRUE(shape) << std::hex << each.bits << ": " << shape.error().message;
    bool scaled = each.opcode.kind.starts_with("mx");
    TmemMmaShape expected = each.shape;
    if (!scaled)
      expected.scale = shape->scale;
    EXPECT_EQ(*shape, expected) << std::hex << each.bits;
    auto bits = encode(each.opcode, each.shape);
    ASSERT_TRUE(bits) << bits.error().message;
    EXPECT_EQ(*bits, each.bits);
  }
}

TEST(InstructionDescriptor, ScalesAreCounted) {
  auto scales = [](const TmemMmaOpcode &opcode, const TmemMmaShape &shape) { return rowOf(opcode, shape)->scales; };
  TmemMmaShape fours{.a = E2M1, .b = E2M1, .m = 256, .n = 128, .k = 96};
  EXPECT_EQ(scales({.kind = "mxf4", .ctas = 2}, fours)->count, 3);
  EXPECT_EQ(scales({.kind = "mxf4nvf4", .ctas = 2, .scaleBlock = 16}, fours)->count, 6);
  fours.k = 64;
  EXPECT_EQ(scales({.kind = "mxf4", .ctas = 2}, fours)->count, 2);
  EXPECT_FALSE(scales({.kind = "f16"}, {.m = 128, .n = 64}));
}

std::string encodeProblem(const TmemMmaOpcode &opcode, const TmemMmaShape &shape) {
  auto bits = encode(opcode, shape);
  return bits ? "" : bits.error().message;
}
std::string decodeProblem(const TmemMmaOpcode &opcode, uint32_t bits) {
  auto shape = decode(opcode, bits);
  return shape ? "" : shape.error().message;
}

TEST(InstructionDescriptor, SaysWhatThereIsNot) {
  TmemMmaShape halves{.m = 128, .n = 64}, bytes{.d = S32, .a = S8, .b = S8, .m = 128, .n = 64},
      fours{.a = E2M1, .b = E2M1, .m = 128, .n = 64};
  auto with = [](TmemMmaShape shape, auto change) {
    change(shape);
    return shape;
  };
  EXPECT_EQ(encodeProblem({.kind = "f64"}, halves), "`tcgen05.mma` has no `kind::f64`");
  EXPECT_EQ(encodeProblem({.kind = "f16"}, with(halves, [](auto &s) { s.n = 12; })),
            "`tcgen05.mma` of `kind::f16` on one CTA has N = a multiple of 8 up to 256, not 12");
  EXPECT_EQ(encodeProblem({.kind = "f16"}, with(halves, [](auto &s) { s.saturate = true; })),
            "`tcgen05.mma` of `kind::f16` does not saturate");
  EXPECT_EQ(encodeProblem({.kind = "i8"}, with(bytes, [](auto &s) { s.negateB = true; })),
            "`tcgen05.mma` of `kind::i8` does not negate its operands");
  EXPECT_EQ(encodeProblem({.kind = "i8"}, with(bytes, [](auto &s) { s.n = 24, s.transposeB = true; })),
            "`tcgen05.mma` of `kind::i8` has N = a multiple of 16 with 8-bit elements of B along N, not 24");
  EXPECT_EQ(encodeProblem({.kind = "mxf4"}, with(fours, [](auto &s) { s.transposeA = true; })),
            "`tcgen05.mma` of `kind::mxf4` takes A with K as the faster dimension only");
  EXPECT_EQ(encodeProblem({.kind = "f8f6f4"}, with(fours, [](auto &s) { s.transposeB = true; })),
            "`tcgen05.mma` of `kind::f8f6f4` takes `e2m1` with K as the faster dimension only");
  EXPECT_EQ(encodeProblem({.kind = "f16", .sparse = true}, with(halves, [](auto &s) { s.sparsitySelector = 2; })),
            "`tcgen05.mma.sp` of `kind::f16` has sparsity selector 0 or 1, not 2");
  EXPECT_EQ(encodeProblem({.kind = "f16"}, with(halves, [](auto &s) { s.maxShift = 8; })),
            "`tcgen05.mma` of `kind::f16` does not shift B's columns by up to 8");
  EXPECT_EQ(encodeProblem({.kind = "mxf4"}, with(fours, [](auto &s) { s.scaleIdA = 1; })),
            "`tcgen05.mma` of `kind::mxf4` has scale factor id 0 or 2 here, not 1");
  EXPECT_EQ(encodeProblem({.kind = "mxf4nvf4"}, fours),
            "`tcgen05.mma` of `kind::mxf4nvf4` says how many scales there are: `.block16` or `.block32`");
  EXPECT_EQ(encodeProblem({.kind = "f16", .scaleCount = 1}, halves),
            "`tcgen05.mma` of `kind::f16` has no block scales");
  EXPECT_EQ(decodeProblem({.kind = "f16"}, 0x08100050),
            "bit 6 of the instruction descriptor is reserved for `kind::f16`, and must be 0");
  EXPECT_EQ(decodeProblem({.kind = "f16"}, 0x08100110),
            "the instruction descriptor's type of A, 2, is none of `kind::f16`");
  EXPECT_EQ(decodeProblem({.kind = "f16"}, 0x08100014),
            "the instruction descriptor says that A is sparse (bit 2), the opcode that it is dense");
  EXPECT_EQ(decodeProblem({.kind = "f16", .sparse = true}, 0x08100010),
            "the instruction descriptor says that A is dense (bit 2), the opcode that it is sparse");
  EXPECT_EQ(decodeProblem({.kind = "f16"}, 0x00100010), "the instruction descriptor says M = 0");
  EXPECT_EQ(decodeProblem({.kind = "f16"}, 0x08100030),
            "the instruction descriptor's type of D, 3, is none of `tcgen05.mma`");
  EXPECT_EQ(decodeProblem({.kind = "f16"}, 0x10100010),
            "`tcgen05.mma` of `kind::f16` on one CTA has M = 64 or 128, not 256");
}

/// Every word of a kind is either refused or encodes back to itself.
TEST(InstructionDescriptor, WordsComeBack) {
  uint32_t seed = 1;
  for (int n = 0; n < 200'000; ++n) {
    seed = seed * 1664525 + 1013904223;
    const Case &from = kCases[n % std::size(kCases)];
    uint32_t bits = from.bits ^ 1u << (seed >> 27) ^ (n & 4 ? 1u << (seed >> 22 & 31) : 0);
    auto shape = decode(from.opcode, bits);
    if (!shape)
      continue;
    auto again = encode(from.opcode, *shape);
    ASSERT_TRUE(again) << std::hex << bits << ": " << again.error().message;
    ASSERT_EQ(*again, bits);
  }
}

TEST(MatrixDescriptor, IsReadAndWritten) {
  struct {
    uint64_t bits;
    MatrixDescriptor descriptor;
  } cases[] = {
      {0x4000404000000040, {.start = 1024, .stride = 1024, .swizzle = 128}},
      // JAX's words, which lack the version.
      {0x80000080'00400042, {.start = 1056, .leading = 1024, .stride = 2048, .swizzle = 64, .version = false}},
      {0xC0004010'00010000, {.leading = 16, .stride = 256, .swizzle = 32}},
      {0x20004040'02000000, {.leading = 8192, .stride = 1024, .swizzle = 128, .wideAtoms = true}},
      {0x40164040'00800040,
       {.start = 1024, .leading = 2048, .stride = 1024, .leadingIsAddress = true, .base = 3, .swizzle = 128}},
      {0x00004008'00000000, {.stride = 128}},
  };
  for (const auto &each : cases) {
    auto descriptor = decode(each.bits);
    ASSERT_TRUE(descriptor) << std::hex << each.bits << ": " << descriptor.error();
    EXPECT_EQ(*descriptor, each.descriptor) << std::hex << each.bits;
    EXPECT_EQ(encode(each.descriptor), each.bits);
  }
}

TEST(MatrixDescriptor, SaysWhatIsWrong) {
  EXPECT_EQ(decode(0x60000000'00000000).error(), "has swizzling mode 3, which there is not");
  EXPECT_EQ(decode(0x00008000'00000000).error(), "has 2 in bits 46 to 48, where 1 belongs");
  EXPECT_EQ(decode(0x00200000'00000000).error(), "has bit 53 set, which is reserved");
  EXPECT_EQ(decode(1ull << 14).error(), "has bit 14 set, which is reserved");
  EXPECT_EQ(decode(2ull << 49)->base, 2); // Triton also writes a base offset without a swizzle
}

} // namespace
} // namespace lanescope::layouts
