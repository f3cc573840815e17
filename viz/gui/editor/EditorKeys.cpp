#include "viz/gui/editor/EditorKeys.h"

#include "layouts/support/Utf8.h"
#include "viz/gui/style/KeyNames.h"

#include <imgui.h>

#include <array>
#include <utility>

namespace lanescope::viz {

namespace {

bool pressed(int key, bool repeated = true) { return ImGui::IsKeyPressed(key, repeated); }
bool enterPressed() { return pressed(kKeyEnter) || pressed(kKeyKeypadEnter); }

/// Handles the keys while completions are offered. Returns true if it has used them.
bool chooseOffer(EditorModel &model) {
  size_t count = model.offered().size();
  if (count == 0)
    return false;
  if (pressed(kKeyDown))
    model.chosenOffer = (model.chosenOffer + 1) % count;
  else if (pressed(kKeyUp))
    model.chosenOffer = (model.chosenOffer + count - 1) % count;
  else if (enterPressed() || pressed(kKeyTab))
    model.accept(model.chosenOffer);
  else if (pressed(kKeyEscape, false))
    model.dismissOffers();
  else
    return false;
  return true;
}

void moveByKeys(EditorModel &model, int64_t page) {
  const ImGuiIO &io = ImGui::GetIO();
  bool select = io.KeyShift;
  if (io.KeyAlt) {
    if (pressed(kKeyUp) || pressed(kKeyDown))
      model.moveSelectedLines(pressed(kKeyDown));
    return;
  }
  using enum EditorMove;
  constexpr std::array<std::pair<int, EditorMove>, 6> kPlain = {{{kKeyLeft, Left},
                                                                 {kKeyRight, Right},
                                                                 {kKeyUp, Up},
                                                                 {kKeyDown, Down},
                                                                 {kKeyHome, LineBegin},
                                                                 {kKeyEnd, LineEnd}}};
  constexpr std::array<std::pair<int, EditorMove>, 4> kControl = {
      {{kKeyLeft, WordLeft}, {kKeyRight, WordRight}, {kKeyHome, Begin}, {kKeyEnd, End}}};
  auto perform = [&](const auto &keys) {
    for (auto [key, move] : keys)
      if (pressed(key))
        model.move(move, select);
  };
  io.KeyCtrl ? perform(kControl) : perform(kPlain);
  if (pressed(kKeyPageUp))
    model.moveLines(-page, select);
  if (pressed(kKeyPageDown))
    model.moveLines(page, select);
}

/// Handles Ctrl with a letter or a sign.
void command(EditorModel &model, Host &host, EditorKeys &out) {
  const ImGuiIO &io = ImGui::GetIO();
  if (pressed('Z'))
    io.KeyShift ? model.redo() : model.undo();
  if (pressed('Y'))
    model.redo();
  if (pressed('A', false))
    model.selectAll();
  if (pressed('C', false) && model.selecting())
    ImGui::SetClipboardText(model.selected().c_str());
  if (pressed('X', false))
    ImGui::SetClipboardText(model.cut().c_str());
  if (pressed('V'))
    if (const char *clipboard = ImGui::GetClipboardText())
      model.paste(clipboard);
  if (pressed(kKeySlash, false))
    model.toggleComment();
  if (pressed(kKeySpace, false))
    model.requestCompletions(host);
  out.save = pressed('S', false);
  out.run = enterPressed();
}

/// True if the cursor follows a name or a dot, so that there is something to complete.
bool completable(const EditorModel &model) {
  if (model.selecting() || model.cursor().byte == 0)
    return false;
  char before = model.buffer().line(model.cursor().line)[model.cursor().byte - 1];
  return isNameByte(before) || before == '.';
}

} // namespace

EditorKeys editorKeys(EditorModel &model, Host &host, int64_t page) {
  EditorKeys out;
  ImGuiIO &io = ImGui::GetIO();
  bool control = io.KeyCtrl && !io.KeyAlt; // on some keyboards, users press both keys to type signs
  if (!chooseOffer(model)) {
    moveByKeys(model, page);
    if (control)
      command(model, host, out);
    if (pressed(kKeyBackspace))
      model.backspace(control);
    if (pressed(kKeyDelete))
      model.eraseNext(control);
    if (!control && enterPressed())
      model.newLine();
    if (pressed(kKeyTab) && !control) {
      if (io.KeyShift)
        model.outdent();
      else if (completable(model))
        model.requestCompletions(host);
      else
        model.indent();
    }
    out.leave = pressed(kKeyEscape, false);
  }
  if (!control)
    for (ImWchar character : io.InputQueueCharacters)
      if (character >= ' ' && character != 0x7f) {
        std::string typed;
        appendCharacter(typed, character);
        model.type(typed);
      }
  io.InputQueueCharacters.resize(0);
  return out;
}

} // namespace lanescope::viz
