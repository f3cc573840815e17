// The list of files, drawn.
#pragma once

#include "viz/gui/canvas/ViewContext.h"
#include "viz/gui/files/FilesModel.h"

namespace lanescope::viz {

void drawFilesView(FilesModel &model, ViewContext &context);

} // namespace lanescope::viz
