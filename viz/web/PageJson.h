// The explorer's state and the frames of its pictures as JSON, for the web page.
#pragma once

#include "viz/gui/explorer/ExplorerModel.h"

#include <nlohmann/json_fwd.hpp>

namespace lanescope::viz {

/// The names that fields and lists of the page offer: pictures, the catalogue, element types, instructions, formats.
nlohmann::json namesJson();
/// {"input", "facts", "panes", "legends", "front", "message", "messageBad"}.
nlohmann::json stateJson(const ExplorerModel &model);
/// The words about the selection: {"words", "access", "steps", "linked", "pinned", "hovering"}.
nlohmann::json wordsJson(const ExplorerModel &model);
/// A frame. `base` false: only the lit cells and what is drawn with them, because the page has the rest.
nlohmann::json frameJson(const SceneFrame &frame, bool base);

} // namespace lanescope::viz
