// wgmma: every type against plain matrix products, every N, every layout of a descriptor, and wrong descriptors.
// Operands are placed in shared memory by the canonical layouts of CUTLASS's mma_sm90_desc.hpp, written here in chunks
// of 16 bytes.
#include "tests/unit/emulator/EmulatorSupport.h"

#include "core/data/Numeric.h"
#include "layouts/SharedMemory.h"

#include <random>

namespace lanescope::core::test {
namespace {

struct Type {
  std::string name;
  int bits;
};
const Type kF16{"f16", 16}, kBf16{"bf16", 16}, kTf32{"tf32", 32}, kE4m3{"e4m3", 8}, kE5m2{"e5m2", 8}, kS8{"s8", 8},
    kU8{"u8", 8}, kB1{"b1", 1};

/// A matrix of raw elements, [mn][k].
using Raw = std::vector<std::vector<uint32_t>>;

double valueOf(const Type &type, uint32_t bits) {
  if (type.name == "f16")
    return f16ToF32(static_cast<uint16_t>(bits));
  if (type.name == "bf16")
    return bf16ToF32(static_cast<uint16_t>(bits));
  if (type.name == "tf32")
    return std::bit_cast<float>(bits >> 13 << 13);
  if (type.name == "e4m3")
    return decodeFloat(Dtype::F8E4M3FN, bits);
  if (type.name == "e5m2")
    return decodeFloat(Dtype::F8E5M2, bits);
  if (type.name == "s8")
    return static_cast<int8_t>(bits);
  return bits;
}

/// Random elements. Floats are small integers, so that all sums are exact.
Raw randomMatrix(const Type &type, int rows, int depth, std::mt19937 &random) {
  Raw out(static_cast<size_t>(rows), std::vector<uint32_t>(static_cast<size_t>(depth)));
  for (auto &row : out)
    for (uint32_t &bits : row) {
      auto small = static_cast<float>(static_cast<int>(random() % 9) - 4);
      if (type.name == "f16")
        bits = f32ToF16(small);
      else if (type.name == "bf16")
        bits = f32ToBf16(small);
      else if (type.name == "tf32")
        bits = std::bit_cast<uint32_t>(small) | (random() & 0x1FFF); // bits that the hardware does not read
      else if (type.name == "e4m3")
        bits = encodeFloat(Dtype::F8E4M3FN, small);
      else if (type.name == "e5m2")
        bits = encodeFloat(Dtype::F8E5M2, small);
      else
        bits = random() & (type.bits == 1 ? 1 : 0xFF);
    }
  return out;
}

struct Layout {
  int swizzle = 0;
  bool mnMajor = false;
  uint32_t leading = 0, stride = 0, start = 0; // in bytes; `start` is where the pattern begins
  uint32_t base = 0;

