// The actions on a stopped run. Buttons, keys, the palette and scripts use the same table of actions. A second table
// lists the panels beside the code.
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
  const char *name;  // the name in scripts: "continue"
  const char *title; // the title on the button
  const char *brief; // a shorter title, used if there is little room
  KeyPress key;      // 0: no key
  const char *keys;  // the key's name for users: "F5"
  const char *about;
};

enum class DebugPanel { Warps, Values, Barriers, Flights, Waits, Shared, Tensor, Arrays, Registers, Stops };

struct DebugPanelEntry {
  DebugPanel panel;
  const char *name;  // the name in scripts: "flights"
  const char *title; // the title on the button
  const char *about; // the description in the palette
};

/// All panels in the order of the buttons, which is that of the enumeration. Their keys are 1 … 9 and 0.
const std::vector<DebugPanelEntry> &debugPanels();

/// All actions, in the order of the buttons.
const std::vector<DebugActionEntry> &debugActions();
/// The action of that name; null if there is none.
const DebugActionEntry *debugActionNamed(std::string_view name);

} // namespace lanescope::viz
