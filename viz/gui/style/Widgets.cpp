#include "viz/gui/style/Widgets.h"

#include "layouts/Dtype.h"
#include "layouts/support/Utf8.h"

#include <imgui_internal.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <cmath>

namespace lanescope::viz {

bool segmented(const char *id, std::initializer_list<const char *> names, int &chosen, const Theme &theme) {
  bool changed = false;
  int index = 0;
  ImGui::PushID(id);
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {theme.px(1), ImGui::GetStyle().ItemSpacing.y});
  for (const char *name : names) {
    if (index)
      ImGui::SameLine();
    bool active = index == chosen;
    if (active) {
      ImGui::PushStyleColor(ImGuiCol_Button, theme.accent);
      ImGui::PushStyleColor(ImGuiCol_ButtonHovered, theme.accent);
      ImGui::PushStyleColor(ImGuiCol_Text, theme.accentInk);
    }
    if (ImGui::Button(name) && !active) {
      chosen = index;
      changed = true;
    }
    if (active)
      ImGui::PopStyleColor(3);
    ++index;
  }
  ImGui::PopStyleVar();
  ImGui::PopID();
  return changed;
}

bool toggle(const char *name, bool &on, const Theme &theme) {
  bool wasOn = on;
  if (wasOn) {
    ImGui::PushStyleColor(ImGuiCol_Button, theme.accent);
    ImGui::PushStyleColor(ImGuiCol_ButtonHovered, theme.accent);
    ImGui::PushStyleColor(ImGuiCol_Text, theme.accentInk);
  }
  if (ImGui::Button(name))
    on = !on;
  if (wasOn)
    ImGui::PopStyleColor(3);
  return on != wasOn;
}

float buttonWidth(const char *text) { return ImGui::CalcTextSize(text).x + 2 * ImGui::GetStyle().FramePadding.x; }

float segmentedWidth(std::initializer_list<const char *> names, const Theme &theme) {
  float width = 0;
  for (const char *name : names)
    width += buttonWidth(name) + theme.px(1);
  return width;
}

void flow(float width, const Theme &theme) { flow(width, theme.px(20)); }

void flow(float width, float gap) {
  float right = ImGui::GetWindowPos().x + ImGui::GetWindowContentRegionMax().x;
  if (ImGui::GetItemRectMax().x + gap + width <= right)
    ImGui::SameLine(0, gap);
}

void captionInFlow(const char *text, float width, const Theme &theme) {
  flow(ImGui::CalcTextSize(text).x + theme.px(6) + width, theme);
  caption(text, theme);
}

namespace {

/// The longest beginning of the text with `mark` after it for which `fits` is true. It is found by bisection, because a
/// text may be very long.
template <class Fits> std::string longestBeginning(const std::string &text, const char *mark, Fits fits) {
  size_t good = 0, bad = text.size(); // in bytes
  while (good + 1 < bad) {
    size_t middle = (good + bad) / 2;
    (fits(text.substr(0, middle) + mark) ? good : bad) = middle;
  }
  while (good > 0 && continuesCharacter(text[good]))
    --good;
  return text.substr(0, good) + mark;
}

float widthOf(const std::string &text) { return ImGui::CalcTextSize(text.c_str()).x; }

} // namespace

std::string elided(std::string text, float width) {
  if (widthOf(text) <= width)
    return text;
  return longestBeginning(text, "…", [&](const std::string &part) { return widthOf(part) <= width; });
}

std::string elidedStart(std::string text, float width) {
  if (widthOf(text) <= width)
    return text;
  size_t fits = text.size(), least = 0; // `fits`: the beginning of the part that fits, found by bisection
  while (least + 1 < fits) {
    size_t middle = (least + fits) / 2;
    (widthOf("…" + text.substr(middle)) <= width ? fits : least) = middle;
  }
  while (fits < text.size() && continuesCharacter(text[fits]))
    ++fits;
  return "…" + text.substr(fits);
}

