// Conversions from and to elements of 4 and 8 bits, many at a time: byte permutes, bit tricks and the packed `cvt`s.
//
//   widenNibbles(t, x, 8, true)      <4 x i8> of eight 4-bit integers -> <8 x i8>
//   fromNarrowFloat(t, x, e4m3, f32) <4 x i8> -> <4 x f32>
//
// A register of 4-bit elements is a byte or a vector of bytes, the first element in the low half; a lone element (of a
// splat) is one byte. Sources: PTX ISA, `cvt` and `prmt`; the tricks are those of JAX, jax/experimental/mosaic/gpu/
// fragmented_array.py, `astype`.
#pragma once

#include "core/gpu/lowering/thread/ThreadBuilder.h"

namespace lanescope::core {

/// 4-bit integers -> bytes. `count` elements; 1: a lone one.
mlir::Value widenNibbles(ThreadBuilder &t, mlir::Value nibbles, int64_t count, bool isSigned);
/// Bytes -> the low halves of them, packed; the inverse.
mlir::Value packNibbles(ThreadBuilder &t, mlir::Value bytes);

/// 4-bit integers -> f16 or bf16, exactly. An even `count`.
mlir::Value nibblesToHalf(ThreadBuilder &t, mlir::Value nibbles, int64_t count, bool isSigned, mlir::Type half);
/// 4-bit integers -> f8e4m3fn, exactly, by table.
mlir::Value nibblesToE4M3(ThreadBuilder &t, mlir::Value nibbles, int64_t count, bool isSigned);
/// Signed bytes -> bf16, exactly. An even count.
mlir::Value bytesToBf16(ThreadBuilder &t, mlir::Value bytes);

/// f8e4m3fn or f8e5m2 -> f16 or f32.
mlir::Value fromNarrowFloat(ThreadBuilder &t, mlir::Value bytes, mlir::Type narrow, mlir::Type wide);
/// f16 or f32 -> f8e4m3fn or f8e5m2: to nearest even; what is too large becomes the largest finite number.
mlir::Value toNarrowFloat(ThreadBuilder &t, mlir::Value wide, mlir::Type narrow);

/// f4e2m1fn, as 4-bit integers are packed, -> f16. sm_100a, as the ones below.
mlir::Value fromF4(ThreadBuilder &t, mlir::Value packed, int64_t count);
/// f32 -> f4e2m1fn, packed: to nearest even; what is too large becomes 6.
mlir::Value toF4(ThreadBuilder &t, mlir::Value wide);
/// f8e8m0fnu -> bf16, exactly.
mlir::Value fromE8M0(ThreadBuilder &t, mlir::Value bytes);
/// f32 -> f8e8m0fnu: up to the next power of two, or towards zero.
mlir::Value toE8M0(ThreadBuilder &t, mlir::Value wide, bool towardsZero);

/// prmt.b32: byte i of the result is byte `selector >> 4i & 7` of low:high, its sign repeated where bit 3 is set.
mlir::Value permuteBytes(ThreadBuilder &t, mlir::Value low, mlir::Value high, mlir::Value selector);
mlir::Value permuteBytes(ThreadBuilder &t, mlir::Value low, mlir::Value high, uint32_t selector);

} // namespace lanescope::core
