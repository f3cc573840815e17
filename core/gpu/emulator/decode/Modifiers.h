// The parts of an opcode: `ld.global.v2.b32` is the root `ld` and three modifiers, one of which is a type.
#pragma once

#include "core/gpu/emulator/ptx/PtxModule.h"

#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <vector>

namespace lanescope::core::emulator {

enum class TypeKind : uint8_t { Bits, Unsigned, Signed, Float, BFloat, Predicate, Narrow };

struct Type {
  TypeKind kind = TypeKind::Bits;
  uint8_t bits = 32;   // bits of the whole value: 32 for f16x2
  bool packed = false; // two halves
  std::string_view name;

  bool isInteger() const { return kind == TypeKind::Bits || kind == TypeKind::Unsigned || kind == TypeKind::Signed; }
  bool isSigned() const { return kind == TypeKind::Signed; }
  bool isF32() const { return kind == TypeKind::Float && bits == 32 && !packed; }
  bool isF64() const { return kind == TypeKind::Float && bits == 64 && !packed; }
  bool isF16() const { return kind == TypeKind::Float && bits == 16; }
  bool isF16x2() const { return kind == TypeKind::Float && bits == 32 && packed; }
  bool isBf16() const { return kind == TypeKind::BFloat && bits == 16; }
  bool isBf16x2() const { return kind == TypeKind::BFloat && bits == 32 && packed; }
};

/// The parts of an opcode after its root, which are separated by dots. Each part is taken once. A part that is left
/// over is unknown. A part that is written twice counts once if it may be repeated.
class Modifiers {
public:
  explicit Modifiers(std::string_view opcode);
  std::string_view root() const { return root_; }
  bool take(std::string_view part);
  /// Takes the first of these parts that is present. Empty if none is.
  std::string_view takeOne(std::initializer_list<std::string_view> parts);
  /// Takes the first part that `wanted` accepts. Empty if it accepts none.
  std::string_view takeIf(bool (*wanted)(std::string_view part));
  /// True if one of the parts is present. Takes no part.
  bool has(std::initializer_list<std::string_view> parts) const;
  /// Takes the next type among the parts (".f32"), in order. If none is left, returns kind Predicate with 0 bits.
  Type takeType();
  /// Returns the first part that was not taken. Empty if all were taken.
  std::string_view leftOver() const;

private:
  std::string_view root_;
  std::vector<std::string_view> parts_;
};

/// True for a modifier that may be written twice, such as `.sat` in `add.sat.f32.sat`. ptxas takes these like one.
bool mayRepeat(std::string_view part);

/// Takes the state space. Returns Generic if none is written.
Space takeSpace(Modifiers &mods);

} // namespace lanescope::core::emulator