std::string fittingHeight(const std::string &text, float width, float height) {
  auto fits = [&](const std::string &part) {
    return ImGui::CalcTextSize(part.c_str(), nullptr, false, width).y <= height;
  };
  return fits(text) ? text : longestBeginning(text, " …", fits);
}

float tipWidth(const Theme &theme) { return std::min(theme.px(460), ImGui::GetIO().DisplaySize.x * 0.9f); }

void tip(const std::string &words, const Theme &theme) {
  constexpr float kMostOfScreen = 0.4f;
  ImVec2 screen = ImGui::GetIO().DisplaySize;
  float width = tipWidth(theme);
  ImGui::BeginTooltip();
  ImGui::PushTextWrapPos(width);
  ImGui::TextUnformatted(fittingHeight(words, width, screen.y * kMostOfScreen).c_str());
  ImGui::PopTextWrapPos();
  ImGui::EndTooltip();
}

void hint(const char *words) {
  if (ImGui::IsItemHovered())
    ImGui::SetTooltip("%s", words);
}

void explanation(const std::string &words, const Theme &theme) {
  constexpr float kLeast = 200; // pixels at scale 1
  ImVec2 room = ImGui::GetContentRegionAvail();
  if (room.y >= theme.px(kLeast))
    return wrapped(words, theme.faint);
  wrapped(elided(words, room.x), theme.faint);
  if (ImGui::IsItemHovered())
    tip(words, theme);
}

void hints(std::string_view all, const Theme &theme, float taken) {
  constexpr std::string_view kBetween = "    ";
  const float size = theme.small->FontSize, room = ImGui::GetContentRegionAvail().x - taken;
  float width = 0;
  size_t shown = 0;
  for (size_t at = 0; at < all.size();) {
    size_t end = std::min(all.find(kBetween, at), all.size());
    float reached = width + theme.small->CalcTextSizeA(size, FLT_MAX, 0, all.data() + shown, all.data() + end).x;
    if (reached > room)
      break;
    width = reached;
    shown = end;
    at = end + kBetween.size();
  }
  // The width of the text is already known. ImGui::TextUnformatted() would measure it again.
  ImGui::GetWindowDrawList()->AddText(theme.small, size, ImGui::GetCursorScreenPos(), theme.faint, all.data(),
                                      all.data() + shown);
  ImGui::Dummy({width, size});
}

void caption(const char *text, const Theme &theme) {
  ImGui::AlignTextToFramePadding();
  ImGui::PushStyleColor(ImGuiCol_Text, theme.faint);
  ImGui::TextUnformatted(text);
  ImGui::PopStyleColor();
  ImGui::SameLine(0, theme.px(6));
}

void heading(const char *text, const Theme &theme) {
  ImGui::PushFont(theme.bold);
  ImGui::TextUnformatted(text);
  ImGui::PopFont();
}

/// Wraps text and finds the ends of its lines once. Dear ImGui would find them twice per frame, for the size and for
/// drawing.
void wrapped(const std::string &text, ImU32 colour) {
  ImFont *font = ImGui::GetFont();
  const float size = ImGui::GetFontSize(), room = std::max(ImGui::GetContentRegionAvail().x, 1.0f);
  const ImVec2 corner = ImGui::GetCursorScreenPos();
  ImDrawList &list = *ImGui::GetWindowDrawList();
  const ImU32 ink = ImGui::GetColorU32(colour);
  const char *end = text.c_str() + text.size();
  float y = corner.y, width = 0;
  for (const char *at = text.c_str(); at < end;) {
    // CalcWordWrapPositionA() ignores the text's own line breaks.
    const char *stop = std::max(font->CalcWordWrapPositionA(size / font->FontSize, at, end, room), at + 1);
    list.AddText(font, size, {corner.x, y}, ink, at, stop);
    width = at == text.c_str() && stop == end ? font->CalcTextSizeA(size, FLT_MAX, 0, at, end).x : room;
    y += size * float(std::count(at, stop, '\n') + (stop[-1] != '\n'));
    for (at = stop; at < end && (*at == ' ' || *at == '\t');)
      ++at;
    if (at < end && *at == '\n')
      ++at;
  }
  ImGui::Dummy({std::ceil(width), std::max(y - corner.y, size)});
}

