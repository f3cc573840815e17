// Conversions from and to elements of 4 and 8 bits, many at a time: byte permutes, bit tricks and the packed `cvt`s.
//
//   widenNibbles(t, x, 8, true)      <4 x i8> of eight 4-bit integers -> <8 x i8>
//   fromNarrowFloat(t, x, e4m3, f32) <4 x i8> -> <4 x f32>
//
// A register of 4-bit elements is a byte or a vector of bytes, the first element in the low half; a single element (of
// a splat) is one byte. Sources: PTX ISA, `cvt` and `prmt`; the tricks are those of JAX, jax/experimental/mosaic/gpu/
// fragmented_array.py, `astype`.
#pragma once

#include "core/gpu/lowering/thread/ThreadBuilder.h"

namespace lanescope::core {

/// 4-bit integers -> bytes. `count` elements; 1 for a single element, as in a splat.
mlir::Value widenNibbles(ThreadBuilder &t, mlir::Value nibbles, int64_t count, bool isSigned);
/// The inverse: packs the low halves of bytes.
mlir::Value packNibbles(ThreadBuilder &t, mlir::Value bytes);

/// 4-bit integers -> f16 or bf16, exactly. `count` must be even.
mlir::Value nibblesToHalf(ThreadBuilder &t, mlir::Value nibbles, int64_t count, bool isSigned, mlir::Type half);
/// 4-bit integers -> f8e4m3fn, exactly, by table.
mlir::Value nibblesToE4M3(ThreadBuilder &t, mlir::Value nibbles, int64_t count, bool isSigned);
/// Signed bytes -> bf16, exactly. Their number must be even.
mlir::Value bytesToBf16(ThreadBuilder &t, mlir::Value bytes);

/// f8e4m3fn or f8e5m2 -> f16 or f32.
mlir::Value fromNarrowFloat(ThreadBuilder &t, mlir::Value bytes, mlir::Type narrow, mlir::Type wide);
/// f16 or f32 -> f8e4m3fn or f8e5m2: rounds to nearest even; values that are too large become the largest finite
/// number.
mlir::Value toNarrowFloat(ThreadBuilder &t, mlir::Value wide, mlir::Type narrow);

/// f4e2m1fn, packed like 4-bit integers, -> f16. This conversion and those below need sm_100a.
mlir::Value fromF4(ThreadBuilder &t, mlir::Value packed, int64_t count);
/// f32 -> f4e2m1fn, packed: rounds to nearest even; values that are too large become 6.
mlir::Value toF4(ThreadBuilder &t, mlir::Value wide);
/// f6e2m3fn or f6e3m2fn, each in a byte, -> f16.
mlir::Value fromF6(ThreadBuilder &t, mlir::Value bytes, mlir::Type narrow);
/// f32 -> f6e2m3fn or f6e3m2fn: rounds to nearest even; values that are too large become the largest one.
mlir::Value toF6(ThreadBuilder &t, mlir::Value wide, mlir::Type narrow);
/// f8e8m0fnu -> bf16, exactly.
mlir::Value fromE8M0(ThreadBuilder &t, mlir::Value bytes);
/// f32 -> f8e8m0fnu: rounds up to the next power of two, or towards zero.
mlir::Value toE8M0(ThreadBuilder &t, mlir::Value wide, bool towardsZero);

/// prmt.b32: byte i of the result is byte `selector >> 4i & 7` of low:high; if bit 3 is set, its sign is repeated.
mlir::Value permuteBytes(ThreadBuilder &t, mlir::Value low, mlir::Value high, mlir::Value selector);
mlir::Value permuteBytes(ThreadBuilder &t, mlir::Value low, mlir::Value high, uint32_t selector);

} // namespace lanescope::core