  /// The address of the 16-byte chunk that holds bytes from 16 * chunk on of line `mn` (K-major), or elements from 8 *
  /// chunk on of row k.
  uint32_t chunkAt(uint32_t mn, uint32_t k, uint32_t elementBytes) const {
    uint32_t width = static_cast<uint32_t>(swizzle) / 16; // chunks in a swizzled line
    uint32_t at = 0;
    if (!mnMajor) {
      uint32_t chunk = k * elementBytes / 16;
      at = swizzle ? mn % 8 * width * 16 + mn / 8 * stride + chunk * 16
                   : mn % 8 * 16 + mn / 8 * stride + chunk * leading;
    } else {
      uint32_t chunk = mn / 8;
      at = swizzle ? chunk % width * 16 + chunk / width * leading + k % 8 * width * 16 + k / 8 * stride
                   : chunk * stride + k % 8 * 16 + k / 8 * leading;
    }
    // The pattern begins at `start`, whatever its alignment.
    return start + (swizzle ? static_cast<uint32_t>(layouts::swizzledByte(at, swizzle)) : at);
  }
  void place(const Raw &matrix, const Type &type, std::vector<uint8_t> &memory) const {
    for (uint32_t mn = 0; mn < matrix.size(); ++mn)
      for (uint32_t k = 0; k < matrix[mn].size(); ++k) {
        if (type.bits == 1) {
          uint32_t at = chunkAt(mn, k / 8, 1) + k / 8 % 16;
          memory.at(at) |= static_cast<uint8_t>(matrix[mn][k] << (k % 8));
          continue;
        }
        auto bytes = static_cast<uint32_t>(type.bits / 8);
        uint32_t at = chunkAt(mn, k, bytes) + (mnMajor ? mn * bytes % 16 : k * bytes % 16);
        for (uint32_t b = 0; b < bytes; ++b)
          memory.at(at + b) = static_cast<uint8_t>(matrix[mn][k] >> (8 * b));
      }
  }
  /// All fields but the start address.
  uint64_t descriptor() const {
    uint64_t mode = swizzle == 128 ? 1 : swizzle == 64 ? 2 : swizzle == 32 ? 3 : 0;
    return static_cast<uint64_t>(leading / 16) << 16 | static_cast<uint64_t>(stride / 16) << 32 |
           static_cast<uint64_t>(base) << 49 | mode << 62;
  }
};

/// A dense layout of `rows` lines: K-major, 32 bytes of K.
Layout kMajor(int swizzle, uint32_t start, uint32_t rows) {
  Layout layout;
  layout.swizzle = swizzle;
  layout.start = start;
  layout.stride = swizzle ? static_cast<uint32_t>(swizzle) * 8 : 128;
  layout.leading = swizzle ? 0 : rows * 16;
  return layout;
}
/// A layout of 16 rows of K with 16-bit elements.
Layout mnMajor(int swizzle, uint32_t start) {
  Layout layout;
  layout.swizzle = swizzle;
  layout.mnMajor = true;
  layout.start = start;
  layout.stride = swizzle ? static_cast<uint32_t>(swizzle) * 8 : 256; // to the next 8 of K, or of M/N
  layout.leading = swizzle ? static_cast<uint32_t>(swizzle) * 16 : 128;
  return layout;
}

struct Case {
  Type a = kF16, b = kF16;
  std::string result = "f32";
  uint32_t columns = 8;
  Layout layoutA, layoutB;
  bool aInRegisters = false, accumulate = true, negateA = false, negateB = false, saturate = false;
  bool copiesInFlight = false; // copies half of the accumulators before the wait
  uint64_t extraBitsA = 0;
  uint32_t smemBytes = 96 * 1024;

