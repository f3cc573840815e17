// Sums of the tensor cores: an H200's results (tests/golden/tensor_sums.txt), and tiles against the rule in wide
// integers.
#include "tests/unit/emulator/EmulatorSupport.h"

#include "core/gpu/emulator/numbers/NarrowFloat.h"
#include "core/gpu/emulator/tensor/TensorSum.h"

#include <map>
#include <random>

namespace lanescope::core::test {
namespace {

using namespace emulator;

// --- an H200's sums ------------------------------------------------------------------------------------------------

struct Row {
  std::vector<uint32_t> a, b, old, result; // 32-bit words, with elements packed from the lowest bits
};

/// Packs elements that are written one after another, each with its highest digit first.
std::vector<uint32_t> packed(const std::string &digits, size_t bits) {
  size_t per = bits / 4;
  std::vector<uint32_t> out((digits.size() * 4 + 31) / 32);
  for (size_t n = 0; n < digits.size() / per; ++n) {
    uint64_t value = std::stoull(digits.substr(n * per, per), nullptr, 16);
    out[n * bits / 32] |= static_cast<uint32_t>(value << (n * bits % 32));
    if (bits == 64)
      out[n * 2 + 1] |= static_cast<uint32_t>(value >> 32);
  }
  return out;
}

size_t bitsOfType(const std::string &type) {
  return type == "f64" ? 64 : type == "f32" || type == "tf32" ? 32 : type == "e4m3" || type == "e5m2" ? 8 : 16;
}

std::vector<std::string> split(const std::string &text, char at) {
  std::vector<std::string> out;
  std::stringstream in(text);
  for (std::string part; std::getline(in, part, at);)
    out.push_back(part);
  return out;
}

/// The instructions in the form that the file uses, with their rows.
std::map<std::string, std::vector<Row>> goldenRows() {
  std::map<std::string, std::vector<Row>> out;
  std::stringstream in(readFile(std::string(LANESCOPE_SOURCE_DIR) + "/tests/golden/tensor_sums.txt"));
  for (std::string line; std::getline(in, line);) {
    auto fields = split(line, ' ');
    if (line.starts_with("#") || fields.size() != 5)
      continue;
    auto parts = split(fields[0], '.');
    size_t bits = bitsOfType(parts[3]), result = bitsOfType(parts[2]);
    out[fields[0]].push_back({packed(fields[1], bits), packed(fields[2], bits), packed(fields[3], fields[3].size() * 4),
                              packed(fields[4], result)});
  }
  return out;
}

std::string registers(const std::string &name, size_t first, size_t count) {
  std::string out = "{";
  for (size_t n = 0; n < count; ++n)
    out += (n ? ", %" : "%") + name + std::to_string(first + n);
  return out + "}";
}

/// Runs one block for each row. A block gets `perBlock` words of `in` and returns `perResult` words.
std::vector<uint32_t> runRows(Kernel kernel, const std::vector<uint32_t> &in, size_t rows, size_t perBlock,
                              size_t perResult) {
  kernel.blocks = static_cast<uint32_t>(rows);
  kernel.body = "mov.u32 %r0, %tid.x;\nmov.u32 %r1, %ctaid.x;\nmul.wide.u32 %d0, %r1, " + std::to_string(4 * perBlock) +
                ";\nadd.u64 %d0, %d0, %d50;\nmul.wide.u32 %d1, %r1, " + std::to_string(4 * perResult) +
                ";\nadd.u64 %d1, %d1, %d51;\nsetp.eq.u32 %p0, %r0, 0;\n" + kernel.body + "ret;";
  auto result = run(kernel, {u32Array(in), u32Array(std::vector<uint32_t>(rows * perResult))});
  if (!result) {
    ADD_FAILURE() << errorText(result.error());
    return {};
  }
  EXPECT_TRUE(result->diagnostics.empty()) << errorText(result->diagnostics);
  EXPECT_EQ(result->note.find("approximate"), std::string::npos) << result->note;
  return words(result->outputs[1]);
}

/// The row of A and the column of B are row 0 and column 0 of their tiles; all else is zero.
std::vector<uint32_t> runWgmma(const std::vector<std::string> &parts, const std::vector<Row> &rows) {
  bool half = parts[2] == "f16", negated = parts.back() == "negated", fresh = parts.back() == "fresh";
  std::string accumulators = registers("acc", 0, half ? 2 : 4);
  Kernel kernel;
  kernel.threads = 128;
  kernel.dynamicSmem = 4096;
  kernel.declarations = ".extern .shared .align 1024 .b8 smem[];";
  // Core matrices of 8 rows by 16 bytes, with the two along K side by side: A at 0, B at 2048.
  kernel.body = ".reg .b32 %acc<4>;\nmov.u32 %r2, smem;\nshl.b32 %r3, %r0, 2;\nadd.u32 %r3, %r3, %r2;\n";
  for (int n = 0; n < 5; ++n)
    kernel.body += "st.shared.b32 [%r3+" + std::to_string(512 * n) + "], 0;\n";
  kernel.body += "bar.sync 0;\nsetp.gt.u32 %p1, %r0, 15;\n@%p1 bra READY;\n"
                 "mul.wide.u32 %d2, %r0, 4;\nadd.u64 %d2, %d2, %d0;\nld.global.b32 %r4, [%d2];\n"
                 "and.b32 %r5, %r0, 3;\nshl.b32 %r5, %r5, 2;\nadd.u32 %r5, %r5, %r2;\n"
                 "bfe.u32 %r6, %r0, 2, 1;\nmad.lo.u32 %r5, %r6, 128, %r5;\n"
                 "bfe.u32 %r6, %r0, 3, 1;\nmad.lo.u32 %r5, %r6, 2048, %r5;\nst.shared.b32 [%r5], %r4;\nREADY:\n"
                 "fence.proxy.async.shared::cta;\nbar.sync 0;\n"
                 "mov.b32 %acc0, 0;\nmov.b32 %acc1, 0;\nmov.b32 %acc2, 0;\nmov.b32 %acc3, 0;\n"
                 "@%p0 ld.global.b32 %acc0, [%d0+64];\n"
                 "shr.u32 %r3, %r2, 4;\ncvt.u64.u32 %d3, %r3;\nor.b64 %d3, %d3, " +
                 std::to_string(128ull / 16 << 16 | 256ull / 16 << 32) + ";\nadd.u64 %d4, %d3, 128;\nsetp." +
                 (fresh ? "eq" : "ne") + ".u64 %p2, %d3, 0;\n";
  kernel.body += "wgmma.fence.sync.aligned;\nwgmma.mma_async.sync.aligned." + parts[1] + "." + parts[2] + "." +
                 parts[3] + "." + parts[4] + " " + accumulators + ", %d3, %d4, %p2, 1, " + (negated ? "-1" : "1") +
                 (bitsOfType(parts[3]) == 16 ? ", 0, 0" : "") +
                 ";\nwgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n"
                 "@%p0 st.global.b32 [%d1], %acc0;\n";
  std::vector<uint32_t> in;
  for (const Row &row : rows) {
    in.insert(in.end(), row.a.begin(), row.a.end());
    in.insert(in.end(), row.b.begin(), row.b.end());
    in.push_back(row.old[0]);
  }
  return runRows(kernel, in, rows.size(), 17, 1);
}

/// Lanes 0 to 3 hold row 0 and column 0; each has one word of every four (PTX ISA 9.7.14.5). Lane 0 holds the sum. In
/// m8n8k4 of f16, lane 0 alone holds them.
std::vector<uint32_t> runMma(const std::vector<std::string> &parts, const std::vector<Row> &rows) {
  bool wide = parts[2] == "f64", volta = parts.size() == 6;
  std::string c = volta ? parts[5] : parts[2], type = wide ? "b64" : "b32";
  size_t unit = wide ? 2 : 1, wordsAlong = rows[0].a.size() / unit, perLane = volta ? 2 : wordsAlong / 4;
  size_t tall = volta || parts[1].starts_with("m8") ? 1 : 2; // m16: every other register is 8 rows further down
  auto ofResult = [&](const std::string &t) {
    return volta ? (t == "f16" ? 4u : 8u) : 2 * tall / (t == "f16" ? 2 : 1);
  };
  size_t na = perLane * tall, nb = perLane, nc = ofResult(c), nd = ofResult(parts[2]);
  std::vector<uint32_t> in;
  for (const Row &row : rows)
    for (size_t lane = 0; lane < 32; ++lane) {
      auto word = [&](const std::vector<uint32_t> &from, size_t n, bool any) {
        for (size_t u = 0; u < unit; ++u)
          in.push_back(any ? from[n * unit + u] : 0);
      };
      bool any = lane < (volta ? 1 : 4);
      for (size_t r = 0; r < na; ++r)
        word(row.a, volta ? r : lane + 4 * (r / tall), any && (volta || r % tall == 0));
      for (size_t r = 0; r < nb; ++r)
        word(row.b, volta ? r : lane + 4 * r, any);
      for (size_t r = 0; r < nc; ++r)
        word(row.old, 0, lane == 0 && r == 0);
    }
  size_t total = na + nb + nc;
  Kernel kernel;
  kernel.body = ".reg ." + type + " %in<40>;\n.reg ." + type + " %out<16>;\nmul.wide.u32 %d2, %r0, " +
                std::to_string(total * unit * 4) + ";\nadd.u64 %d0, %d0, %d2;\n";
  for (size_t n = 0; n < total; ++n)
    kernel.body += "ld.global." + type + " %in" + std::to_string(n) + ", [%d0+" + std::to_string(n * unit * 4) + "];\n";
  kernel.body += "mma.sync.aligned." + parts[1] + ".row.col." + parts[2] + "." + parts[3] + "." + parts[4] + "." + c +
                 " " + registers("out", 0, nd) + ", " + registers("in", 0, na) + ", " + registers("in", na, nb) + ", " +
                 registers("in", na + nb, nc) + ";\n@%p0 st.global." + type + " [%d1], %out0;\n";
  return runRows(kernel, in, rows.size(), 32 * total * unit, unit);
}

TEST(TensorSums, AreThoseOfAnH200) {
  auto golden = goldenRows();
  EXPECT_EQ(golden.size(), 50u);
  size_t compared = 0;
  for (const auto &[name, rows] : golden) {
    SCOPED_TRACE(name);
    auto parts = split(name, '.');
    bool half = parts[2] == "f16";
    auto out = parts[0] == "wgmma" ? runWgmma(parts, rows) : runMma(parts, rows);
    size_t unit = rows[0].result.size();
    ASSERT_EQ(out.size(), rows.size() * unit);
    for (size_t n = 0; n < rows.size(); ++n)
      for (size_t u = 0; u < unit; ++u, ++compared)
        EXPECT_EQ(out[n * unit + u] & (half ? 0xFFFFu : ~0u), rows[n].result[u]) << "row " << n;
  }
  EXPECT_GE(compared, 500u);
}

// --- the rule in wide integers -------------------------------------------------------------------------------------

struct Format {
  MatrixType type;
  int lowest, mantissa;
};

/// Value = significand * 2^(exponent - 23).
struct Term {
  __int128 significand = 0;
  int exponent = 0;
};
Term termOf(float value, int lowest) {
  auto bits = std::bit_cast<uint32_t>(value);
  int field = static_cast<int>(bits >> 23 & 0xFF);
  Term term;
  term.significand = static_cast<int32_t>(bits & 0x7FFFFF) | (field ? 0x800000 : 0);
  term.exponent = std::max(field, 1) - 127;
  for (; term.exponent < lowest; ++term.exponent)
    term.significand /= 2; // exact: the type has no bits further down
  if (bits >> 31)
    term.significand = -term.significand;
  return term;
}

/// The sum as Khattak and Mikaitis describe it. All values are finite.
float expectedSum(const TensorSum &rule, int lowestA, int lowestB, const std::vector<float> &a,
                  const std::vector<float> &b, float old) {
  struct Product {
    __int128 significand;
    int exponent;
  };
  std::vector<Product> terms; // significand * 2^(exponent - 46)
  Term c = termOf(old, rule.half ? -14 : -126);
  terms.push_back({c.significand << 23, c.exponent});
  for (size_t k = 0; k < a.size(); ++k) {
    Term x = termOf(a[k], lowestA), y = termOf(b[k], lowestB);
    terms.push_back({x.significand * y.significand, x.exponent + y.exponent});
  }
  int largest = INT32_MIN;
  for (const Product &term : terms)
    if (term.significand != 0)
      largest = std::max(largest, term.exponent);
  if (largest == INT32_MIN)
    return 0;
  __int128 sum = 0; // in units of 2^(largest - fraction)
  for (const Product &term : terms) {
    if (term.significand == 0) // its exponent is arbitrary
      continue;
    int down = largest - term.exponent + 46 - rule.fraction;
    __int128 magnitude = term.significand < 0 ? -term.significand : term.significand;
    magnitude = down > 120 ? 0 : down > 0 ? magnitude >> down : magnitude << -down;
    sum += term.significand < 0 ? -magnitude : magnitude;
  }
  double value = std::ldexp(static_cast<double>(sum), largest - rule.fraction); // 53 bits hold the sum
  float result;
  if (rule.half) {
    result = widenF16(toF16(toFloatOdd(value), Rounding::Nearest));
  } else if (std::fabs(value) >= 0x1p128) {
    result = value < 0 ? -HUGE_VALF : HUGE_VALF;
  } else {
    result = toFloat(value, Rounding::Zero);
    if (rule.narrow)
      result = std::bit_cast<float>(std::bit_cast<uint32_t>(result) & ~0x3FFu);
  }
  return result == 0 ? 0.0f : result;
}

/// `scaled`: rows and columns are multiplied by powers of two. `sparse`: half of A's elements, chosen at random, are
/// zero.
void expectTiles(const Format &format, bool blackwell, bool scaled, bool sparse, std::mt19937 &random) {
  for (int round = 0; round < 60; ++round) {
    bool half = round % 2 && format.lowest > -100 && !scaled;
    TensorSum rule = blackwell ? TensorSum::ofTcgen05(half) : TensorSum::ofWgmma(format.type, half);
    uint32_t depth = 256 / static_cast<uint32_t>(std::max(bitsOf(format.type), 8)) * (sparse ? 2 : 1);
    // The exponents are within a spread around 0, around the lowest, or arbitrary. With no spread all magnitudes are
    // equal, so that sums may be those of whole numbers.
    int spread = round % 5 == 0   ? (round % 3 ? 0 : 2)
                 : round % 5 == 1 ? 8
                                  : 300,
        centre = round % 5 == 3 ? format.lowest : 0;
    auto element = [&](bool accumulator) {
      if (round % 5 == 4) // whole numbers, which lose no bits, next to accumulators that are not whole
        return static_cast<float>(static_cast<int>(random() % 9) - 4) * (accumulator && round % 15 == 14 ? 0.37f : 1);
      if (accumulator && spread == 0) // few bits; some magnitudes are far from the products'
        return static_cast<float>(
            std::ldexp(static_cast<int>(random() % 2001) - 1000, static_cast<int>(random() % 20) - round % 20));
      int exponent = centre + static_cast<int>(random() % static_cast<uint32_t>(2 * spread + 1)) - spread;
      int lowest = accumulator && !half ? -126 : format.lowest, highest = lowest < -100 ? 127 : -lowest + 1;
      exponent = std::clamp(exponent, lowest - 3, highest);
      int bits = accumulator ? (half ? 10 : 23) : format.mantissa;
      auto significand = static_cast<double>(1u << bits | (random() & ((1u << bits) - 1)));
      double value = std::ldexp(significand, exponent - bits), unit = std::ldexp(1.0, lowest - bits);
      value = std::trunc(value / unit) * unit; // subnormals
      return static_cast<float>((random() % 8 == 0 ? 0.0 : value) * (random() % 2 ? 1 : -1));
    };
    std::vector<float> left(kTensorRows * depth), right(kTileSide * depth), sums(kTileSide * kTileSide);
    for (float &v : left)
      v = element(false);
    if (sparse) // two of every four
      for (size_t n = 0; n < left.size(); n += 4) {
        left[n + random() % 2] = 0;
        left[n + 2 + random() % 2] = 0;
      }
    for (float &v : right)
      v = element(false);
    for (float &v : sums)
      v = element(true);
    int16_t rowScales[kTensorRows] = {}, columnScales[kTileSide] = {};
    if (scaled) {
      int most = round % 3 == 0 ? 2 : 60;
      for (int16_t &scale : rowScales)
        scale = static_cast<int16_t>(static_cast<int>(random() % static_cast<uint32_t>(2 * most + 1)) - most);
      for (int16_t &scale : columnScales)
        scale = static_cast<int16_t>(static_cast<int>(random() % static_cast<uint32_t>(2 * most + 1)) - most);
      for (uint32_t n = 0; n < left.size(); ++n)
        left[n] = std::ldexp(left[n], rowScales[n / depth]);
      for (uint32_t n = 0; n < right.size(); ++n)
        right[n] = std::ldexp(right[n], columnScales[n % kTileSide]);
    }
    std::vector<float> before = sums;
    TensorRows rows(format.type, left.data(), depth, scaled ? rowScales : nullptr);
    TensorColumns columns;
    columns.prepare(format.type, right.data(), depth, scaled ? columnScales : nullptr);
    sumTile(rule, rows, 1, columns, 0, depth, sums.data());
    for (uint32_t r = 0; r < kTileSide; ++r)
      for (uint32_t c = 0; c < kTileSide; ++c) {
        std::vector<float> a(depth), b(depth);
        for (uint32_t k = 0; k < depth; ++k) {
          a[k] = left[(8 + r) * depth + k];
          b[k] = right[k * kTileSide + c];
        }
        float wanted = expectedSum(rule, format.lowest + rowScales[8 + r], format.lowest + columnScales[c], a, b,
                                   before[r * kTileSide + c]);
        ASSERT_EQ(std::bit_cast<uint32_t>(sums[r * kTileSide + c]), std::bit_cast<uint32_t>(wanted))
            << "type " << static_cast<int>(format.type) << ", half " << half << ", blackwell " << blackwell
            << ", scaled " << scaled << ", round " << round << ", row " << r << ", column " << c;
      }
  }
}

TEST(TensorSums, TilesFollowTheRule) {
  std::mt19937 random(5);
  const Format formats[] = {{MatrixType::F16, -14, 10}, {MatrixType::BF16, -126, 7}, {MatrixType::TF32, -126, 10},
                            {MatrixType::E4M3, -6, 3},  {MatrixType::E5M2, -14, 2},  {MatrixType::E3M2, -2, 2},
                            {MatrixType::E2M3, 0, 3},   {MatrixType::E2M1, 0, 1}};
  for (const Format &format : formats) {
    bool hopper = bitsOf(format.type) >= 8, narrow = bitsOf(format.type) <= 8;
    for (bool blackwell : {false, true})
      for (bool sparse : {false, true})
        if (blackwell || (hopper && !sparse))
          expectTiles(format, blackwell, false, sparse, random);
    if (narrow)
      expectTiles(format, true, true, false, random);
  }
}

TEST(TensorSums, CutBitsAreLostWhateverTheOrder) {
  // One product is 2^24, or -2^24; the others are 1/2 of the last bit kept. None of them reaches the sum.
  for (uint32_t at : {0u, 7u, 15u}) {
    std::vector<float> left(kTensorRows * 16), right(kTileSide * 16, 1.0f), sums(kTileSide * kTileSide);
    for (uint32_t k = 0; k < 16; ++k)
      left[k] = k == at ? 0x1p14f : 0x1p-12f;
    right[at * kTileSide + 1] = -1.0f;
    sums[2] = -0x1p14f;
    TensorRows rows(MatrixType::F16, left.data(), 16);
    TensorColumns columns;
    columns.prepare(MatrixType::F16, right.data(), 16);
    sumTile({}, rows, 0, columns, 0, 16, sums.data());
    EXPECT_EQ(sums[0], 0x1p14f);
    EXPECT_EQ(sums[1], -0x1p14f);
    EXPECT_EQ(sums[2], 0.0f);
    sumTile({}, rows, 1, columns, 0, 16, sums.data());
    EXPECT_EQ(sums[2], 0.0f); // rows of zeros
  }
}

TEST(TensorSums, InfinitiesAndNansAreOfTheirOwnSums) {
  std::vector<float> left(kTensorRows * 16, 1.0f), right(kTileSide * 16, 1.0f), sums(kTileSide * kTileSide);
  left[3 * 16 + 5] = HUGE_VALF;
  right[5 * kTileSide + 1] = 0.0f;
  right[9 * kTileSide + 2] = std::bit_cast<float>(0xFFC12345u);
  sums[3] = -HUGE_VALF;
  sums[3 * kTileSide + 4] = -HUGE_VALF;
  TensorRows rows(MatrixType::BF16, left.data(), 16);
  TensorColumns columns;
  columns.prepare(MatrixType::BF16, right.data(), 16);
  sumTile({}, rows, 0, columns, 0, 16, sums.data());
  auto bits = [&](uint32_t r, uint32_t c) { return std::bit_cast<uint32_t>(sums[r * kTileSide + c]); };
  EXPECT_EQ(bits(3, 0), 0x7F800000u);
  EXPECT_EQ(bits(3, 1), kNanF32); // infinity times zero
  EXPECT_EQ(bits(0, 2), kNanF32);
  EXPECT_EQ(bits(0, 3), 0xFF800000u);
  EXPECT_EQ(bits(3, 4), kNanF32); // infinities of both signs
  EXPECT_EQ(sums[0], 16.0f);
  EXPECT_EQ(sums[1], 15.0f);
}

} // namespace
} // namespace lanescope::core::test
