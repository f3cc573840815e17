// mma.sync: every shape and type of sm_90 against plain matrix products. The fragments are filled element by element
// with the formulas of the PTX ISA (9.7.14.5, "Matrix Fragments for mma.…"). Also movmatrix, ldmatrix and stmatrix.
#include "tests/unit/emulator/EmulatorSupport.h"

#include "core/data/Numeric.h"

#include <functional>
#include <random>

namespace lanescope::core::test {
namespace {

struct Shape {
  int m, k;
  const char *a, *b, *result; // PTX types
  const char *after = "";     // `.and.popc`
};

int bitsOf(const std::string &type) {
  for (auto [name, bits] : {std::pair("f64", 64), std::pair("tf32", 32), std::pair("f16", 16), std::pair("bf16", 16),
                            std::pair("b1", 1), std::pair("s4", 4), std::pair("u4", 4)})
    if (type == name)
      return bits;
  return 8;
}

uint64_t encode(const std::string &type, int value) {
  if (type == "f16")
    return f32ToF16(static_cast<float>(value));
  if (type == "bf16")
    return f32ToBf16(static_cast<float>(value));
  if (type == "tf32")
    return std::bit_cast<uint32_t>(static_cast<float>(value)) | 0x155; // bits that the instruction does not read
  if (type == "e4m3")
    return encodeFloat(Dtype::F8E4M3FN, value);
  if (type == "e5m2")
    return encodeFloat(Dtype::F8E5M2, value);
  if (type == "f64")
    return std::bit_cast<uint64_t>(static_cast<double>(value));
  return static_cast<uint64_t>(value) & ((1ull << bitsOf(type)) - 1);
}

int randomValue(const std::string &type, std::mt19937 &random) {
  int r = static_cast<int>(random() & 0xFFFF);
  return type == "b1"   ? r & 1
         : type == "u4" ? r & 15
         : type == "s4" ? (r & 15) - 8
         : type == "u8" ? r & 255
         : type == "s8" ? (r & 255) - 128
                        : r % 9 - 4;
}

/// Row and column (of K) of element i of the lane's fragment of A, from the ISA's text for the shape.
std::pair<int, int> placeA(const Shape &s, int lane, int i) {
  std::string type = s.a;
  int g = lane / 4, t = lane % 4, perRegister = type == "f64" ? 1 : 32 / bitsOf(type), reg = i / perRegister;
  if (s.m == 8)
    return {g, t * perRegister + i % perRegister + reg * 4 * perRegister};
  return {g + (reg % 2 ? 8 : 0), t * perRegister + i % perRegister + (reg >= 2 ? reg / 2 * 4 * perRegister : 0)};
}
std::pair<int, int> placeB(const Shape &s, int lane, int i) {
  std::string type = s.b;
  int perRegister = type == "f64" ? 1 : 32 / bitsOf(type), reg = i / perRegister;
  return {lane / 4, lane % 4 * perRegister + i % perRegister + reg * 4 * perRegister};
}
std::pair<int, int> placeC(int lane, int i) { return {lane / 4 + (i >= 2 ? 8 : 0), lane % 4 * 2 + i % 2}; }

std::string list(const std::string &prefix, size_t count, size_t from = 0) {
  std::string out = "{";
  for (size_t n = 0; n < count; ++n)
    out += (n ? ", " : "") + prefix + std::to_string(from + n);
  return out + "}";
}

/// Runs one mma. `words[lane]` are the registers of A, B and C in a row, as 32-bit words. Returns those of D.
std::vector<std::vector<uint32_t>> runMma(const std::string &opcode, bool wide, size_t na, size_t nb, size_t nc,
                                          size_t nd, const std::vector<std::vector<uint32_t>> &registers) {
  Kernel kernel;
  size_t unit = wide ? 8 : 4, total = na + nb + nc;
  std::string type = wide ? "b64" : "b32";
  kernel.body = ".reg ." + type + " %in<40>;\n.reg ." + type + " %out<16>;\nmov.u32 %r0, %tid.x;\n" +
                "mul.wide.u32 %d0, %r0, " + std::to_string(total * unit) + ";\nadd.u64 %d0, %d0, %d50;\n" +
                "mul.wide.u32 %d1, %r0, " + std::to_string(nd * unit) + ";\nadd.u64 %d1, %d1, %d51;\n";
  for (size_t n = 0; n < total; ++n)
    kernel.body += "ld.global." + type + " %in" + std::to_string(n) + ", [%d0+" + std::to_string(n * unit) + "];\n";
  kernel.body += opcode + " " + list("%out", nd) + ", " + list("%in", na) + ", " + list("%in", nb, na) + ", " +
                 list("%in", nc, na + nb) + ";\n";
  for (size_t n = 0; n < nd; ++n)
    kernel.body += "st.global." + type + " [%d1+" + std::to_string(n * unit) + "], %out" + std::to_string(n) + ";\n";
  kernel.body += "ret;";
  std::vector<uint32_t> flat;
  for (const auto &lane : registers)
    flat.insert(flat.end(), lane.begin(), lane.end());
  auto result = run(kernel, {u32Array(flat), u32Array(std::vector<uint32_t>(32 * nd * unit / 4))});
  std::vector<std::vector<uint32_t>> out(32);
  if (!result) {
    ADD_FAILURE() << errorText(result.error());
    return {};
  }
  EXPECT_TRUE(result->diagnostics.empty()) << errorText(result->diagnostics);
  auto all = words(result->outputs[1]);
  for (size_t l = 0; l < 32; ++l)
    out[l].assign(all.begin() + static_cast<long>(l * nd * unit / 4),
                  all.begin() + static_cast<long>((l + 1) * nd * unit / 4));
  return out;
}

void put(std::vector<uint32_t> &words, int element, int bits, uint64_t value) {
  size_t bit = static_cast<size_t>(element) * static_cast<size_t>(bits);
  words[bit / 32] |= static_cast<uint32_t>(value << (bit % 32));
  if (bits == 64)
    words[bit / 32 + 1] |= static_cast<uint32_t>(value >> 32);
}

void check(const Shape &s) {
  std::string a = s.a, b = s.b, result = s.result, after = s.after;
  std::string opcode = "mma.sync.aligned.m" + std::to_string(s.m) + "n8k" + std::to_string(s.k) + ".row.col." + result +
                       "." + a + "." + b + "." + result + after;
  SCOPED_TRACE(opcode);
  bool wide = a == "f64";
  std::mt19937 random(static_cast<unsigned>(s.m * 1000 + s.k));
  std::vector<std::vector<int>> A(16, std::vector<int>(256)), B(8, std::vector<int>(256)), C(16, std::vector<int>(8));
  for (auto &row : A)
    for (int &v : row)
      v = randomValue(a, random);
  for (auto &row : B)
    for (int &v : row)
      v = randomValue(b, random);
  for (auto &row : C)
    for (int &v : row)
      v = static_cast<int>(random() % 21) - 10;
  int elementsA = s.m * s.k / 32, elementsB = 8 * s.k / 32, elementsC = s.m / 4;
  int bitsC = wide ? 64 : result == "f16" ? 16 : 32;
  auto wordsOf = [](int elements, int bits) { return static_cast<size_t>(elements * bits / 32); };
  size_t na = wordsOf(elementsA, bitsOf(a)), nb = wordsOf(elementsB, bitsOf(b)), nc = wordsOf(elementsC, bitsC);
  std::vector<std::vector<uint32_t>> registers;
  for (int lane = 0; lane < 32; ++lane) {
    std::vector<uint32_t> partA(na), partB(nb), partC(nc);
    for (int i = 0; i < elementsA; ++i) {
      auto [row, k] = placeA(s, lane, i);
      put(partA, i, bitsOf(a), encode(a, A[static_cast<size_t>(row)][static_cast<size_t>(k)]));
    }
    for (int i = 0; i < elementsB; ++i) {
      auto [column, k] = placeB(s, lane, i);
      put(partB, i, bitsOf(b), encode(b, B[static_cast<size_t>(column)][static_cast<size_t>(k)]));
    }
    for (int i = 0; i < elementsC; ++i) {
      auto [row, column] = placeC(lane, i);
      int v = C[static_cast<size_t>(row)][static_cast<size_t>(column)];
      put(partC, i, bitsC,
          result == "f32"   ? std::bit_cast<uint32_t>(static_cast<float>(v))
          : result == "s32" ? static_cast<uint32_t>(v)
                            : encode(result, v));
    }
    partA.insert(partA.end(), partB.begin(), partB.end());
    partA.insert(partA.end(), partC.begin(), partC.end());
    registers.push_back(partA);
  }
  size_t unit = wide ? 2 : 1;
  auto out = runMma(opcode, wide, na / unit, nb / unit, nc / unit, nc / unit, registers);
  ASSERT_EQ(out.size(), 32u);
  for (int lane = 0; lane < 32; ++lane)
    for (int i = 0; i < elementsC; ++i) {
      auto [row, column] = placeC(lane, i);
      double sum = C[static_cast<size_t>(row)][static_cast<size_t>(column)];
      for (size_t k = 0; k < static_cast<size_t>(s.k); ++k) {
        int x = A[static_cast<size_t>(row)][k], y = B[static_cast<size_t>(column)][k];
        sum += after == ".xor.popc" ? x ^ y : x * y;
      }
      const auto &words = out[static_cast<size_t>(lane)];
      auto n = static_cast<size_t>(i);
      double got = wide ? std::bit_cast<double>(words[2 * n] | static_cast<uint64_t>(words[2 * n + 1]) << 32)
                   : result == "f32" ? std::bit_cast<float>(words[n])
                   : result == "s32" ? static_cast<int32_t>(words[n])
                                     : f16ToF32(static_cast<uint16_t>(words[n / 2] >> (16 * (n % 2))));
      ASSERT_EQ(got, sum) << "lane " << lane << " element " << i;
    }
}

TEST(Mma, EveryShapeAndType) {
  for (const Shape &s : std::initializer_list<Shape>{{16, 8, "f16", "f16", "f16"},
                                                     {16, 8, "f16", "f16", "f32"},
                                                     {16, 16, "f16", "f16", "f16"},
                                                     {16, 16, "f16", "f16", "f32"},
                                                     {16, 8, "bf16", "bf16", "f32"},
                                                     {16, 16, "bf16", "bf16", "f32"},
                                                     {16, 4, "tf32", "tf32", "f32"},
                                                     {16, 8, "tf32", "tf32", "f32"},
                                                     {8, 4, "f64", "f64", "f64"},
                                                     {16, 4, "f64", "f64", "f64"},
                                                     {16, 8, "f64", "f64", "f64"},
                                                     {16, 16, "f64", "f64", "f64"},
                                                     {16, 16, "e4m3", "e5m2", "f32"},
                                                     {16, 32, "e4m3", "e4m3", "f32"},
                                                     {16, 32, "e5m2", "e4m3", "f16"},
                                                     {16, 16, "e5m2", "e5m2", "f16"}})
    check(s);
  for (const char *a : {"s8", "u8"})
    for (const char *b : {"s8", "u8"})
      for (auto [m, k] : {std::pair(8, 16), std::pair(16, 16), std::pair(16, 32)})
        check({m, k, a, b, "s32"});
  for (const char *a : {"s4", "u4"})
    for (const char *b : {"s4", "u4"})
      for (auto [m, k] : {std::pair(8, 32), std::pair(16, 32), std::pair(16, 64)})
        check({m, k, a, b, "s32"});
  for (const char *op : {".and.popc", ".xor.popc"})
    for (auto [m, k] : {std::pair(8, 128), std::pair(16, 128), std::pair(16, 256)})
      check({m, k, "b1", "b1", "s32", op});
}

TEST(Mma, SaturatesOnRequest) {
  std::vector<std::vector<uint32_t>> registers(32, {0x7F7F7F7F, 0x7F7F7F7F, 0x7FFFFFFF, 0x80000000});
  auto wrapped = runMma("mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32", false, 1, 1, 2, 2, registers);
  auto clamped = runMma("mma.sync.aligned.m8n8k16.row.col.satfinite.s32.s8.s8.s32", false, 1, 1, 2, 2, registers);
  uint32_t sum = 16 * 127 * 127;
  for (size_t l = 0; l < 32; ++l) {
    EXPECT_EQ(wrapped[l], (std::vector<uint32_t>{0x7FFFFFFF + sum, 0x80000000 + sum}));
    EXPECT_EQ(clamped[l], (std::vector<uint32_t>{0x7FFFFFFF, 0x80000000 + sum}));
  }
}

TEST(Mma, RoundsDoublesAsAsked) {
  // 1 + 2^-60 four times, in each direction.
  auto run = [](const char *mode) {
    auto two = [](double v) {
      auto bits = std::bit_cast<uint64_t>(v);
      return std::vector<uint32_t>{static_cast<uint32_t>(bits), static_cast<uint32_t>(bits >> 32)};
    };
    std::vector<uint32_t> lane;
    for (double v : {0x1p-30, 0x1p-30, 1.0, -1.0})
      for (uint32_t word : two(v))
        lane.push_back(word);
    auto out = runMma(std::string("mma.sync.aligned.m8n8k4.row.col.") + mode + "f64.f64.f64.f64", true, 1, 1, 2, 2,
                      std::vector<std::vector<uint32_t>>(32, lane));
    return std::pair(std::bit_cast<double>(out[5][0] | static_cast<uint64_t>(out[5][1]) << 32),
                     std::bit_cast<double>(out[5][2] | static_cast<uint64_t>(out[5][3]) << 32));
  };
  EXPECT_EQ(run(""), std::pair(1.0, -1.0));
  EXPECT_EQ(run("rn."), std::pair(1.0, -1.0));
  EXPECT_EQ(run("rz."), std::pair(1.0, -1.0 + 4 * 0x1p-53));
  EXPECT_EQ(run("rm."), std::pair(1.0, -1.0));
  EXPECT_EQ(run("rp."), std::pair(1.0 + 4 * 0x1p-52, -1.0 + 4 * 0x1p-53));
}

/// m8n8k4 of f16 computes four products; the places follow the ISA's text.
TEST(Mma, QuadPairs) {
  for (bool columnA : {false, true})
    for (bool rowB : {false, true})
      for (auto [dType, cType] : {std::pair("f16", "f16"), std::pair("f32", "f16"), std::pair("f32", "f32")}) {
        std::mt19937 random(7);
        int A[4][8][4], B[4][4][8], C[4][8][8];
        for (int q = 0; q < 4; ++q)
          for (int r = 0; r < 8; ++r)
            for (int k = 0; k < 8; ++k) {
              C[q][r][k] = static_cast<int>(random() % 9) - 4;
              if (k < 4)
                A[q][r][k] = static_cast<int>(random() % 9) - 4, B[q][k][r] = static_cast<int>(random() % 9) - 4;
            }
        auto placeOf = [](const std::string &type, int l, int i) {
          int add = l < 16 ? 0 : 4;
          return type == "f16" ? std::pair(l % 4 + add, i)
                               : std::pair((l & 1) + (i & 2) + add, (i & 4) + (l & 2) + (i & 1));
        };
        std::vector<std::vector<uint32_t>> registers;
        size_t nc = std::string(cType) == "f16" ? 4 : 8, nd = std::string(dType) == "f16" ? 4 : 8;
        for (int l = 0; l < 32; ++l) {
          std::vector<uint32_t> words(2), b(2), c(nc);
          int q = l % 16 / 4, add = l < 16 ? 0 : 4;
          for (int i = 0; i < 4; ++i) {
            put(words, i, 16, encode("f16", columnA ? A[q][i + add][l % 4] : A[q][l % 4 + add][i]));
            put(b, i, 16, encode("f16", rowB ? B[q][l % 4][i + add] : B[q][i][l % 4 + add]));
          }
          for (int i = 0; i < 8; ++i) {
            auto [row, column] = placeOf(cType, l, i);
            if (nc == 4)
              put(c, i, 16, encode("f16", C[q][row][column]));
            else
              c[static_cast<size_t>(i)] = std::bit_cast<uint32_t>(static_cast<float>(C[q][row][column]));
          }
          words.insert(words.end(), b.begin(), b.end());
          words.insert(words.end(), c.begin(), c.end());
          registers.push_back(words);
        }
        std::string opcode = std::string("mma.sync.aligned.m8n8k4.") + (columnA ? "col." : "row.") +
                             (rowB ? "row." : "col.") + dType + ".f16.f16." + cType;
        auto out = runMma(opcode, false, 2, 2, nc, nd, registers);
        ASSERT_EQ(out.size(), 32u);
        for (int l = 0; l < 32; ++l)
          for (int i = 0; i < 8; ++i) {
            auto [row, column] = placeOf(dType, l, i);
            int q = l % 16 / 4, sum = C[q][row][column];
            for (int k = 0; k < 4; ++k)
              sum += A[q][row][k] * B[q][k][column];
            const auto &words = out[static_cast<size_t>(l)];
            auto n = static_cast<size_t>(i);
            float got = nd == 4 ? f16ToF32(static_cast<uint16_t>(words[n / 2] >> (16 * (n % 2))))
                                : std::bit_cast<float>(words[n]);
            ASSERT_EQ(got, static_cast<float>(sum)) << opcode << " lane " << l << " element " << i;
          }
      }
}

TEST(Mma, RefusesWhatHopperHasNot) {
  Kernel kernel;
  kernel.params = 0;
  for (const char *bad :
       {"mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f32 {%r0,%r1}, {%r4,%r5,%r2,%r3}, {%r6,%r7}, {%f0,%f1,%f2,%f3};",
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.bf16.f32 {%f0,%f1,%f2,%f3}, {%r4,%r5,%r2,%r3}, {%r6,%r7}, "
        "{%f0,%f1,%f2,%f3};",
        "mma.sync.aligned.m16n8k32.row.col.s32.s8.s4.s32 {%r0,%r1,%r2,%r3}, {%r4,%r5,%r8,%r9}, {%r6,%r7}, "
        "{%r0,%r1,%r2,%r3};",
        "mma.sync.aligned.m16n8k16.row.row.f32.f16.f16.f32 {%f0,%f1,%f2,%f3}, {%r4,%r5,%r2,%r3}, {%r6,%r7}, "
        "{%f0,%f1,%f2,%f3};",
        "mma.sync.aligned.m16n8k32.row.col.kind::f8f6f4.f32.e4m3.e5m2.f32 {%f0,%f1,%f2,%f3}, {%r4,%r5,%r8,%r9}, "
        "{%r6,%r7}, {%f0,%f1,%f2,%f3};",
        "mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f0,%f1,%f2,%f3}, {%r4,%r5}, {%r6,%r7}, "
        "{%f0,%f1,%f2,%f3}, %r10, 0x7;",
        "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f0,%f1,%f2}, {%r4,%r5}, {%r6}, {%f0,%f1,%f2,%f3};"}) {
    kernel.body = bad;
    EXPECT_FALSE(run(kernel, {})) << bad;
  }
}

TEST(Matrix, MovmatrixTransposes) {
  std::vector<uint32_t> in(32);
  for (uint32_t row = 0; row < 8; ++row)
    for (uint32_t c = 0; c < 4; ++c)
      in[row * 4 + c] = (row * 8 + 2 * c) | (row * 8 + 2 * c + 1) << 16;
  auto out = perLane(in, "movmatrix.sync.aligned.m8n8.trans.b16 %r1, %r0;");
  for (uint32_t row = 0; row < 8; ++row)
    for (uint32_t c = 0; c < 4; ++c)
      EXPECT_EQ(out[row * 4 + c], (2 * c * 8 + row) | ((2 * c + 1) * 8 + row) << 16);
}

/// stmatrix followed by ldmatrix through a generic address gives back the stored values, also with `trans` on both
/// sides.
TEST(Matrix, StoreAndLoadAreInverse) {
  for (const char *trans : {"", ".trans"})
    for (int count : {1, 2, 4}) {
      std::vector<uint32_t> in(32);
      for (uint32_t l = 0; l < 32; ++l)
        in[l] = l * 0x10003 + 0x1234;
      std::string
          x = ".x" + std::to_string(count) + trans,
          body =
              ".shared .align 16 .b8 tile[512];\nmov.u32 %r10, %tid.x;\nshl.b32 %r11, %r10, 4;\nmov.u32 %r12, tile;\n"
              "add.u32 %r11, %r11, %r12;\ncvt.u64.u32 %d0, %r11;\ncvta.shared.u64 %d1, %d0;\n";
      for (int n = 0; n < count; ++n)
        body += "add.u32 %r2" + std::to_string(n) + ", %r0, " + std::to_string(n) + ";\n";
      std::string from = list("%r", static_cast<size_t>(count), 20), to = list("%r", static_cast<size_t>(count), 30);
      body += "stmatrix.sync.aligned.m8n8" + x + ".shared.b16 [%r11], " + from +
              ";\nbar.warp.sync -1;\nldmatrix.sync.aligned.m8n8" + x + ".b16 " + to + ", [%d1];\nmov.b32 %r1, %r3" +
              std::to_string(count - 1) + ";\n";
      auto out = perLane(in, body);
      for (uint32_t l = 0; l < 32; ++l)
        EXPECT_EQ(out[l], in[l] + static_cast<uint32_t>(count) - 1) << x;
    }
}

/// Rows of 16 bytes, one for each lane: byte b of lane l holds 7 l + 31 b.
uint8_t tileByte(uint32_t lane, uint32_t byte) { return static_cast<uint8_t>(7 * lane + 31 * byte); }
const char *kByteTile = ".shared .align 16 .b8 tile[512];\nmov.u32 %r10, %tid.x;\nshl.b32 %r11, %r10, 4;\n"
                        "mov.u32 %r12, tile;\nadd.u32 %r11, %r11, %r12;\n";
std::string fillTile() {
  std::string body = kByteTile;
  body += "mul.lo.u32 %r13, %r10, 7;\n";
  for (int word = 0; word < 4; ++word) {
    body += "mov.u32 %r14, 0;\n";
    for (int b = 3; b >= 0; --b)
      body += "add.u32 %r15, %r13, " + std::to_string(31 * (4 * word + b)) +
              ";\nand.b32 %r15, %r15, 255;\nshl.b32 %r14, %r14, 8;\nor.b32 %r14, %r14, %r15;\n";
    body += "st.shared.u32 [%r11+" + std::to_string(4 * word) + "], %r14;\n";
  }
  return body + "bar.warp.sync 0xffffffff;\n";
}

TEST(Matrix, LoadsBytes) {
  struct {
    const char *form;
    uint32_t registers, bits;
    bool transposed;
  } forms[] = {
      {"m16n16.x1.trans.shared.b8", 2, 8, true},
      {"m16n16.x2.trans.shared.b8", 4, 8, true},
      {"m8n16.x4.shared.b8x16.b4x16_p64", 4, 4, false},
      {"m8n16.x1.shared.b8x16.b6x16_p32", 1, 6, false},
      {"m16n16.x2.trans.shared.b8x16.b6x16_p32", 4, 6, true},
      {"m16n16.x1.trans.shared.b8x16.b4x16_p64", 2, 4, true},
  };
  for (const auto &f : forms)
    for (uint32_t n = 0; n < f.registers; ++n) {
      auto out = perLane(std::vector<uint32_t>(32),
                         fillTile() + "ldmatrix.sync.aligned." + f.form + " " + list("%r", f.registers, 20) +
                             ", [%r11];\nmov.b32 %r1, %r" + std::to_string(20 + n) + ";\n",
                         "sm_100a");
      for (uint32_t l = 0; l < 32; ++l)
        for (uint32_t b = 0; b < 4; ++b) {
          uint32_t row = f.transposed ? n / 2 * 16 + l % 4 * 4 + b : n * 8 + l / 4;
          uint32_t column = f.transposed ? l / 4 + n % 2 * 8 : l % 4 * 4 + b, at = column * f.bits;
          uint32_t pair = tileByte(row, at / 8) | (at / 8 < 15 ? tileByte(row, at / 8 + 1) : 0) << 8;
          EXPECT_EQ(out[l] >> 8 * b & 255, pair >> at % 8 & ((1u << f.bits) - 1)) << f.form << ", lane " << l;
        }
    }
}

TEST(Matrix, StoresBytes) {
  std::vector<uint32_t> in(32);
  for (uint32_t l = 0; l < 32; ++l)
    in[l] = l * 0x01030507;
  for (uint32_t count : {1u, 2u, 4u})
    for (uint32_t word = 0; word < 4; ++word) {
      std::string body = kByteTile;
      for (uint32_t n = 0; n < count; ++n)
        body += "add.u32 %r" + std::to_string(20 + n) + ", %r0, " + std::to_string(n) + ";\n";
      auto out = perLane(in,
                         body + "stmatrix.sync.aligned.m16n8.x" + std::to_string(count) + ".trans.shared.b8 [%r11], " +
                             list("%r", count, 20) + ";\nbar.warp.sync 0xffffffff;\nmov.u32 %r1, 0;\n" +
                             "setp.lt.u32 %p1, %r10, " + std::to_string(8 * count) +
                             ";\n@%p1 ld.shared.u32 %r1, [%r11+" + std::to_string(4 * word) + "];\n",
                         "sm_100a");
      for (uint32_t l = 0; l < 8 * count; ++l)
        for (uint32_t b = 0; b < 4; ++b) {
          uint32_t column = 4 * word + b, row = l % 8, lane = column % 8 * 4 + row / 2;
          uint32_t wanted = (in[lane] + l / 8) >> 8 * (column / 8 * 2 + row % 2) & 255;
          EXPECT_EQ(out[l] >> 8 * b & 255, wanted) << "x" << count << ", row " << l << ", byte " << column;
        }
    }
}

} // namespace
} // namespace lanescope::core::test
