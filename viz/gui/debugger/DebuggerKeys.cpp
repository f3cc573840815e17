// The keys of the debugger's view, except those that belong to its buttons.
#include "viz/gui/debugger/DebuggerView.h"

#include "layouts/support/Text.h"
#include "viz/gui/style/KeyNames.h"

namespace lanescope::viz {

namespace {

constexpr int kKeyBracketLeft = 91, kKeyBracketRight = 93; // GLFW's numbers

uint32_t linesOf(const DebuggerModel &model) {
  const DebugTarget &target = *model.target();
  const Source &source = model.ptxInFront || !target.snippet ? *target.ptx : *target.snippet;
  return source.lineColumn(static_cast<uint32_t>(source.text().size())).line;
}

/// `from` plus `by`, limited to [0, end).
uint32_t moved(uint32_t from, int64_t by, uint32_t end) {
  return static_cast<uint32_t>(std::clamp<int64_t>(int64_t{from} + by, 0, std::max<int64_t>(end, 1) - 1));
}

void moveInShared(DebuggerModel &model, const core::SharedMemory &shared, int64_t words) {
  auto count = static_cast<uint32_t>(shared.bytes.size() / 4);
  uint32_t at = model.sharedWord >= shared.address ? (model.sharedWord - shared.address) / 4 : 0;
  if (count != 0)
    model.sharedWord = shared.address + 4 * (model.sharedWord ? moved(at, words, count) : 0);
}

void moveByArrows(DebuggerModel &model) {
  const ImGuiIO &io = ImGui::GetIO();
  int across = ImGui::IsKeyPressed(kKeyRight) - ImGui::IsKeyPressed(kKeyLeft);
  int down = ImGui::IsKeyPressed(kKeyDown) - ImGui::IsKeyPressed(kKeyUp);
  if (across == 0 && down == 0)
    return;
  if (io.KeyShift)
    across *= 8, down *= 8;
  const DebugPage *page = model.page();
  if (page && model.panel() == DebugPanel::Shared) {
    moveInShared(model, page->shared, across + int64_t{32} * down);
  } else if (page && model.panel() == DebugPanel::Tensor) {
    model.tensorLane = moved(model.tensorLane, down, layouts::kTmemLanes);
    model.tensorColumn = moved(model.tensorColumn, across, page->tensor.columns);
  } else if (down != 0) {
    uint32_t from = model.cursorLine ? model.cursorLine : model.lineInFront();
    model.cursorLine = from == 0 ? 1 : 1 + moved(from - 1, down, linesOf(model));
  }
}

} // namespace

void takeDebuggerKeys(DebuggerModel &model) {
  const ImGuiIO &io = ImGui::GetIO();
  if (io.KeyCtrl || io.KeyAlt)
    return;
  if (ImGui::IsKeyPressed(kKeyF9, false)) { // also while a text field has the keyboard
    if (io.KeyShift)
      return model.writeCondition();
    model.toggleBreakpointHere();
  }
  if (io.WantTextInput)
    return;
  moveByArrows(model);
  if (io.KeyShift)
    return;
  for (size_t i = 0; i < debugPanels().size(); ++i)
    if (ImGui::IsKeyPressed('0' + static_cast<int>((i + 1) % 10), false))
      model.showPanel(debugPanels()[i].panel);
  if (ImGui::IsKeyPressed(kKeyBracketRight))
    model.focusNext(1);
  if (ImGui::IsKeyPressed(kKeyBracketLeft))
    model.focusNext(-1);
  if (model.target()->snippet && ImGui::IsKeyPressed('X', false))
    model.ptxInFront = !model.ptxInFront;
  if (ImGui::IsKeyPressed('T', false)) {
    model.sharedByTile = !model.sharedByTile;
    model.showPanel(DebugPanel::Shared);
  }
  if (ImGui::IsKeyPressed('W', false) && model.panel() == DebugPanel::Shared && model.sharedWord)
    model.obey(text("watch smem ", model.sharedWord));
}

} // namespace lanescope::viz