  int depth() const { return 256 / a.bits; }
};

std::string kernelBody(const Case &c) {
  uint32_t registers = c.result == "f16" ? c.columns / 4 : c.columns / 2;
  std::string out = ".reg .b32 %acc<128>;\n.reg .b32 %copy<128>;\n.reg .b32 %frag<4>;\n"
                    "mov.u32 %r0, %tid.x;\nmov.u32 %r1, smem;\n"
                    // Copy the image to shared memory, 128 words at a time.
                    "mul.wide.u32 %d0, %r0, 4;\nadd.u64 %d1, %d50, %d0;\nshl.b32 %r2, %r0, 2;\nadd.u32 %r2, %r2, %r1;\n"
                    "mov.u32 %r3, 0;\n$copy:\nld.global.b32 %r4, [%d1];\nst.shared.b32 [%r2], %r4;\n"
                    "add.u64 %d1, %d1, 512;\nadd.u32 %r2, %r2, 512;\nadd.u32 %r3, %r3, 1;\n"
                    "setp.lt.u32 %p0, %r3, " +
                    std::to_string(c.smemBytes / 512) +
                    ";\n@%p0 bra $copy;\nfence.proxy.async.shared::cta;\nbar.sync 0;\n";
  auto descriptor = [&](const std::string &to, uint32_t start, uint64_t bits) {
    return "add.u32 %r5, %r1, " + std::to_string(start) + ";\nshr.u32 %r5, %r5, 4;\ncvt.u64.u32 " + to +
           ", %r5;\nor.b64 " + to + ", " + to + ", " + std::to_string(bits) + ";\n";
  };
  out += descriptor("%d10", c.layoutA.start, c.layoutA.descriptor() | c.extraBitsA);
  out += descriptor("%d11", c.layoutB.start, c.layoutB.descriptor());
  // Accumulators and A's fragment from p1 and p2.
  out += "mul.wide.u32 %d2, %r0, " + std::to_string(4 * registers) + ";\nadd.u64 %d3, %d51, %d2;\n";
  for (uint32_t r = 0; r < registers; ++r)
    out += "ld.global.b32 %acc" + std::to_string(r) + ", [%d3+" + std::to_string(4 * r) + "];\n";
  if (c.aInRegisters)
    out += "mul.wide.u32 %d4, %r0, 16;\nadd.u64 %d5, %d52, %d4;\nld.global.v4.b32 {%frag0, %frag1, %frag2, %frag3}, "
           "[%d5];\n";
  out += "setp.ne.u32 %p1, " + std::string(c.accumulate ? "1" : "0") + ", 0;\nwgmma.fence.sync.aligned;\n";
  out += "wgmma.mma_async.sync.aligned.m64n" + std::to_string(c.columns) + "k" + std::to_string(c.depth()) +
         (c.saturate ? ".satfinite." : ".") + c.result + "." + c.a.name + "." + c.b.name +
         (c.a.bits == 1 ? ".and.popc" : "") + " {";
  for (uint32_t r = 0; r < registers; ++r)
    out += (r ? ", %acc" : "%acc") + std::to_string(r);
  out += std::string("}, ") + (c.aInRegisters ? "{%frag0, %frag1, %frag2, %frag3}" : "%d10") + ", %d11, %p1";
  if (c.result != "s32")
    out += std::string(c.negateA ? ", -1" : ", 1") + (c.negateB ? ", -1" : ", 1");
  if (c.a.bits == 16)
    out += std::string(c.aInRegisters ? "" : c.layoutA.mnMajor ? ", 1" : ", 0") + (c.layoutB.mnMajor ? ", 1" : ", 0");
  const char *wait = "wgmma.wait_group.sync.aligned 0;\n";
  out += std::string(";\nwgmma.commit_group.sync.aligned;\n") + (c.copiesInFlight ? "" : wait);
  for (uint32_t r = 0; c.copiesInFlight && r < registers; ++r)
    out += "mov.b32 {%h0, %h1}, %acc" + std::to_string(r) + ";\nmov.b32 %copy" + std::to_string(r) + ", {%h0, %h1};\n";
  out += c.copiesInFlight ? wait : "";
  for (uint32_t r = 0; r < registers; ++r)
    out += "st.global.b32 [%d3+" + std::to_string(4 * r) + (c.copiesInFlight ? "], %copy" : "], %acc") +
           std::to_string(r) + ";\n";
  return out + "ret;\n";
}

Result<RunResult> runCase(const Case &c, const Raw &a, const Raw &b, const std::vector<uint32_t> &accumulators) {
  std::vector<uint8_t> memory(c.smemBytes);
  std::vector<uint32_t> fragments(512);
  if (c.aInRegisters)
    for (uint32_t row = 0; row < 64; ++row)
      for (uint32_t k = 0; k < a[row].size(); ++k) {
        // PTX ISA, "Register Fragments": four lanes hold 4 bytes each of a row's 16 bytes, then 4 bytes each of its
        // next 16.
        uint32_t bit = k * static_cast<uint32_t>(c.a.bits), byte = bit / 8;
        uint32_t thread = row / 16 * 32 + row % 8 * 4 + byte % 16 / 4, reg = row % 16 / 8 + byte / 16 * 2;
        fragments[thread * 4 + reg] |= a[row][k] << (bit % 32);
      }
  else
    c.layoutA.place(a, c.a, memory);
  c.layoutB.place(b, c.b, memory);
  std::vector<uint32_t> image(memory.size() / 4);
  std::memcpy(image.data(), memory.data(), memory.size());
  Kernel kernel;
  kernel.params = 3;
  kernel.threads = 128;
  kernel.dynamicSmem = c.smemBytes;
  kernel.declarations = ".extern .shared .align 1024 .b8 smem[];";
  kernel.body = kernelBody(c);
  return run(kernel, {u32Array(image), u32Array(accumulators), u32Array(fragments)});
}

/// The place of element (row, column) of the result: a word of a thread's registers and, for f16, the half.
size_t wordOf(const Case &c, uint32_t row, uint32_t column) {
  uint32_t registers = c.result == "f16" ? c.columns / 4 : c.columns / 2;
  uint32_t thread = row / 16 * 32 + row % 8 * 4 + column % 8 / 2;
  uint32_t reg = c.result == "f16" ? column / 8 * 2 + row % 16 / 8 : column / 8 * 4 + row % 16 / 8 * 2 + column % 2;
  return thread * registers + reg;
}

void check(const Case &c, unsigned seed = 1) {
  SCOPED_TRACE(c.result + "." + c.a.name + "." + c.b.name + " N " + std::to_string(c.columns) + ", swizzles " +
               std::to_string(c.layoutA.swizzle) + ", " + std::to_string(c.layoutB.swizzle));
  std::mt19937 random(seed);
  Raw a = randomMatrix(c.a, 64, c.depth(), random),
      b = randomMatrix(c.b, static_cast<int>(c.columns), c.depth(), random);
  std::vector<uint32_t> accumulators(128 * (c.result == "f16" ? c.columns / 4 : c.columns / 2));
  auto old = [&](uint32_t row, uint32_t column) { return static_cast<int>((row * 3 + column * 5) % 17) - 8; };
  for (uint32_t row = 0; row < 64; ++row)
    for (uint32_t column = 0; column < c.columns; ++column) {
      uint32_t &word = accumulators[wordOf(c, row, column)];
      auto value = static_cast<float>(old(row, column));
      if (c.result == "f16")
        word |= static_cast<uint32_t>(f32ToF16(value)) << (16 * (column % 2));
      else
        word = c.result == "f32" ? std::bit_cast<uint32_t>(value) : static_cast<uint32_t>(old(row, column));
    }
  auto result = runCase(c, a, b, accumulators);
  ASSERT_TRUE(result) << errorText(result.error());
  if (c.copiesInFlight)
    for (const Diagnostic &found : result->diagnostics)
      ASSERT_EQ(found.kind, "copied-in-flight") << errorText(result->diagnostics);
  ASSERT_EQ(result->diagnostics.empty(), !c.copiesInFlight) << errorText(result->diagnostics);
  auto out = words(result->outputs[1]);
  for (uint32_t row = 0; row < 64; ++row)
    for (uint32_t column = 0; column < c.columns; ++column) {
      double sum = 0;
      for (size_t k = 0; k < a[row].size(); ++k)
        sum += valueOf(c.a, a[row][k]) * valueOf(c.b, b[column][k]);
      if (c.negateA != c.negateB)
        sum = -sum;
      if (c.accumulate)
        sum += old(row, column);
      uint32_t word = out[wordOf(c, row, column)];
      double got = c.result == "f32"   ? std::bit_cast<float>(word)
                   : c.result == "s32" ? static_cast<double>(static_cast<int32_t>(word))
                                       : f16ToF32(static_cast<uint16_t>(word >> (16 * (column % 2))));
      ASSERT_EQ(got, sum) << row << ", " << column;
    }
}

TEST(Wgmma, EveryTypeMultiplies) {
  struct Row {
    Type a, b;
    const char *result;
  };
  const Row rows[] = {{kF16, kF16, "f32"},   {kF16, kF16, "f16"},   {kBf16, kBf16, "f32"}, {kTf32, kTf32, "f32"},
                      {kE4m3, kE4m3, "f32"}, {kE4m3, kE5m2, "f32"}, {kE5m2, kE4m3, "f16"}, {kE5m2, kE5m2, "f32"},
                      {kS8, kS8, "s32"},     {kS8, kU8, "s32"},     {kU8, kS8, "s32"},     {kU8, kU8, "s32"},
                      {kB1, kB1, "s32"}};
  for (const Row &row : rows)
    for (int swizzle : {0, 32, 64, 128})
      for (bool registers : {false, true}) {
        Case c;
        c.a = row.a;
        c.b = row.b;
        c.result = row.result;
        c.columns = 32;
        c.aInRegisters = registers;
        c.layoutA = kMajor(swizzle, 0, 64);
        c.layoutB = kMajor(swizzle, 32768, 32);
        c.smemBytes = 65536;
        check(c);
      }
}

/// ptxas accepts this and waits before the copy.
TEST(Wgmma, AccumulatorsCopiedInFlightAreRight) {
  for (const char *result : {"f32", "f16"})
    for (uint32_t columns : {8u, 64u}) {
      Case c;
      c.result = result;
      c.columns = columns;
      c.layoutA = kMajor(128, 0, 64);
      c.layoutB = kMajor(128, 32768, columns);
      c.smemBytes = 65536;
      c.copiesInFlight = true;
      check(c);
    }
}

TEST(Wgmma, EveryWidth) {
  for (uint32_t columns = 8; columns <= 256; columns += 8) {
    Case c;
    c.columns = columns;
    c.layoutA = kMajor(128, 0, 64);
    c.layoutB = kMajor(128, 16384, columns);
    c.negateA = columns % 16 == 0;
    c.negateB = columns % 24 == 0;
    c.accumulate = columns % 40 != 0;
    check(c, columns);
    c.a = c.b = kS8;
    c.result = "s32";
    c.negateA = c.negateB = false;
    if (columns % 16 == 0 || columns == 8 || columns == 24)
      check(c, columns);
  }
}

TEST(Wgmma, TransposedOperands) {
  for (const Type &type : {kF16, kBf16})
    for (int swizzleA : {0, 32, 64, 128})
      for (int swizzleB : {0, 32, 64, 128})
        for (uint32_t columns : {8u, 72u, 128u}) {
          Case c;
          c.a = c.b = type;
          c.columns = columns;
          c.layoutA = mnMajor(swizzleA, 0);
          c.layoutB = mnMajor(swizzleB, 32768);
          c.smemBytes = 65536;
          check(c);
        }
  Case mixed;
  mixed.layoutA = kMajor(64, 0, 64);
  mixed.layoutB = mnMajor(128, 32768);
  mixed.columns = 64;
  check(mixed);
  mixed.aInRegisters = true;
  check(mixed);
}

TEST(Wgmma, PatternsThatBeginBetweenBoundaries) {
  // The base offset says where in its 1024 bytes a pattern begins.
  for (uint32_t row : {1u, 3u, 7u}) {
    Case c;
    c.columns = 16;
    c.layoutA = kMajor(128, row * 128, 64);
    c.layoutA.base = row;
    c.layoutB = kMajor(64, 32768 + row * 128, 16);
    c.layoutB.base = row;
    c.smemBytes = 65536;
    check(c);
  }
  // Spread tiles have larger strides than dense ones.
  Case spread;
  spread.columns = 24;
  spread.layoutA = kMajor(0, 0, 64);
  spread.layoutA.stride = 272;
  spread.layoutA.leading = 4096;
  spread.layoutB = mnMajor(0, 16384);
  spread.layoutB.stride = 512;
  spread.layoutB.leading = 2048;
  check(spread);
}

TEST(Wgmma, SaturatesIntegers) {
  Case c;
  c.a = c.b = kU8;
  c.result = "s32";
  c.layoutA = kMajor(0, 0, 64);
  c.layoutB = kMajor(0, 8192, 8);
  Raw ones(64, std::vector<uint32_t>(32, 255)), columns(8, std::vector<uint32_t>(32, 255));
  for (bool saturate : {false, true}) {
    c.saturate = saturate;
    auto result = runCase(c, ones, columns, std::vector<uint32_t>(512, 0x7FFFFFFF));
    ASSERT_TRUE(result) << errorText(result.error());
    for (uint32_t word : words(result->outputs[1]))
      ASSERT_EQ(word, saturate ? 0x7FFFFFFFu : 0x7FFFFFFFu + 32u * 255 * 255);
  }
}

void expectFault(const Case &c, std::string_view why) {
  auto result = runCase(c, Raw(64, std::vector<uint32_t>(16)), Raw(c.columns, std::vector<uint32_t>(16)),
                        std::vector<uint32_t>(64 * c.columns));
  ASSERT_TRUE(result) << errorText(result.error());
  ASSERT_FALSE(result->diagnostics.empty()) << why;
  EXPECT_EQ(result->diagnostics.back().kind, "wgmma-descriptor");
  EXPECT_TRUE(mentions(result->diagnostics, why)) << errorText(result->diagnostics);
  EXPECT_TRUE(mentions(result->diagnostics, "wgmma.mma_async")) << errorText(result->diagnostics);
}

TEST(Wgmma, BadDescriptorsAreFaults) {
  Case good;
  good.columns = 64;
  good.layoutA = kMajor(128, 0, 64);
  good.layoutB = kMajor(128, 32768, 64);
  check(good);
  Case c = good;
  c.extraBitsA = 1ull << 46; // tcgen05's constant bits
  expectFault(c, "reserved");
  c = good;
  c.layoutA = kMajor(0, 0, 64);
  c.layoutA.base = 2;
  expectFault(c, "base offset");
  c = good;
  c.layoutA.start = 112;
  expectFault(c, "112 bytes into a 128-byte line");
  Case outside = good;
  outside.layoutB.stride = 16 * 1024; // 8 tiles of 8 columns reach past 96 KiB
  Raw a(64, std::vector<uint32_t>(16)), b(8, std::vector<uint32_t>(16));
  auto result = runCase(outside, a, b, std::vector<uint32_t>(64 * 64));
  ASSERT_TRUE(result) << errorText(result.error());
  EXPECT_TRUE(mentions(result->diagnostics, "the descriptor of B covers shared addresses"))
      << errorText(result->diagnostics);
}

TEST(Wgmma, NeedsAWholeWarpgroupAndOneDescriptor) {
  Kernel kernel;
  kernel.declarations = ".extern .shared .align 1024 .b8 smem[];";
  kernel.dynamicSmem = 16384;
  const std::string mma =
      "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0,%f1,%f2,%f3}, %d0, %d0, 1, 1, 1, 0, 0;\n";
  kernel.body = "mov.u64 %d0, 0x0000004000400040;\n" + mma;
  kernel.params = 0;
  auto result = run(kernel, {});
  ASSERT_TRUE(result) << errorText(result.error());
  EXPECT_TRUE(mentions(result->diagnostics, "four warps")) << errorText(result->diagnostics);
  kernel.threads = 128;
  kernel.body = "mov.u32 %r0, %laneid;\ncvt.u64.u32 %d0, %r0;\nadd.u64 %d0, %d0, 0x0000004000400040;\n" + mma;
  result = run(kernel, {});
  ASSERT_TRUE(result) << errorText(result.error());
  EXPECT_TRUE(mentions(result->diagnostics, "differs between lanes 0 and 1")) << errorText(result->diagnostics);
}

TEST(Wgmma, RefusesWhatHopperHasNot) {
  Kernel kernel;
  kernel.params = 0;
  kernel.threads = 128;
  for (const char *bad :
       {"wgmma.mma_async.sync.aligned.m64n8k16.f16.bf16.bf16 {%r0,%r1}, %d0, %d1, %p0, 1, 1, 0, 0;",
        "wgmma.mma_async.sync.aligned.m64n8k32.f32.f16.f16 {%f0,%f1,%f2,%f3}, %d0, %d1, %p0, 1, 1, 0, 0;",
        "wgmma.mma_async.sync.aligned.m64n40k32.s32.s8.s8 {%r0,%r1,%r2,%r3}, %d0, %d1, %p0;",
        "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0,%f1,%f2,%f3}, %d0, %d1, %p0, 2, 1, 0, 0;",
        "wgmma.mma_async.sync.aligned.m64n8k8.f32.tf32.tf32 {%f0,%f1,%f2,%f3}, %d0, %d1, %p0, 1, 1, 0, 0;",
        "wgmma.mma_async.sp.sync.aligned.m64n8k16.f32.f16.f16 {%f0,%f1,%f2,%f3}, %d0, %d1, %r0, 0, %p0, 1, 1, 0, 0;"}) {
    kernel.body = bad;
    auto result = run(kernel, {});
    EXPECT_FALSE(result) << bad;
  }
}

} // namespace
} // namespace lanescope::core::test
