#include "viz/gui/style/SyntaxColours.h"

namespace lanescope::viz {

ImU32 syntaxColour(SyntaxKind kind, const Theme &theme) {
  enum : uint8_t { Red = 1, Green = 2, Yellow = 3, Blue = 4, Magenta = 5, Cyan = 6 };
  switch (kind) {
  case SyntaxKind::Keyword: return theme.ansiColour(Magenta);
  case SyntaxKind::Operation: return theme.ansiColour(Blue);
  case SyntaxKind::Type: return theme.ansiColour(Cyan);
  case SyntaxKind::Value: return theme.ink;
  case SyntaxKind::Number: return theme.ansiColour(Yellow);
  case SyntaxKind::String: return theme.ansiColour(Green);
  case SyntaxKind::Comment: return theme.faint;
  case SyntaxKind::Directive: return theme.ansiColour(Cyan);
  case SyntaxKind::Label: return theme.ansiColour(Red);
  }
  return theme.ink;
}

ImU32 litGround(bool pointed, const Theme &theme) {
  uint32_t alpha = theme.dark ? (pointed ? 0x60 : 0x38) : (pointed ? 0x34 : 0x1C);
  return (theme.accent & 0x00FFFFFF) | alpha << 24;
}

} // namespace lanescope::viz
