#include "core/gpu/lowering/thread/NarrowTypes.h"

#include "mlir/IR/BuiltinTypes.h"

namespace lanescope::core {

using namespace mlir;

namespace {

int64_t bitsOf(Type type) {
  return ThreadBuilder::countOf(type) * ThreadBuilder::elementOf(type).getIntOrFloatBitWidth();
}

/// Splits a register into 32-bit words; the last one is padded with zeros.
SmallVector<Value> wordsOf(ThreadBuilder &t, Value value) {
  int64_t bits = bitsOf(value.getType());
  SmallVector<Value> words;
  if (bits % 32 == 0) {
    Type type = ThreadBuilder::vectorOf(t.i32(), bits / 32);
    Value all = type == value.getType() ? value : t.create<LLVM::BitcastOp>(type, value);
    for (int64_t i = 0; i < bits / 32; ++i)
      words.push_back(t.extract(all, i));
    return words;
  }
  int64_t element = bits / ThreadBuilder::countOf(value.getType()), perWord = 32 / element;
  for (int64_t begin = 0, n = ThreadBuilder::countOf(value.getType()); begin < n; begin += perWord) {
    Value part = t.slice(value, begin, std::min(perWord, n - begin));
    int64_t own = bitsOf(part.getType());
    if (!llvm::isPowerOf2_64(own)) { // 24 bits
      Value full = t.integer(ThreadBuilder::vectorOf(ThreadBuilder::elementOf(part.getType()), perWord), 0);
      for (int64_t i = 0, m = ThreadBuilder::countOf(part.getType()); i < m; ++i)
        full = t.insert(full, t.extract(part, i), i);
      part = full;
      own = 32;
    }
    Type integer = t.builder().getIntegerType(own);
    words.push_back(t.resize(part.getType() == integer ? part : t.create<LLVM::BitcastOp>(integer, part), 32));
  }
  return words;
}

/// Makes a register of `type` from the first elements of words.
Value fromWords(ThreadBuilder &t, ArrayRef<Value> words, Type type) {
  int64_t bits = bitsOf(type);
  if (bits == static_cast<int64_t>(words.size()) * 32) {
    Value all = t.concatenate(words);
    return all.getType() == type ? all : t.create<LLVM::BitcastOp>(type, all);
  }
  if (bits < 32 && llvm::isPowerOf2_64(bits)) {
    Value low = t.resize(words.front(), static_cast<unsigned>(bits));
    return low.getType() == type ? low : t.create<LLVM::BitcastOp>(type, low);
  }
  Type element = ThreadBuilder::elementOf(type);
  int64_t perWord = 32 / element.getIntOrFloatBitWidth();
  SmallVector<Value> parts;
  for (int64_t left = ThreadBuilder::countOf(type), i = 0; left > 0; left -= perWord, ++i) {
    Value part = t.create<LLVM::BitcastOp>(ThreadBuilder::vectorOf(element, perWord), words[i]);
    parts.push_back(t.slice(part, 0, std::min(left, perWord)));
  }
  return t.concatenate(parts);
}

Value bitOr(ThreadBuilder &t, Value a, Value b) { return t.create<LLVM::OrOp>(a, b); }

const char *name(Type narrow) {
  return isa<Float8E4M3FNType>(narrow)   ? "e4m3x2"
         : isa<Float8E5M2Type>(narrow)   ? "e5m2x2"
         : isa<Float6E2M3FNType>(narrow) ? "e2m3x2"
                                         : "e3m2x2";
}

} // namespace

Value permuteBytes(ThreadBuilder &t, Value low, Value high, Value selector) {
  return t.intrinsic("llvm.nvvm.prmt", t.i32(), {low, high, selector});
}
Value permuteBytes(ThreadBuilder &t, Value low, Value high, uint32_t selector) {
  return permuteBytes(t, low, high, t.constant(selector));
}

Value widenNibbles(ThreadBuilder &t, Value nibbles, int64_t count, bool isSigned) {
  if (count == 1) {
    Value high = t.shiftLeft(nibbles, 4), four = t.integer(nibbles.getType(), 4);
    return isSigned ? t.create<LLVM::AShrOp>(high, four).getResult() : t.create<LLVM::LShrOp>(high, four).getResult();
  }
  SmallVector<Value> out;
  for (Value word : wordsOf(t, nibbles)) {
    Value even = t.bitAnd(word, 0x0f0f0f0f), odd = t.bitAnd(t.shiftRight(word, 4), 0x0f0f0f0f);
    if (isSigned) { // each byte's upper half repeats the sign
      Value evenSigns = permuteBytes(t, t.shiftLeft(word, 4), word, 0xba98),
            oddSigns = permuteBytes(t, word, word, 0xba98);
      even = bitOr(t, even, t.bitAnd(evenSigns, 0xf0f0f0f0));
      odd = bitOr(t, odd, t.bitAnd(oddSigns, 0xf0f0f0f0));
    }
    out.push_back(permuteBytes(t, even, odd, 0x5140));
    out.push_back(permuteBytes(t, even, odd, 0x7362));
  }
  if (count <= static_cast<int64_t>(out.size() - 1) * 4)
    out.pop_back();
  return fromWords(t, out, ThreadBuilder::vectorOf(t.builder().getI8Type(), count));
}

Value packNibbles(ThreadBuilder &t, Value bytes) {
  int64_t count = ThreadBuilder::countOf(bytes.getType());
  if (count == 1)
    return bytes;
  SmallVector<Value> out;
  SmallVector<Value> words = wordsOf(t, bytes);
  for (size_t i = 0; i < words.size(); i += 2) {
    // Joins the two bytes of each half-word in the half-word's lower byte.
    auto joined = [&](Value word) {
      return bitOr(t, t.bitAnd(word, 0x000f000f), t.bitAnd(t.shiftRight(word, 4), 0x00f000f0));
    };
    Value low = joined(words[i]), high = i + 1 < words.size() ? joined(words[i + 1]) : low;
    out.push_back(permuteBytes(t, low, high, 0x6420));
  }
  return fromWords(t, out, ThreadBuilder::vectorOf(t.builder().getI8Type(), count / 2));
}

Value nibblesToHalf(ThreadBuilder &t, Value nibbles, int64_t count, bool isSigned, Type half) {
  // The bits of 128 (bf16) or 1024 (f16), with a nibble in their lowest bits, are the number 128 or 1024 plus the
  // nibble. Flipping the sign bit of a signed nibble adds 8.
  int64_t base = half.isBF16() ? 0x43004300 : 0x64006400, flip = isSigned ? 0x00080008 : 0;
  double offset = (half.isBF16() ? 128 : 1024) + (isSigned ? 8 : 0);
  Type pair = ThreadBuilder::vectorOf(half, 2);
  SmallVector<Value> parts;
  int64_t left = count;
  for (Value word : wordsOf(t, nibbles)) {
    Value shifted = t.shiftRight(word, 4);
    for (uint32_t byte = 0; byte < 4 && left > 0; ++byte, left -= 2) {
      Value spread = permuteBytes(t, word, shifted, byte | byte << 4 | (byte + 4) << 8 | (byte + 4) << 12);
      Value bits = t.bitXor(t.bitAnd(spread, 0x000f000f), base | flip);
      parts.push_back(t.create<LLVM::FSubOp>(t.create<LLVM::BitcastOp>(pair, bits), t.number(pair, offset)));
    }
  }
  return t.concatenate(parts);
}

Value nibblesToE4M3(ThreadBuilder &t, Value nibbles, int64_t count, bool isSigned) {
  // The f8e4m3fn codes of 0 to 7, and of 8 to 15 or -8 to -1. prmt looks up four bytes at a time in a table of eight.
  constexpr uint32_t kLow[] = {0x44403800, 0x4e4c4a48}, kNegative[] = {0xcaccced0, 0xb8c0c4c8},
                     kUnsigned[] = {0x53525150, 0x57565554};
  const uint32_t *high = isSigned ? kNegative : kUnsigned;
  SmallVector<Value> out;
  int64_t left = count;
  for (Value word : wordsOf(t, nibbles)) {
    Value index = t.bitAnd(word, 0x77777777), upper = t.bitAnd(word, 0x88888888);
    // Each element has a selector that picks one of two candidates: byte i of the low codes, or byte i of the high ones
    // (4 + i).
    Value selectors = bitOr(t, t.shiftRight(upper, 1), t.constant(0x32103210));
    for (int part = 0; part < 2 && left > 0; ++part, left -= 4) {
      Value here = part ? t.shiftRight(index, 16) : index, choice = part ? t.shiftRight(selectors, 16) : selectors;
      Value low = permuteBytes(t, t.constant(kLow[0]), t.constant(kLow[1]), here);
      Value other = permuteBytes(t, t.constant(high[0]), t.constant(high[1]), here);
      out.push_back(permuteBytes(t, low, other, choice));
    }
  }
  return fromWords(t, out, ThreadBuilder::vectorOf(t.builder().getI8Type(), count));
}

Value bytesToBf16(ThreadBuilder &t, Value bytes) {
  // Read as bf16, the byte 0x43 followed by a byte b < 128 is the number 128 + b, and 0x4380 is 256. So a signed byte
  // is the difference of two numbers: one with its lower seven bits, and one with only its sign bit.
  Type pair = ThreadBuilder::vectorOf(t.builder().getBF16Type(), 2);
  SmallVector<Value> parts;
  int64_t left = ThreadBuilder::countOf(bytes.getType());
  for (Value word : wordsOf(t, bytes))
    for (int half = 0; half < 2 && left > 0; ++half, left -= 2) {
      Value bits = permuteBytes(t, word, t.constant(0x43), half ? 0x4342 : 0x4140);
      Value value = t.create<LLVM::BitcastOp>(pair, t.bitAnd(bits, 0xff7fff7f));
      Value sign = t.create<LLVM::BitcastOp>(pair, t.bitAnd(bits, 0xff80ff80));
      parts.push_back(t.create<LLVM::FSubOp>(value, sign));
    }
  return t.concatenate(parts);
}

Value fromNarrowFloat(ThreadBuilder &t, Value bytes, Type narrow, Type wide) {
  int64_t count = ThreadBuilder::countOf(bytes.getType());
  Type pair = ThreadBuilder::vectorOf(t.builder().getF16Type(), 2), i16 = t.builder().getIntegerType(16);
  std::string instruction = std::string("cvt.rn.f16x2.") + name(narrow) + " $0, $1;";
  SmallVector<Value> parts;
  for (int64_t i = 0; i < count; i += 2) {
    Value two =
        i + 1 < count ? t.create<LLVM::BitcastOp>(i16, t.slice(bytes, i, 2)) : t.resize(t.extract(bytes, i), 16);
    Value halves = t.create<LLVM::BitcastOp>(pair, t.purePtx(t.i32(), instruction, "=r,h", two));
    parts.push_back(i + 1 < count ? halves : t.extract(halves, 0));
  }
  Value all = t.concatenate(parts);
  return wide.isF16() ? all : t.create<LLVM::FPExtOp>(ThreadBuilder::vectorOf(wide, count), all);
}

Value toNarrowFloat(ThreadBuilder &t, Value wide, Type narrow) {
  int64_t count = ThreadBuilder::countOf(wide.getType());
  bool half = ThreadBuilder::elementOf(wide.getType()).isF16();
  Type bytes = ThreadBuilder::vectorOf(t.builder().getI8Type(), 2), i16 = t.builder().getIntegerType(16);
  std::string instruction =
      std::string("cvt.rn.satfinite.") + name(narrow) + (half ? ".f16x2 $0, $1;" : ".f32 $0, $1, $2;");
  SmallVector<Value> parts;
  for (int64_t i = 0; i < count; i += 2) {
    bool both = i + 1 < count;
    Value two;
    if (half) {
      Value pair = both ? t.slice(wide, i, 2) : t.splat(t.extract(wide, i), 2);
      two = t.purePtx(i16, instruction, "=h,r", t.create<LLVM::BitcastOp>(t.i32(), pair).getResult());
    } else { // the first operand becomes the upper byte
      two = t.purePtx(i16, instruction, "=h,f,f", {t.extract(wide, both ? i + 1 : i), t.extract(wide, i)});
    }
    parts.push_back(both ? t.create<LLVM::BitcastOp>(bytes, two).getResult() : t.resize(two, 8));
  }
  return t.concatenate(parts);
}

Value fromF4(ThreadBuilder &t, Value packed, int64_t count) {
  Type pair = ThreadBuilder::vectorOf(t.builder().getF16Type(), 2);
  SmallVector<Value> parts;
  for (int64_t i = 0; i < count; i += 2) {
    Value byte = t.resize(t.extract(packed, i / 2), 16);
    Value halves = t.create<LLVM::BitcastOp>(
        pair, t.purePtx(t.i32(), "{ .reg .b8 two; cvt.u8.u16 two, $1; cvt.rn.f16x2.e2m1x2 $0, two; }", "=r,h", byte));
    parts.push_back(i + 1 < count ? halves : t.extract(halves, 0));
  }
  return t.concatenate(parts);
}

Value toF4(ThreadBuilder &t, Value wide) {
  int64_t count = ThreadBuilder::countOf(wide.getType());
  Type i16 = t.builder().getIntegerType(16);
  SmallVector<Value> bytes;
  for (int64_t i = 0; i < count; i += 2) {
    bool both = i + 1 < count;
    Value high = both ? t.extract(wide, i + 1) : t.number(t.f32(), 0); // the first operand becomes the upper half
    Value two = t.purePtx(i16, "{ .reg .b8 two; cvt.rn.satfinite.e2m1x2.f32 two, $1, $2; cvt.u16.u8 $0, two; }",
                          "=h,f,f", {high, t.extract(wide, i)});
    bytes.push_back(t.resize(two, 8));
  }
  return t.concatenate(bytes);
}

// The instructions for 6-bit floats have the forms of those for 8-bit floats.
Value fromF6(ThreadBuilder &t, Value bytes, Type narrow) {
  return fromNarrowFloat(t, bytes, narrow, t.builder().getF16Type());
}

Value toF6(ThreadBuilder &t, Value wide, Type narrow) { return toNarrowFloat(t, wide, narrow); }

Value fromE8M0(ThreadBuilder &t, Value bytes) {
  int64_t count = ThreadBuilder::countOf(bytes.getType());
  Type pair = ThreadBuilder::vectorOf(t.builder().getBF16Type(), 2), i16 = t.builder().getIntegerType(16);
  SmallVector<Value> parts;
  for (int64_t i = 0; i < count; i += 2) {
    bool both = i + 1 < count;
    Value two =
        both ? t.create<LLVM::BitcastOp>(i16, t.slice(bytes, i, 2)).getResult() : t.resize(t.extract(bytes, i), 16);
    Value halves = t.create<LLVM::BitcastOp>(pair, t.purePtx(t.i32(), "cvt.rn.bf16x2.ue8m0x2 $0, $1;", "=r,h", two));
    parts.push_back(both ? halves : t.extract(halves, 0));
  }
  return t.concatenate(parts);
}

Value toE8M0(ThreadBuilder &t, Value wide, bool towardsZero) {
  int64_t count = ThreadBuilder::countOf(wide.getType());
  Type bytes = ThreadBuilder::vectorOf(t.builder().getI8Type(), 2), i16 = t.builder().getIntegerType(16);
  const char *instruction =
      towardsZero ? "cvt.rz.satfinite.ue8m0x2.f32 $0, $1, $2;" : "cvt.rp.satfinite.ue8m0x2.f32 $0, $1, $2;";
  SmallVector<Value> parts;
  for (int64_t i = 0; i < count; i += 2) {
    bool both = i + 1 < count; // the first operand becomes the upper byte
    Value two = t.purePtx(i16, instruction, "=h,f,f", {t.extract(wide, both ? i + 1 : i), t.extract(wide, i)});
    parts.push_back(both ? t.create<LLVM::BitcastOp>(bytes, two).getResult() : t.resize(two, 8));
  }
  return t.concatenate(parts);
}

} // namespace lanescope::core
