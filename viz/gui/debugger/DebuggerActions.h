// What one can do with a stopped run: one table for buttons, keys, the palette and scripts;
// and the panels beside the code, likewise.
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
  const char *brief; // the same where there is little room
  KeyPress key;      // 0: none
  const char *keys;  // as people write it: "F5"
  const char *about;
};

enum class DebugPanel { Warps, Values, Barriers, Flights, Waits, Shared, Tensor, Arrays, Registers, Stops };

struct DebugPanelEntry {
  DebugPanel panel;
  const char *name;  // in scripts: "flights"
  const char *title; // on the button
  const char *about; // in the palette
};

/// In the order of the buttons, which is that of the enumeration; 1 … 9 and 0 are their keys.
const std::vector<DebugPanelEntry> &debugPanels();

/// In the order of the buttons.
const std::vector<DebugActionEntry> &debugActions();
/// Null: no action of that name.
const DebugActionEntry *debugActionNamed(std::string_view name);

} // namespace lanescope::viz
