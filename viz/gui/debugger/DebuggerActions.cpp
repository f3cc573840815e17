#include "viz/gui/debugger/DebuggerActions.h"

namespace lanescope::viz {

const std::vector<DebugActionEntry> &debugActions() {
  constexpr bool kShift = true;
  using enum DebugAction;
  static const std::vector<DebugActionEntry> all = {
      {Start, "start", "|<", "|<", {}, "", "to before the first instruction"},
      {ContinueBack,
       "continue-back",
       "< Continue",
       "< Cont.",
       {kKeyF5, false, kShift},
       "Shift+F5",
       "back to a breakpoint, or to the start"},
      {LineBack,
       "line-back",
       "< Line",
       "< Line",
       {kKeyF10, false, kShift},
       "Shift+F10",
       "back to where the warp was at another line"},
      {InstructionBack,
       "instruction-back",
       "< Instruction",
       "< Instr.",
       {kKeyF11, false, kShift},
       "Shift+F11",
       "back by an instruction of the warp"},
      {Instruction,
       "instruction",
       "Instruction >",
       "Instr. >",
       {kKeyF11},
       "F11",
       "an instruction of the warp in focus"},
      {Line, "line", "Line >", "Line >", {kKeyF10}, "F10", "until the warp in focus is at another line"},
      {Event,
       "event",
       "Event >",
       "Event >",
       {kKeyF12},
       "F12",
       "until the block's next instruction that synchronises or starts what runs beside it, or a landing"},
      {Continue, "continue", "Continue >", "Cont. >", {kKeyF5}, "F5", "until a breakpoint, a fault or the end"},
      {Fault, "fault", "To the fault", "Fault", {}, "", "the moment before the run goes wrong; breakpoints are passed"},
      {End, "end", ">|", ">|", {}, "", "to the end, or as far as the run gets"},
  };
  return all;
}

const std::vector<DebugPanelEntry> &debugPanels() {
  using enum DebugPanel;
  static const std::vector<DebugPanelEntry> all = {
      {Warps, "warps", "Warps", "warps"},
      {Values, "values", "Values", "values"},
      {Barriers, "barriers", "Barriers", "barriers"},
      {Flights, "flights", "In flight", "what is in flight"},
      {Waits, "waits", "Who waits", "who waits for whom"},
      {Shared, "shared", "Shared", "shared memory"},
      {Tensor, "tensor", "Tensor", "tensor memory"},
      {Arrays, "arrays", "Arrays", "arrays"},
      {Registers, "registers", "Registers", "registers"},
      {Stops, "stops", "Stops", "what stops it"},
  };
  return all;
}

const DebugActionEntry *debugActionNamed(std::string_view name) {
  for (const DebugActionEntry &entry : debugActions())
    if (name == entry.name)
      return &entry;
  return nullptr;
}

} // namespace lanescope::viz