bool codeField(const char *id, std::string &text, float width, bool bad, const Theme &theme, const char *hint) {
  ImGui::PushFont(theme.mono);
  if (bad)
    ImGui::PushStyleColor(ImGuiCol_Border, theme.error);
  ImGui::SetNextItemWidth(width);
  float room = ImGui::CalcItemWidth() - 2 * ImGui::GetStyle().FramePadding.x;
  bool edited = ImGui::InputTextWithHint(id, elided(hint, room).c_str(), &text);
  if (bad)
    ImGui::PopStyleColor();
  ImGui::PopFont();
  return edited;
}

bool valueField(const char *id, std::string &value, float width) {
  const ImVec2 padding = ImGui::GetStyle().FramePadding;
  const bool isPath = value.find('/') != std::string::npos;
  const std::string shown = (isPath ? elidedStart : elided)(value, width - 2 * padding.x);
  // ImGui has no field that shows another text than the one it edits. So the field draws no text, and the short text is
  // drawn over it.
  const bool shortened = shown != value && ImGui::GetActiveID() != ImGui::GetID(id);
  const ImU32 ink = ImGui::GetColorU32(ImGuiCol_Text);
  if (shortened)
    ImGui::PushStyleColor(ImGuiCol_Text, IM_COL32_BLACK_TRANS);
  ImGui::SetNextItemWidth(width);
  const bool entered = ImGui::InputText(id, &value, ImGuiInputTextFlags_EnterReturnsTrue);
  if (shortened) {
    ImGui::PopStyleColor();
    const ImVec2 corner = ImGui::GetItemRectMin();
    ImGui::GetWindowDrawList()->AddText({corner.x + padding.x, corner.y + padding.y}, ink, shown.c_str());
  }
  return entered;
}

bool dtypeCombo(const char *id, std::string &dtype, const Theme &theme) {
  bool changed = false;
  ImGui::SetNextItemWidth(theme.px(118));
  if (ImGui::BeginCombo(id, dtype.c_str(), ImGuiComboFlags_HeightLarge)) {
    for (layouts::Dtype each : layouts::allDtypes()) {
      std::string name(layouts::name(each));
      if (ImGui::Selectable(name.c_str(), name == dtype) && name != dtype) {
        dtype = name;
        changed = true;
      }
    }
    ImGui::EndCombo();
  }
  return changed;
}

void copyableCode(const char *id, const char *title, const std::string &text, const Theme &theme) {
  if (text.empty())
    return;
  ImGui::PushID(id);
  heading(title, theme);
  ImGui::SameLine(ImGui::GetContentRegionAvail().x - theme.px(52));
  if (ImGui::SmallButton("copy"))
    ImGui::SetClipboardText(text.c_str());
  hint("copies this text");
  ImGui::PushFont(theme.mono);
  wrapped(text, theme.ink);
  ImGui::PopFont();
  ImGui::PopID();
}

void markProblems(const Diagnostics &diagnostics, std::string_view field, const std::string &text, const Theme &theme) {
  ImVec2 from = ImGui::GetItemRectMin(), to = ImGui::GetItemRectMax(), padding = ImGui::GetStyle().FramePadding;
  auto extent = [&](size_t length) {
    return theme.mono->CalcTextSizeA(theme.mono->FontSize, FLT_MAX, 0, text.data(), text.data() + length).x;
  };
  for (const Diagnostic &diagnostic : diagnostics) {
    if (!diagnostic.span.source || diagnostic.span.source->name() != field)
      continue;
    size_t begin = std::min<size_t>(diagnostic.span.begin, text.size());
    size_t end = std::clamp<size_t>(diagnostic.span.end, begin, text.size());
    float x0 = from.x + padding.x + extent(begin);
    float x1 = std::max(from.x + padding.x + extent(end), x0 + theme.px(7)); // at least one character wide
    if (x0 < to.x - padding.x)
      ImGui::GetWindowDrawList()->AddRectFilled({x0, to.y - theme.px(4)},
                                                {std::min(x1, to.x - padding.x), to.y - theme.px(2)}, theme.error);
  }
}

