// The state of everything that the window shows, without drawing. Views, scripts and tests read and change it.
#pragma once

#include "viz/gui/code/CodeModel.h"
#include "viz/gui/console/ConsoleModel.h"
#include "viz/gui/data/DataModel.h"
#include "viz/gui/debugger/DebuggerModel.h"
#include "viz/gui/dump/DumpModel.h"
#include "viz/gui/editor/EditorModel.h"
#include "viz/gui/explorer/ExplorerModel.h"
#include "viz/gui/files/FilesModel.h"
#include "viz/gui/timeline/TimelineModel.h"
#include "viz/gui/window/CommandPalette.h"

namespace lanescope::viz {

enum class ViewId { Layout, Trace, Code, Dump, Debugger, Data };

struct Models {
  ExplorerModel explorer;
  TimelineModel timeline;
  CodeModel code;
  DumpModel dump;
  DebuggerModel debugger;
  DataModel data;
  ConsoleModel console;
  FilesModel files;
  EditorModel editor;

  ViewId front = ViewId::Layout;
  bool showKeys = false; // the list of keys is open
  PaletteModel palette;
  std::optional<ProgramState> program; // the open Python program
};

} // namespace lanescope::viz
