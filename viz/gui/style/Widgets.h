// Small controls that several views share.
#pragma once

#include "layouts/support/Diagnostic.h"
#include "viz/gui/style/Theme.h"

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lanescope::viz {

/// A row of buttons of which one is chosen. True when the choice changed.
bool segmented(const char *id, std::initializer_list<const char *> names, int &chosen, const Theme &theme);
/// A button that stays pressed while `on`. True when it was switched.
bool toggle(const char *name, bool &on, const Theme &theme);
/// Its width.
float segmentedWidth(std::initializer_list<const char *> names, const Theme &theme);
/// Puts the next controls, with a caption before them, on the same line where `width` more pixels fit, else on a new
/// one.
void captionInFlow(const char *text, float width, const Theme &theme);
/// The same for controls without a caption.
void flow(float width, const Theme &theme);
/// The same with a gap of so many pixels.
void flow(float width, float gap);
/// Pixels of a button with this text.
float buttonWidth(const char *text);
/// The text, or as much of it as fits `width` pixels, with an ellipsis.
std::string elided(std::string text, float width);
/// The text, or as much of it as takes no more than `height` pixels when wrapped at `width`, with an ellipsis.
std::string fittingHeight(const std::string &text, float width, float height);
/// Words at the pointer, wrapped; never over most of the window.
void tip(const std::string &words, const Theme &theme);
/// Where they are wrapped, in pixels.
float tipWidth(const Theme &theme);
/// Hints in a row, as many as fit in front of the last `taken` pixels; four spaces stand between two in `all`.
void hints(std::string_view all, const Theme &theme, float taken = 0);
/// A caption before a field, on the field's line.
void caption(const char *text, const Theme &theme);
/// A heading inside a side panel.
void heading(const char *text, const Theme &theme);
/// Wrapped text in the given colour.
void wrapped(const std::string &text, ImU32 colour);
/// A text field in the code font, with a red frame when `bad`; `hint` is shown while it is empty. True on each edit.
bool codeField(const char *id, std::string &text, float width, bool bad, const Theme &theme, const char *hint = "");
/// A drop-down of all element types. True when another is chosen.
bool dtypeCombo(const char *id, std::string &dtype, const Theme &theme);
/// In the field that was drawn last, whose content is `text`: lines under the places that its diagnostics point at, as
/// far as they are in sight. Takes no room.
void markProblems(const Diagnostics &diagnostics, std::string_view field, const std::string &text, const Theme &theme);
/// What is wrong, as a card over what lies below the cursor: nothing moves when it comes and goes. `placeNames`: fields
/// and what people call them; messages say which one they are about.
void drawProblemCard(const Diagnostics &diagnostics,
                     std::span<const std::pair<std::string_view, const char *>> placeNames, const Theme &theme);
/// A read-only code text over several lines with a button that copies it.
void copyableCode(const char *id, const char *title, const std::string &text, const Theme &theme);
/// Whether any diagnostic points into the source named `field`.
bool concerns(const Diagnostics &diagnostics, std::string_view field);

} // namespace lanescope::viz