/// The part of a text around a place, with a caret below the place: "…4):((128,4,1)\n      ^". No character is cut in
/// two.
static std::string extract(const std::string &text, size_t begin) {
  constexpr size_t kBefore = 40, kAfter = 40;
  auto continues = [&](size_t at) { return at < text.size() && continuesCharacter(text[at]); };
  size_t from = begin > kBefore ? begin - kBefore : 0, to = std::min(text.size(), begin + kAfter);
  while (continues(from))
    ++from;
  while (continues(to))
    ++to;
  auto before = static_cast<size_t>(std::ranges::count_if(std::string_view(text).substr(from, begin - from),
                                                          [](char c) { return !continuesCharacter(c); }));
  return text.substr(from, to - from) + "\n" + std::string(before, ' ') + "^";
}

void drawProblemCard(const Diagnostics &diagnostics,
                     std::span<const std::pair<std::string_view, const char *>> placeNames, const Theme &theme) {
  if (diagnostics.empty())
    return;
  // The number of problems, and the length in characters up to which a field is shown whole.
  constexpr size_t kMost = 4, kLong = 60;
  std::vector<std::pair<std::string, bool>> lines; // the text, and true if it is code
  for (size_t i = 0; i < std::min(diagnostics.size(), kMost); ++i) {
    const Diagnostic &diagnostic = diagnostics[i];
    std::string place;
    if (const SourceRef &source = diagnostic.span.source) {
      for (auto [field, name] : placeNames)
        if (source->name() == field)
          place = std::string(name) + ": ";
      size_t begin = std::min<size_t>(diagnostic.span.begin, source->text().size());
      if (source->text().size() > kLong && begin > kLong / 2)
        lines.emplace_back(extract(source->text(), begin), true);
    }
    lines.emplace_back(place + diagnostic.message, false);
    for (const Note &note : diagnostic.notes)
      lines.emplace_back("note: " + note.message, false);
  }
  if (diagnostics.size() > kMost)
    lines.emplace_back(std::to_string(diagnostics.size() - kMost) + " more", false);
  float inside = theme.px(10), width = std::min(ImGui::GetContentRegionAvail().x, theme.px(900)), height = 2 * inside;
  for (const auto &[line, code] : lines) {
    ImGui::PushFont(code ? theme.mono : ImGui::GetFont());
    height += ImGui::CalcTextSize(line.c_str(), nullptr, false, width - 2 * inside).y + theme.px(2);
    ImGui::PopFont();
  }
  ImGui::SetNextWindowPos(ImGui::GetCursorScreenPos());
  ImGui::SetNextWindowSize({width, height});
  ImGui::PushStyleColor(ImGuiCol_WindowBg, theme.panel);
  ImGui::PushStyleColor(ImGuiCol_Border, theme.error);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {inside, inside});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, theme.px(6));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, std::max(theme.px(1), 1.0f));
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, theme.px(2)});
  ImGui::Begin("problems", nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoInputs | ImGuiWindowFlags_NoSavedSettings |
                   ImGuiWindowFlags_NoFocusOnAppearing | ImGuiWindowFlags_NoNav);
  for (const auto &[line, code] : lines) {
    ImGui::PushFont(code ? theme.mono : ImGui::GetFont());
    wrapped(line, code ? theme.faint : theme.error);
    ImGui::PopFont();
  }
  ImGui::End();
  ImGui::PopStyleVar(4);
  ImGui::PopStyleColor(2);
}

bool concerns(const Diagnostics &diagnostics, std::string_view field) {
  for (const Diagnostic &diagnostic : diagnostics)
    if (diagnostic.span.source && diagnostic.span.source->name() == field)
      return true;
  return false;
}

} // namespace lanescope::viz
