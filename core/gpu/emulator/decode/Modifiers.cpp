#include "core/gpu/emulator/decode/Modifiers.h"

#include <algorithm>

namespace lanescope::core::emulator {

namespace {

constexpr Type kTypes[] = {
    {TypeKind::Predicate, 1, false, "pred"}, {TypeKind::Bits, 8, false, "b8"},
    {TypeKind::Bits, 16, false, "b16"},      {TypeKind::Bits, 32, false, "b32"},
    {TypeKind::Bits, 64, false, "b64"},      {TypeKind::Bits, 128, false, "b128"},
    {TypeKind::Unsigned, 8, false, "u8"},    {TypeKind::Unsigned, 16, false, "u16"},
    {TypeKind::Unsigned, 32, false, "u32"},  {TypeKind::Unsigned, 64, false, "u64"},
    {TypeKind::Signed, 8, false, "s8"},      {TypeKind::Signed, 16, false, "s16"},
    {TypeKind::Signed, 32, false, "s32"},    {TypeKind::Signed, 64, false, "s64"},
    {TypeKind::Unsigned, 32, true, "u16x2"}, {TypeKind::Signed, 32, true, "s16x2"},
    {TypeKind::Float, 16, false, "f16"},     {TypeKind::Float, 32, true, "f16x2"},
    {TypeKind::BFloat, 16, false, "bf16"},   {TypeKind::BFloat, 32, true, "bf16x2"},
    {TypeKind::Float, 32, false, "f32"},     {TypeKind::Float, 64, false, "f64"},
    {TypeKind::Narrow, 8, false, "e4m3"},    {TypeKind::Narrow, 8, false, "e5m2"},
    {TypeKind::Unsigned, 4, false, "u4"},    {TypeKind::Signed, 4, false, "s4"},
    {TypeKind::Bits, 1, false, "b1"},        {TypeKind::Narrow, 16, true, "e4m3x2"},
    {TypeKind::Narrow, 16, true, "e5m2x2"},  {TypeKind::Narrow, 32, false, "tf32"},
};

} // namespace

bool mayRepeat(std::string_view part) {
  constexpr std::string_view kRepeated[] = {"sat", "satfinite", "relu", "NaN", "cc", "approx"};
  return std::ranges::find(kRepeated, part) != std::end(kRepeated);
}

Modifiers::Modifiers(std::string_view opcode) {
  size_t from = 0;
  bool first = true;
  while (from <= opcode.size()) {
    size_t dot = opcode.find('.', from);
    if (dot == std::string_view::npos)
      dot = opcode.size();
    std::string_view part = opcode.substr(from, dot - from);
    if (first)
      root_ = part;
    else if (!mayRepeat(part) || std::ranges::find(parts_, part) == parts_.end())
      parts_.push_back(part);
    first = false;
    from = dot + 1;
  }
}

bool Modifiers::take(std::string_view part) {
  for (auto it = parts_.begin(); it != parts_.end(); ++it)
    if (*it == part) {
      parts_.erase(it);
      return true;
    }
  return false;
}

std::string_view Modifiers::takeOne(std::initializer_list<std::string_view> parts) {
  for (std::string_view part : parts)
    if (take(part))
      return part;
  return {};
}

std::string_view Modifiers::takeIf(bool (*wanted)(std::string_view part)) {
  auto found = std::ranges::find_if(parts_, wanted);
  if (found == parts_.end())
    return {};
  std::string_view part = *found;
  parts_.erase(found);
  return part;
}

bool Modifiers::has(std::initializer_list<std::string_view> parts) const {
  return std::ranges::any_of(parts_, [&](std::string_view p) { return std::ranges::find(parts, p) != parts.end(); });
}

Type Modifiers::takeType() {
  for (auto it = parts_.begin(); it != parts_.end(); ++it)
    for (const Type &type : kTypes)
      if (type.name == *it) {
        parts_.erase(it);
        return type;
      }
  Type none;
  none.kind = TypeKind::Predicate;
  none.bits = 0;
  return none;
}

Space takeSpace(Modifiers &mods) {
  std::string_view name = mods.takeOne(
      {"global", "shared", "shared::cta", "shared::cluster", "local", "const", "param", "param::entry", "param::func"});
  return name == "shared::cluster"    ? Space::SharedCluster
         : name.starts_with("shared") ? Space::Shared
         : name == "global"           ? Space::Global
         : name == "local"            ? Space::Local
         : name == "const"            ? Space::Const
         : name.starts_with("param")  ? Space::Param
                                      : Space::Generic;
}

std::string_view Modifiers::leftOver() const { return parts_.empty() ? std::string_view{} : parts_.front(); }

} // namespace lanescope::core::emulator
