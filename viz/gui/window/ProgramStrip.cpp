#include "viz/gui/window/ProgramStrip.h"

#include "layouts/support/Text.h"
#include "viz/gui/style/Widgets.h"

#include <algorithm>
#include <array>

namespace lanescope::viz {

namespace {

struct Answer {
  const char *title;
  ProgramAnswer answer;
  const char *about;
};
constexpr std::array<Answer, 3> kAnswers = {{
    {"Run it once", ProgramAnswer::Once, "this text; a changed one asks again"},
    {"Trust this folder", ProgramAnswer::Folder, "programs in it run when they are opened and saved, from now on"},
    {"Leave it", ProgramAnswer::Leave, "it is shown, and not run"},
}};

void drawQuestion(const ProgramState &program, Host &host, const Theme &theme) {
  std::string words = programWords(program);
  if (ImGui::CalcTextSize(words.c_str()).x <= ImGui::GetContentRegionAvail().x) {
    ImGui::AlignTextToFramePadding();
    ImGui::PushStyleColor(ImGuiCol_Text, theme.warning);
    ImGui::TextUnformatted(words.c_str());
    ImGui::PopStyleColor();
  } else {
    wrapped(words, theme.warning);
  }
  for (const Answer &each : kAnswers) {
    flow(buttonWidth(each.title), theme);
    if (ImGui::Button(each.title))
      host.answer(each.answer);
    if (ImGui::IsItemHovered())
      tip(each.answer == ProgramAnswer::Folder ? text(program.folder, ": ", each.about) : each.about, theme);
  }
}

void drawKernels(const ProgramState &program, Host &host, const Theme &theme) {
  caption("Kernel", theme);
  size_t chosen = std::min(program.chosen, program.kernels.size() - 1);
  ImGui::SetNextItemWidth(std::min(theme.px(260), ImGui::GetContentRegionAvail().x));
  if (!ImGui::BeginCombo("##kernel", program.kernels[chosen].c_str()))
    return;
  for (size_t i = 0; i < program.kernels.size(); ++i) {
    ImGui::PushID(static_cast<int>(i));
    if (ImGui::Selectable(program.kernels[i].c_str(), i == chosen))
      host.chooseKernel(i);
    ImGui::PopID();
  }
  ImGui::EndCombo();
}

} // namespace

std::string programWords(const ProgramState &program) {
  if (program.phase == ProgramState::Phase::Asks)
    return "This file is a Python program. It can do what Python can.";
  if (program.phase == ProgramState::Phase::Left)
    return "This file is a Python program, and was not run.";
  return program.kernels.size() > 1 ? text(program.kernels.size(), " kernels") : std::string();
}

bool asks(const std::optional<ProgramState> &program) { return program && program->phase == ProgramState::Phase::Asks; }

void drawProgram(const ProgramState &program, Host &host, const Theme &theme) {
  ImGui::PushID("program");
  if (program.phase == ProgramState::Phase::Asks)
    drawQuestion(program, host, theme);
  else if (program.phase == ProgramState::Phase::Left)
    wrapped(programWords(program), theme.faint);
  else if (program.kernels.size() > 1)
    drawKernels(program, host, theme);
  ImGui::PopID();
}

} // namespace lanescope::viz
