// Small controls that several views use.
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

/// Draws a row of buttons, one of which is chosen. Returns true if the user has chosen another one.
bool segmented(const char *id, std::initializer_list<const char *> names, int &chosen, const Theme &theme);
/// Draws a button that stays pressed while `on` is true. Returns true if the user has switched it.
bool toggle(const char *name, bool &on, const Theme &theme);
/// The width in pixels of the row that segmented() draws.
float segmentedWidth(std::initializer_list<const char *> names, const Theme &theme);
/// Puts the next controls, which have a caption, on the same line if `width` more pixels fit there, otherwise on a new
/// line.
void captionInFlow(const char *text, float width, const Theme &theme);
/// Does what captionInFlow() does, for controls without a caption.
void flow(float width, const Theme &theme);
/// Does what flow() does, with a gap of `gap` pixels.
void flow(float width, float gap);
/// The width in pixels of a button with this text.
float buttonWidth(const char *text);
/// The text, shortened with an ellipsis to at most `width` pixels.
std::string elided(std::string text, float width);
/// The text, shortened at its beginning with an ellipsis to at most `width` pixels. This is for paths.
std::string elidedStart(std::string text, float width);
/// The text, shortened with an ellipsis so that it is at most `height` pixels high when wrapped at `width`.
std::string fittingHeight(const std::string &text, float width, float height);
/// Shows words at the pointer, wrapped. They never cover most of the window.
void tip(const std::string &words, const Theme &theme);
/// Shows one line of words while the pointer is on the last control.
void hint(const char *words);
/// The width in pixels at which a tip is wrapped.
float tipWidth(const Theme &theme);
/// Draws a row of hints: as many as fit before the last `taken` pixels. In `all`, four spaces separate two hints.
void hints(std::string_view all, const Theme &theme, float taken = 0);
/// Draws a caption before a field, on the field's line.
void caption(const char *text, const Theme &theme);
/// Draws a heading inside a side panel.
void heading(const char *text, const Theme &theme);
/// Draws wrapped text in the given colour.
void wrapped(const std::string &text, ImU32 colour);
/// Draws an explanation of the picture below it. It is wrapped. If there is little room, it is one line, and the
/// tooltip has the whole text.
void explanation(const std::string &words, const Theme &theme);
/// Draws a text field in the code font, with a red frame if `bad`. `hint` is shown while the field is empty. Returns
/// true on each edit.
bool codeField(const char *id, std::string &text, float width, bool bad, const Theme &theme, const char *hint = "");
/// Draws a text field that is `width` pixels wide. A value that is too wide is shortened while the user does not edit
/// it: a path at its beginning, and any other value at its end. Returns true if the user has entered `value`.
bool valueField(const char *id, std::string &value, float width);
/// Draws a drop-down list of all element types. Returns true if the user has chosen another type.
bool dtypeCombo(const char *id, std::string &dtype, const Theme &theme);
/// Underlines the visible places to which the diagnostics refer, in the field that was drawn last. `text` is the
/// content of that field. Takes no room.
void markProblems(const Diagnostics &diagnostics, std::string_view field, const std::string &text, const Theme &theme);
/// Draws the problems as a card over the contents below the cursor, so that nothing moves when the card appears or
/// disappears. `placeNames` maps fields to their names for users. Each message names its field.
void drawProblemCard(const Diagnostics &diagnostics,
                     std::span<const std::pair<std::string_view, const char *>> placeNames, const Theme &theme);
/// Draws a read-only code text of several lines with a button that copies it.
void copyableCode(const char *id, const char *title, const std::string &text, const Theme &theme);
/// True if any diagnostic points into the source named `field`.
bool concerns(const Diagnostics &diagnostics, std::string_view field);

} // namespace lanescope::viz
