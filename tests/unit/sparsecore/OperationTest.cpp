// The results of each operation in edge cases: masks, duplicates, empty vectors, NaN, negative keys, indices beyond the
// end.
#include "core/tpu/emulator/ElementArithmetic.h"
#include "SparsecoreKernels.h"

#include <bit>
#include <cmath>
#include <limits>

namespace lanescope::core::sparsecore::test {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

Element integer(int bits) {
  Dtype dtype = bits == 1    ? Dtype::I1
                : bits == 8  ? Dtype::I8
                : bits == 16 ? Dtype::I16
                : bits == 32 ? Dtype::I32
                             : Dtype::I64;
  return {Element::Kind::Integer, static_cast<uint8_t>(bits), dtype};
}
Element real(Dtype dtype) { return {Element::Kind::Float, static_cast<uint8_t>(layouts::bitwidth(dtype)), dtype}; }

int64_t ofIntegers(Elementwise op, int bits, int64_t a, int64_t b) {
  Element t = integer(bits);
  uint64_t x = integerBits(t, a), y = integerBits(t, b), out = 0;
  elementwise({op, 0, t, t}, {&x, 1}, {&y, 1}, {}, {&out, 1});
  return signedOf(t, out);
}
double ofFloats(Elementwise op, Dtype dtype, double a, double b = 0) {
  Element t = real(dtype);
  uint64_t x = floatBits(t, a), y = floatBits(t, b), out = 0;
  elementwise({op, 0, t, t}, {&x, 1}, {&y, 1}, {}, {&out, 1});
  return floatOf(t, out);
}

TEST(Arithmetic, OfIntegersWraps) {
  EXPECT_EQ(ofIntegers(Elementwise::AddInteger, 8, 127, 1), -128);
  EXPECT_EQ(ofIntegers(Elementwise::MulInteger, 16, 300, 300), static_cast<int16_t>(90000));
  EXPECT_EQ(ofIntegers(Elementwise::SubInteger, 32, INT32_MIN, 1), INT32_MAX);
  EXPECT_EQ(ofIntegers(Elementwise::DivSigned, 32, -7, 2), -3);
  EXPECT_EQ(ofIntegers(Elementwise::RemSigned, 32, -7, 2), -1);
  EXPECT_EQ(ofIntegers(Elementwise::DivUnsigned, 8, -1, 2), 127);
  EXPECT_EQ(ofIntegers(Elementwise::FloorDivSigned, 32, -7, 2), -4);
  EXPECT_EQ(ofIntegers(Elementwise::CeilDivSigned, 32, 7, 2), 4);
  EXPECT_EQ(ofIntegers(Elementwise::MaxUnsigned, 32, -1, 5), -1);
  EXPECT_EQ(ofIntegers(Elementwise::MinSigned, 32, -1, 5), -1);
}

TEST(Arithmetic, OfIntegersAtItsEdges) {
  EXPECT_EQ(ofIntegers(Elementwise::DivSigned, 32, 5, 0), -1);
  EXPECT_EQ(ofIntegers(Elementwise::RemSigned, 32, 5, 0), 5);
  EXPECT_EQ(ofIntegers(Elementwise::DivSigned, 32, INT32_MIN, -1), INT32_MIN);
  EXPECT_EQ(ofIntegers(Elementwise::RemSigned, 32, INT32_MIN, -1), 0);
  EXPECT_EQ(ofIntegers(Elementwise::ShiftLeft, 32, 1, 32), 0);
  EXPECT_EQ(ofIntegers(Elementwise::ShiftRightSigned, 32, -8, 40), -1);
  EXPECT_EQ(ofIntegers(Elementwise::ShiftRightUnsigned, 16, -1, 15), 1);
  EXPECT_EQ(ofIntegers(Elementwise::CountLeadingZeros, 16, 1, 0), 15);
  EXPECT_EQ(ofIntegers(Elementwise::AbsoluteInteger, 32, INT32_MIN, 0), INT32_MIN);
}

TEST(Arithmetic, OfFloatsRoundsOnce) {
  EXPECT_EQ(ofFloats(Elementwise::AddFloat, Dtype::BF16, 256, 1), 256); // a tie rounds to even
  EXPECT_EQ(ofFloats(Elementwise::AddFloat, Dtype::BF16, 258, 1), 260);
  EXPECT_EQ(ofFloats(Elementwise::AddFloat, Dtype::F16, 2048, 1), 2048);
  EXPECT_EQ(ofFloats(Elementwise::MulFloat, Dtype::F16, 300, 300), kInfinity);
  EXPECT_EQ(ofFloats(Elementwise::RemFloat, Dtype::F32, -7, 3), -1);
  EXPECT_EQ(ofFloats(Elementwise::Sqrt, Dtype::F32, 2), std::sqrt(2.0f));
  EXPECT_EQ(ofFloats(Elementwise::Exp, Dtype::F32, 0), 1);
  EXPECT_EQ(ofFloats(Elementwise::Exp, Dtype::F32, 200), kInfinity);
  EXPECT_EQ(ofFloats(Elementwise::Tanh, Dtype::F32, 50), 1);
}

TEST(Arithmetic, OfNanAndZeros) {
  EXPECT_TRUE(std::isnan(ofFloats(Elementwise::MaximumFloat, Dtype::F32, kNan, 1)));
  EXPECT_EQ(ofFloats(Elementwise::MaxNumFloat, Dtype::F32, kNan, 1), 1);
  EXPECT_TRUE(std::signbit(ofFloats(Elementwise::MinimumFloat, Dtype::F32, 0.0, -0.0)));
  EXPECT_FALSE(std::signbit(ofFloats(Elementwise::MaximumFloat, Dtype::F32, -0.0, 0.0)));
  EXPECT_TRUE(std::isnan(ofFloats(Elementwise::Tanh, Dtype::F32, kNan)));
  EXPECT_TRUE(std::signbit(ofFloats(Elementwise::NegateFloat, Dtype::F32, 0.0)));
}

TEST(Arithmetic, FloatToIntegerSaturates) {
  auto converted = [](double value, int bits, Elementwise op) {
    uint64_t x = floatBits(real(Dtype::F32), value), out = 0;
    elementwise({op, 0, real(Dtype::F32), integer(bits)}, {&x, 1}, {}, {}, {&out, 1});
    return signedOf(integer(bits), out);
  };
  EXPECT_EQ(converted(-1.9, 32, Elementwise::FloatToSigned), -1);
  EXPECT_EQ(converted(1e20, 32, Elementwise::FloatToSigned), INT32_MAX);
  EXPECT_EQ(converted(-1e20, 8, Elementwise::FloatToSigned), -128);
  EXPECT_EQ(converted(kNan, 32, Elementwise::FloatToSigned), 0);
  EXPECT_EQ(converted(-3, 32, Elementwise::FloatToUnsigned), 0);
  EXPECT_EQ(converted(300, 8, Elementwise::FloatToUnsigned), -1);
}

TEST(Arithmetic, ComparisonsOfNan) {
  auto compared = [](int predicate, double a, double b) {
    Element t = real(Dtype::F32);
    uint64_t x = floatBits(t, a), y = floatBits(t, b), out = 0;
    elementwise({Elementwise::CompareFloat, predicate, t, integer(1)}, {&x, 1}, {&y, 1}, {}, {&out, 1});
    return out != 0;
  };
  for (int ordered = 1; ordered <= 6; ++ordered)
    EXPECT_FALSE(compared(ordered, kNan, 1)) << ordered;
  for (int unordered = 8; unordered <= 14; ++unordered)
    EXPECT_TRUE(compared(unordered, kNan, 1)) << unordered;
  EXPECT_TRUE(compared(7, 1, 2)); // ord
}

/// Runs a kernel on vectors: %a and %b (`element`s from the halves of the input) and %mask (true where %a is odd) give
/// %res, which is i32 or the type of %a.
Result<Array> lanes(const std::string &body, const std::vector<int64_t> &a, std::string_view element = "i32",
                    std::string_view result = "i32") {
  Kernel k;
  k.elements = static_cast<int64_t>(a.size());
  std::string v = text("vector<", k.elements, "xi32>");
  k.body = k.copy("%x", "hbm", "%v", "vmem") + k.load("%bits", "%v") +
           text("%ones = arith.constant dense<1> : ", v, "\n") +
           text("%odd = arith.andi %bits, %ones : ", v, "\n%mask = arith.cmpi eq, %odd, %ones : ", v, "\n");
  bool isFloat = element == "f32";
  k.body += isFloat ? text("%a = arith.sitofp %bits : ", v, " to vector<", k.elements, "xf32>\n") : "";
  k.body += body;
  if (result == "f32")
    k.body += text("%out = tpu.bitcast %res : vector<", k.elements, "xf32> -> ", v, "\n");
  else if (result == "i1")
    k.body += text("%out = arith.extui %res : vector<", k.elements, "xi1> to ", v, "\n");
  k.body += k.store("%w", result == "i32" ? "%res" : "%out") + k.copy("%w", "vmem", "%o", "hbm");
  auto outcome = run(k.module(), {ints(a)});
  if (!outcome)
    return std::unexpected(outcome.error());
  if (!outcome->diagnostics.empty())
    return std::unexpected(outcome->diagnostics);
  return outcome->outputs.at(0);
}
std::vector<int64_t> integersFrom(const Result<Array> &result) {
  EXPECT_TRUE(result) << errorText(result ? Diagnostics{} : result.error());
  return result ? integersOf(*result) : std::vector<int64_t>{};
}
std::vector<float> floatsFrom(const Result<Array> &result) {
  std::vector<float> out;
  for (int64_t bits : integersFrom(result))
    out.push_back(std::bit_cast<float>(static_cast<uint32_t>(bits)));
  return out;
}
using Ints = std::vector<int64_t>;
using Floats = std::vector<float>;

const std::string kV = "vector<8xi32>", kF = "vector<8xf32>", kM = "vector<8xi1>";

TEST(Lanes, ScansCountOnlyWhatTheMaskTakes) {
  std::string sum =
      "%res = tpu.scan <sum>, %bits masked %mask {dimension = 0 : i64} : " + kV + ", " + kM + " -> " + kV + "\n";
  EXPECT_EQ(integersFrom(lanes(sum, {2, 4, 1, 2, 3, 4, 5, 6})),
            (Ints{2, 4, 1, 1, 4, 4, 9, 9})); // lanes before the first selected lane keep the input
  // The mask selects no lane.
  EXPECT_EQ(integersFrom(lanes(sum, {2, 4, 6, 8, 2, 4, 6, 8})), (Ints{2, 4, 6, 8, 2, 4, 6, 8}));
}

TEST(Lanes, ScansCompareUnsigned) {
  std::string most =
      "%res = tpu.scan <max>, %bits masked %mask {dimension = 0 : i64} : " + kV + ", " + kM + " -> " + kV + "\n";
  EXPECT_EQ(integersFrom(lanes(most, {1, -1, 3, 5, 7, 9, 11, 13})), (Ints{1, -1, -1, -1, -1, -1, -1, -1}));
  std::string least =
      "%res = tpu.scan <min>, %bits masked %mask {dimension = 0 : i64} : " + kV + ", " + kM + " -> " + kV + "\n";
  EXPECT_EQ(integersFrom(lanes(least, {-1, 9, 3, 5, 7, 1, 11, 13})), (Ints{-1, 9, 3, 3, 3, 1, 1, 1}));
}

TEST(Lanes, ScansOfFloatsCompareNumbers) {
  std::string most =
      "%res = tpu.scan <max>, %a masked %mask {dimension = 0 : i64} : " + kF + ", " + kM + " -> " + kF + "\n";
  EXPECT_EQ(floatsFrom(lanes(most, {-5, -1, -3, 5, -7, 3, 9, 1}, "f32", "f32")), (Floats{-5, -1, -1, 5, 5, 5, 9, 9}));
}

TEST(Lanes, AMaskIsCounted) {
  std::string count = "%res = \"tpu.scan\"(%mask) <{dimension = 0 : i64, kind = #tpu.reduction_kind<sum>}> : (" + kM +
                      ") -> " + kV + "\n";
  EXPECT_EQ(integersFrom(lanes(count, {1, 2, 3, 4, 5, 6, 7, 8})), (Ints{1, 1, 2, 2, 3, 3, 4, 4}));
}

std::string sorted(std::string_view result, std::string_view keys, std::string_view type,
                   std::string_view attributes = "") {
  return text("%om, %k, %vals = tpu.sort ", keys, ", %bits masked %mask ", attributes, ": (", type, ", ", kV, ", ", kM,
              ") -> (", kM, ", ", type, ", ", kV, ")\n%same = arith.constant dense<0> : ", kV, "\n%res = arith.addi ",
              result, ", %same : ", kV, "\n");
}

TEST(Lanes, SortsAreStableUnsignedAndLeaveTheRestForLast) {
  EXPECT_EQ(integersFrom(lanes(sorted("%k", "%bits", kV), {5, 4, -1, 3, 2, 1, 7, 8})), (Ints{1, 3, 5, 7, -1, 4, 2, 8}));
  EXPECT_EQ(integersFrom(lanes(sorted("%k", "%bits", kV, "{descending = true} "), {5, 4, -1, 3, 2, 1, 7, 8})),
            (Ints{-1, 7, 5, 3, 1, 4, 2, 8}));
  // Equal keys keep their order: all keys are 0, and the values are the input.
  std::string equal =
      "%zero = arith.constant dense<0> : " + kV + "\n" + sorted("%vals", "%zero", kV, "{descending = true} ");
  EXPECT_EQ(integersFrom(lanes(equal, {9, 7, 5, 3, 1, 11, 13, 15})), (Ints{9, 7, 5, 3, 1, 11, 13, 15}));
}

TEST(Lanes, SortsOfFloatsPutNanLast) {
  std::string keys = "%zero = arith.constant dense<0.0> : " + kF + "\n%nan = arith.divf %zero, %zero : " + kF +
                     "\n%four = arith.constant dense<5> : " + kV + "\n%is = arith.cmpi eq, %bits, %four : " + kV +
                     "\n%keys = arith.select %is, %nan, %a : " + kM + ", " + kF + "\n";
  EXPECT_EQ(integersFrom(lanes(keys + sorted("%vals", "%keys", kF), {5, -3, 1, 7, 9, 11, -13, 15}, "f32")),
            (Ints{-13, -3, 1, 7, 9, 11, 15, 5}));
}

TEST(Lanes, ScanCountTellsDuplicatesAndTheLastOfThem) {
  auto counted = [](std::string_view result) {
    return text("%last, %counts = tpu.scan_count mask(%mask : ", kM, ") value(%bits : ", kV, ") : ", kM, ", ", kV,
                "\n%lasts = arith.extui %last : ", kM, " to ", kV, "\n%none = arith.constant dense<0> : ", kV,
                "\n%res = arith.addi ", result, ", %none : ", kV, "\n");
  };
  Ints values{3, 2, 3, 5, 2, 3, 5, 1};
  EXPECT_EQ(integersFrom(lanes(counted("%counts"), values)), (Ints{1, 1, 2, 1, 1, 3, 2, 1}));
  EXPECT_EQ(integersFrom(lanes(counted("%lasts"), values)), (Ints{0, 0, 0, 0, 0, 1, 1, 1}));
}

TEST(Lanes, AllReduceCountsAndFindsTheFirst) {
  auto reduced = [](std::string_view kind) {
    return text("%res = tpu.all_reduce %mask {dim = 0 : i64, kind = #tpu.reduction_kind<", kind, ">} : ", kM, " -> ",
                kV, "\n");
  };
  EXPECT_EQ(integersFrom(lanes(reduced("sum"), {1, 2, 3, 4, 6, 8, 10, 11})), Ints(8, 3));
  EXPECT_EQ(integersFrom(lanes(reduced("find_first_set"), {2, 2, 3, 4, 6, 8, 10, 11})), Ints(8, 2));
  EXPECT_EQ(integersFrom(lanes(reduced("find_first_set"), Ints(8, 2))), Ints(8, 8)); // no lane is set
}

TEST(Lanes, DynamicGatherCountsModuloTheSize) {
  std::string gather = "%res = tpu.dynamic_gather %bits[%bits] in [0] : " + kV + ", " + kV + " -> " + kV + "\n";
  EXPECT_EQ(integersFrom(lanes(gather, {1, 0, 9, -1, 8, 15, 7, 3})), (Ints{0, 1, 0, 3, 1, 3, 3, -1}));
}

TEST(Lanes, PackingRoundsAndComesBack) {
  auto through = [](std::string_view format, std::string_view packed, int index) {
    return text("%neg = arith.constant dense<-1> : ", kV, "\n%b = arith.muli %bits, %neg : ", kV,
                "\n%p = tpu.pack_subelements %bits, %b "
                "{pack_format = #tpu.pack_format<",
                format, ">, positions = array<i32: 0, 1>} : ", kV, ", ", kV, " -> ", packed,
                "\n%res = tpu.unpack_subelements %p, ", index, " {pack_format = #tpu.pack_format<", format,
                ">} : ", packed, " -> ", kV, "\n");
  };
  Ints values{1, -2, 3, 70000, 32767, -32768, 32768, 0};
  Ints wrapped{1, -2, 3, 70000 - 65536, 32767, -32768, -32768, 0}, negated{-1, 2, -3, -4464, -32767, -32768, -32768, 0};
  EXPECT_EQ(integersFrom(lanes(through("interleaved", "vector<16xi16>", 0), values)), wrapped);
  EXPECT_EQ(integersFrom(lanes(through("interleaved", "vector<16xi16>", 1), values)), negated);
  EXPECT_EQ(integersFrom(lanes(through("compressed", "vector<8x2xi16>", 0), values)), wrapped);
  EXPECT_EQ(integersFrom(lanes(through("compressed", "vector<8x2xi16>", 1), values)), negated);
}

TEST(Lanes, PackedFloatsLieNextToEachOther) {
  std::string packed = "%p = tpu.pack_subelements %a, %a {pack_format = #tpu.pack_format<interleaved>, positions = "
                       "array<i32: 1, 0>} : " +
                       kF + ", " + kF + " -> vector<16xbf16>\n%res = vector.bitcast %p : vector<16xbf16> to " + kV +
                       "\n";
  EXPECT_EQ(integersFrom(lanes(packed, {1, 2, 257, 0, 0, 0, 0, 0}, "f32"))[0], 0x3f803f80);
  EXPECT_EQ(integersFrom(lanes(packed, {1, 2, 257, 0, 0, 0, 0, 0}, "f32"))[2], 0x43804380); // 257 rounds to 256
}

TEST(Lanes, BitcastsKeepTheLowPartFirst) {
  std::string parts = "%p = vector.bitcast %bits : " + kV +
                      " to vector<32xi8>\n%q = vector.extract_strided_slice %p {offsets = [0], sizes = "
                      "[8], strides = [1]} : vector<32xi8> to vector<8xi8>\n%res = arith.extsi %q : vector<8xi8> to " +
                      kV + "\n";
  EXPECT_EQ(integersFrom(lanes(parts, {0x04030201, 0x08F706FF, 0, 0, 0, 0, 0, 0})), (Ints{1, 2, 3, 4, -1, 6, -9, 8}));
}

TEST(Stores, TheHighestLaneWinsAndSumsTakeAll) {
  auto stored = [](std::string_view attributes) {
    return text("%zero = arith.constant dense<0> : ", kV,
                "\ntpu.vector_store %v[%c0], %zero {strides = array<i32>} : memref<8xi32, #vmem>, ", kV,
                ", \n%at = arith.constant dense<[0, 1, 1, 1, 7, 7, 2, 0]> : ", kV,
                "\ntpu.vector_store_idx %v[%at], %bits masked %mask ", attributes, ": memref<8xi32, #vmem>[", kV, "], ",
                kV, ", ", kM,
                "\n%res = tpu.vector_load %v[%c0] {strides = array<i32>} : "
                "memref<8xi32, #vmem>, ",
                kV, ", \n");
  };
  Ints values{1, 3, 5, 8, 7, 9, 2, 11};
  EXPECT_EQ(integersFrom(lanes(stored(""), values)), (Ints{11, 5, 0, 0, 0, 0, 0, 9}));
  EXPECT_EQ(integersFrom(lanes(stored("{add = true} "), values)), (Ints{12, 8, 0, 0, 0, 0, 0, 16}));
}

TEST(Stores, MasksCompressAndExpand) {
  std::string zero = "%zero = arith.constant dense<0> : " + kV +
                     "\ntpu.vector_store %v[%c0], %zero {strides = array<i32>} : memref<8xi32, #vmem>, " + kV + ", \n";
  std::string back = "%res = tpu.vector_load %v[%c0] {strides = array<i32>} : memref<8xi32, #vmem>, " + kV + ", \n";
  std::string compress =
      zero + "tpu.vector_store %v[%c0], %bits masked %mask {strides = array<i32>} : memref<8xi32, #vmem>, " + kV +
      ", " + kM + "\n" + back;
  EXPECT_EQ(integersFrom(lanes(compress, {2, 3, 5, 8, 7, 2, 2, 11})), (Ints{3, 5, 7, 11, 0, 0, 0, 0}));
  std::string expand = "%e = tpu.vector_load %v[%c0] masked %mask {strides = array<i32>} : memref<8xi32, #vmem>, " +
                       kV + ", " + kM + "\n%none = arith.constant dense<-1> : " + kV +
                       "\n%res = arith.select %mask, %e, %none : " + kM + ", " + kV + "\n";
  EXPECT_EQ(integersFrom(lanes(expand, {2, 3, 5, 8, 7, 2, 2, 11})), (Ints{-1, 2, 3, -1, 5, -1, -1, 8}));
  // A masked store touches only as many elements as the mask selects, also at the end of a reference.
  std::string atEnd = zero +
                      "%six = arith.constant 6 : index\ntpu.vector_store %v[%six], %bits masked %mask {strides = "
                      "array<i32>} : memref<8xi32, #vmem>, " +
                      kV + ", " + kM + "\n" + back;
  EXPECT_EQ(integersFrom(lanes(atEnd, {2, 3, 4, 8, 6, 2, 2, 11})), (Ints{0, 0, 0, 0, 0, 0, 3, 11}));
  EXPECT_FALSE(lanes(atEnd, {1, 3, 4, 8, 6, 2, 2, 11})); // three elements do not fit
}

TEST(Copies, FilteredOffsetsArePassedOver) {
  Kernel k;
  k.body = k.copy("%x", "hbm", "%v", "vmem") +
           "%at = arith.constant dense<[3, 1, 1, 0, 5, 1, 2, 2, 1, 1, 1, 1, 1, 1, 1, 15]> : vector<16xi32>\n"
           "tpu.enqueue_indirect_dma source(%x : memref<16xi32, #hbm>) target(%v : memref<16xi32, #vmem>) offsets(%at "
           ": vector<16xi32>) "
           "offset_filter(%i1) semaphore(%s : memref<!tpu.dma_semaphore, #sem>)\n"
           "tpu.wait_indirect_dma semaphore(%s : memref<!tpu.dma_semaphore, #sem>) src(%x : memref<16xi32, #hbm>) "
           "dst(%v : memref<16xi32, #vmem>)\n" +
           k.copy("%v", "vmem", "%o", "hbm");
  Ints values;
  for (int64_t i = 0; i < 16; ++i)
    values.push_back(100 + i);
  auto result = run(k.module(), {ints(values)});
  ASSERT_TRUE(result && result->diagnostics.empty()) << errorText(result ? result->diagnostics : result.error());
  EXPECT_EQ(integersOf(result->outputs[0]),
            (Ints{103, 101, 102, 100, 105, 105, 102, 102, 108, 109, 110, 111, 112, 113, 114, 115}));
}

TEST(Copies, ScattersAddToWhatIsThere) {
  Kernel k;
  k.body = k.copy("%x", "hbm", "%v", "vmem") + k.copy("%x", "hbm", "%shared", "shared") +
           "%at = arith.constant dense<[0, 0, 0, 1, 1, 2, 3, 3, 3, 3, 4, 5, 6, 7, 8, 9]> : vector<16xi32>\n"
           "tpu.enqueue_indirect_dma source(%v : memref<16xi32, #vmem>) target(%shared : memref<16xi32, #shared>) "
           "offsets(%at : vector<16xi32>) "
           "semaphore(%s : memref<!tpu.dma_semaphore, #sem>) {add = true}\n"
           "tpu.wait_indirect_dma semaphore(%s : memref<!tpu.dma_semaphore, #sem>) src(%v : memref<16xi32, #vmem>) "
           "dst(%shared : memref<16xi32, #shared>)\n" +
           k.copy("%shared", "shared", "%o", "hbm");
  auto result = run(k.module(), {ints(Ints(16, 1))});
  ASSERT_TRUE(result && result->diagnostics.empty()) << errorText(result ? result->diagnostics : result.error());
  EXPECT_EQ(integersOf(result->outputs[0]), (Ints{4, 3, 2, 5, 2, 2, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1}));
}

TEST(Loops, EndWhereTheirTypeDoes) {
  Kernel k;
  k.scalar = true;
  k.body = "%least = arith.constant 100 : i8\n%most = arith.constant 127 : i8\n%step = arith.constant 20 : i8\n"
           "memref.store %i0, %m[%c0] : memref<4xi32, #smem>\n"
           "scf.for %i = %least to %most step %step : i8 {\n%n = memref.load %m[%c0] : memref<4xi32, #smem>\n%k = "
           "arith.addi %n, %i1 : i32\n"
           "memref.store %k, %m[%c0] : memref<4xi32, #smem>\n}\n%all = memref.load %m[%c0] : memref<4xi32, "
           "#smem>\ntpu.log \"turns\" : [%all] : i32\n";
  auto result = run(k.module(), {ints(Ints(16, 0))});
  ASSERT_TRUE(result && result->diagnostics.empty()) << errorText(result ? result->diagnostics : result.error());
  EXPECT_EQ(result->printed, "core 0 scalar subcore: turns, data: s32[1] { 2 }\n");
}

} // namespace
} // namespace lanescope::core::sparsecore::test
