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
  F6E2M3FN, // 6 bits, which take a byte in files, memory and registers: bits 0 to 5
  F6E3M2FN,
  F4E2M1FN,
};

/// The snippet language's name: "f16", "i32", "f8e4m3fn".
std::string_view name(Dtype dtype);
std::optional<Dtype> dtypeNamed(std::string_view name);
std::span<const Dtype> allDtypes();
/// The bits that an element takes (1 for i1, 4 for i4, 32 for tf32, 8 for 6-bit floats).
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
