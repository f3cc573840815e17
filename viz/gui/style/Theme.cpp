#include "viz/gui/style/Theme.h"

#include "core/gpu/runtime/OwnFile.h"
#include "viz/scene/Palette.h"

#include <cmath>
#include <filesystem>
#include <vector>

namespace lanescope::viz {

namespace {

constexpr ImU32 rgb(uint32_t hexRgb, uint32_t alpha = 255) {
  return IM_COL32(hexRgb >> 16 & 255, hexRgb >> 8 & 255, hexRgb & 255, alpha);
}

// The characters that the window and the REPL write: Latin, Greek, punctuation, arrows, mathematics, box drawing,
// blocks, shapes.
constexpr ImWchar kGlyphs[] = {0x20,   0xFF,   0x100,  0x17F,  0x370,  0x3FF,  0x2010, 0x205F, 0x2070, 0x209F, 0x20AC,
                               0x20AC, 0x2190, 0x21FF, 0x2200, 0x22FF, 0x2500, 0x25FF, 0x2713, 0x2718, 0};

} // namespace

SceneStyle Theme::sceneStyle() const {
  SceneStyle style;
  style.smallestText = 9 * scale;
  style.largestText = 16 * scale;
  style.tickText = 13 * scale;
  style.hatch = hatch();
  style.lit = lit;
  style.litShare = dark ? 0.6 : 0.1;
  style.glyphWidth = 0.62;
  auto colour = [](ImU32 c) { return Colour{uint8_t(c & 255), uint8_t(c >> 8 & 255), uint8_t(c >> 16 & 255)}; };
  style.empty = colour(panel);
  return style;
}

ImU32 Theme::ansiColour(uint8_t palette) const {
  static constexpr ImU32 onDark[16] = {rgb(0x7D8590), rgb(0xFF7B72), rgb(0x56D364), rgb(0xE3B341),
                                       rgb(0x79C0FF), rgb(0xD2A8FF), rgb(0x56D4DD), rgb(0xD0D7DE),
                                       rgb(0x8B949E), rgb(0xFFA198), rgb(0x7EE787), rgb(0xF2CC60),
                                       rgb(0xA5D6FF), rgb(0xE2C5FF), rgb(0x9CE9F0), rgb(0xFFFFFF)};
  static constexpr ImU32 onLight[16] = {rgb(0x24292F), rgb(0xB3151D), rgb(0x116329), rgb(0x7D4E00),
                                        rgb(0x0550AE), rgb(0x6E35B5), rgb(0x0A5F6B), rgb(0x57606A),
                                        rgb(0x57606A), rgb(0xA40E26), rgb(0x1A7F37), rgb(0x633C01),
                                        rgb(0x0969DA), rgb(0x8250DF), rgb(0x1B7C83), rgb(0x24292F)};
  return (dark ? onDark : onLight)[palette & 15];
}

ImU32 Theme::inkOn(uint32_t fill) {
  Colour of{uint8_t(fill & 255), uint8_t(fill >> 8 & 255), uint8_t(fill >> 16 & 255)};
  return contrast(of, kInk) >= contrast(of, kPaper) ? packed(kInk) : packed(kPaper);
}

void applyTheme(Theme &theme, bool dark, float scale) {
  theme.dark = dark;
  theme.scale = scale;
  if (dark) {
    theme.ground = rgb(0x0F141A), theme.panel = rgb(0x171D25), theme.field = rgb(0x0B0F14),
    theme.raised = rgb(0x2A333F);
    theme.rule = rgb(0x39434F), theme.ink = rgb(0xF0F4F8), theme.faint = rgb(0xA9B4C0), theme.accent = rgb(0x1F6FEB);
    theme.link = rgb(0x58A6FF);
    theme.accentInk = rgb(0xFFFFFF), theme.good = rgb(0x56D364), theme.warning = rgb(0xE3B341);
    theme.error = rgb(0xFF8A80), theme.selection = rgb(0x1F6FEB, 90), theme.dim = rgb(0x0F141A, 110);
    theme.lit = rgb(0xFFFFFF), theme.chosen = rgb(0xFF6B6B);
  } else {
    theme.ground = rgb(0xFFFFFF), theme.panel = rgb(0xF3F5F8), theme.field = rgb(0xFFFFFF),
    theme.raised = rgb(0xDDE3EA);
    theme.rule = rgb(0xC3CCD6), theme.ink = rgb(0x15191E), theme.faint = rgb(0x4E5863),
    theme.accent = theme.link = rgb(0x0860CA);
    theme.accentInk = rgb(0xFFFFFF), theme.good = rgb(0x116329), theme.warning = rgb(0x7D4E00);
    theme.error = rgb(0xB3151D), theme.selection = rgb(0x0860CA, 60), theme.dim = rgb(0xFFFFFF, 140);
    theme.lit = rgb(0x15191E), theme.chosen = rgb(0xD62728);
  }
  if (!ImGui::GetCurrentContext())
    return;
  ImGuiStyle style;
  style.WindowPadding = {12, 10};
  style.FramePadding = {10, 6};
  style.ItemSpacing = {10, 8};
  style.ItemInnerSpacing = {7, 5};
  style.ScrollbarSize = 14;
  style.CircleTessellationMaxError = 0.5f; // so that a frame's corner has one vertex fewer than by default
  style.WindowRounding = 0, style.ChildRounding = 0, style.FrameRounding = 5, style.GrabRounding = 4;
  style.PopupRounding = 6, style.TabRounding = 5, style.ScrollbarRounding = 7;
  style.WindowBorderSize = 0, style.ChildBorderSize = 0, style.FrameBorderSize = 1, style.PopupBorderSize = 1;
  style.ScaleAllSizes(scale);
  style.FrameBorderSize = style.PopupBorderSize = 1;
  auto set = [&](ImGuiCol which, ImU32 colour) { style.Colors[which] = toVec4(colour); };
  auto clear = rgb(0, 0);
  set(ImGuiCol_Text, theme.ink), set(ImGuiCol_TextDisabled, theme.faint);
  set(ImGuiCol_WindowBg, theme.ground), set(ImGuiCol_ChildBg, clear), set(ImGuiCol_PopupBg, theme.panel);
  set(ImGuiCol_Border, theme.rule), set(ImGuiCol_BorderShadow, clear);
  set(ImGuiCol_FrameBg, theme.field), set(ImGuiCol_FrameBgHovered, theme.raised),
      set(ImGuiCol_FrameBgActive, theme.raised);
  set(ImGuiCol_ScrollbarBg, clear), set(ImGuiCol_ScrollbarGrab, theme.rule);
  set(ImGuiCol_ScrollbarGrabHovered, theme.faint), set(ImGuiCol_ScrollbarGrabActive, theme.faint);
  set(ImGuiCol_CheckMark, theme.accent), set(ImGuiCol_SliderGrab, theme.accent),
      set(ImGuiCol_SliderGrabActive, theme.accent);
  set(ImGuiCol_Button, theme.raised), set(ImGuiCol_ButtonHovered, theme.rule), set(ImGuiCol_ButtonActive, theme.rule);
  set(ImGuiCol_Header, theme.raised), set(ImGuiCol_HeaderHovered, theme.raised), set(ImGuiCol_HeaderActive, theme.rule);
  set(ImGuiCol_Separator, theme.rule), set(ImGuiCol_SeparatorHovered, theme.accent),
      set(ImGuiCol_SeparatorActive, theme.accent);
  set(ImGuiCol_TextSelectedBg, theme.selection), set(ImGuiCol_NavHighlight, theme.accent);
  set(ImGuiCol_TableHeaderBg, theme.panel), set(ImGuiCol_TableBorderStrong, theme.rule);
  set(ImGuiCol_TableBorderLight, theme.rule), set(ImGuiCol_TableRowBg, clear), set(ImGuiCol_TableRowBgAlt, clear);
  set(ImGuiCol_Tab, theme.panel), set(ImGuiCol_TabHovered, theme.raised), set(ImGuiCol_TabActive, theme.raised);
  ImGui::GetStyle() = style;
}

std::string findFont(const std::string &fileName) {
  namespace fs = std::filesystem;
  std::vector<fs::path> folders = {"/usr/share/fonts/truetype/dejavu", "/usr/share/fonts/truetype/jetbrains-mono",
                                   "/usr/share/fonts/TTF", "/usr/share/fonts/truetype", "/usr/local/share/fonts"};
  if (fs::path data = core::dataFolder(); !data.empty())
    folders.insert(folders.begin(), data / "fonts");
  for (const fs::path &folder : folders) {
    std::error_code ignored;
    if (fs::path path = folder / fileName; fs::is_regular_file(path, ignored))
      return path.string();
  }
  return {};
}

void loadFonts(Theme &theme) {
  ImFontAtlas &atlas = *ImGui::GetIO().Fonts;
  atlas.Clear();
  auto load = [&](std::initializer_list<const char *> names, float size) -> ImFont * {
    for (const char *name : names) {
      std::string path = findFont(name);
      if (path.empty())
        continue;
      ImFontConfig config;
      config.OversampleH = 2, config.OversampleV = 1;
      if (ImFont *font = atlas.AddFontFromFileTTF(path.c_str(), std::round(size * theme.scale), &config, kGlyphs))
        return font;
    }
    ImFontConfig config;
    config.SizePixels = std::round(size * theme.scale);
    return atlas.AddFontDefault(&config);
  };
  theme.ui = load({"DejaVuSans.ttf", "JetBrainsMono-Regular.ttf"}, 15);
  theme.bold = load({"DejaVuSans-Bold.ttf", "JetBrainsMono-Bold.ttf"}, 15);
  theme.mono = load({"JetBrainsMono-Regular.ttf", "DejaVuSansMono.ttf"}, 16);
  theme.monoBold = load({"JetBrainsMono-Bold.ttf", "DejaVuSansMono-Bold.ttf"}, 16);
  theme.small = load({"DejaVuSans.ttf", "JetBrainsMono-Regular.ttf"}, 13);
}

} // namespace lanescope::viz
