// Everything that the window shows, without any drawing: views read and change these, scripts and tests do too.
#pragma once

#include "viz/gui/console/ConsoleModel.h"
#include "viz/gui/dump/DumpModel.h"
#include "viz/gui/explorer/ExplorerModel.h"
#include "viz/gui/files/CodeModel.h"
#include "viz/gui/files/FilesModel.h"
#include "viz/gui/timeline/TimelineModel.h"

namespace lanescope::viz {

enum class ViewId { Layout, Trace, Code, Dump };

struct Models {
  ExplorerModel explorer;
  TimelineModel timeline;
  CodeModel code;
  DumpModel dump;
  ConsoleModel console;
  FilesModel files;

  ViewId front = ViewId::Layout;
  bool showKeys = false; // the list of keys is open
};

} // namespace lanescope::viz
