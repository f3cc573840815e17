// What one can do with a stopped run: one table for buttons, keys, the palette and scripts.
#pragma once

#include "viz/gui/style/KeyNames.h"

#include <string_view>
#include <vector>

namespace lanescope::viz {

enum class DebugAction {
  Start,
  ContinueBack,
  LineBack,
  InstructionBack,
  Instruction,
  Line,
  Event,
  Continue,
  Fault,
  End,
};

struct DebugActionEntry {
  DebugAction action;
  const char *name;  // in scripts: "continue"
  const char *title; // on the button
  KeyPress key;      // 0: none
  const char *keys;  // as people write it: "F5"
  const char *about;
};

/// In the order of the buttons.
const std::vector<DebugActionEntry> &debugActions();
/// Null: no action of that name.
const DebugActionEntry *debugActionNamed(std::string_view name);

} // namespace lanescope::viz
