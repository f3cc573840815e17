// Element types, by the names that snippets use: f16, bf16, i32, f8e4m3fn, …
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace lanescope::layouts {

enum class Dtype : uint8_t {
  I1,
  I4,
  I8,
  I16,
  I32,
  I64,
  U2,
  U4,
  U8,
  U16,
  U32,
  U64,
  F16,
  BF16,
  F32,
  F64,
  TF32,
  F8E4M3FN,
  F8E5M2,
  F8E8M0FNU,
  F4E2M1FN,
};

/// The snippet language's name: "f16", "i32", "f8e4m3fn".
std::string_view name(Dtype dtype);
std::optional<Dtype> dtypeNamed(std::string_view name);
std::span<const Dtype> allDtypes();
/// Width of the value in bits (1 for i1, 4 for i4, 32 for tf32).
int bitwidth(Dtype dtype);
/// The default type for a bit width: the IEEE float for 16, 32 and 64 bits; the integer for 1, 4 and 8 bits, because
/// floats of these widths have several formats of equal standing. Nothing for other widths.
std::optional<Dtype> dtypeOfWidth(int bits);
/// Bytes of one element of a host array; sub-byte types take a whole byte each there.
int hostBytes(Dtype dtype);
bool isFloat(Dtype dtype);
bool isSignedInteger(Dtype dtype);
bool isUnsignedInteger(Dtype dtype);
bool isInteger(Dtype dtype); // true for i1 too

} // namespace lanescope::layouts
