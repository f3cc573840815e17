// Draws the list of files.
#pragma once

#include "viz/gui/canvas/ViewContext.h"
#include "viz/gui/files/FilesModel.h"

namespace lanescope::viz {

/// An entry above the files.
struct FilesAction {
  std::string title, about;
};
/// The entry that was clicked.
struct FilesWish {
  std::string open; // a path; empty if none
  std::optional<size_t> action;
};

FilesWish drawFilesView(FilesModel &model, const std::vector<FilesAction> &actions, ViewContext &context);

} // namespace lanescope::viz
