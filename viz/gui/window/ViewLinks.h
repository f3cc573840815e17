// Links between the views of the window: lines of the code with regions of a trace and operations of a dump.
#pragma once

#include "viz/gui/code/CodeModel.h"
#include "viz/host/Requests.h"

#include <string>

namespace lanescope::viz {

struct Models;

class ViewLinks {
public:
  ViewLinks(Models &models, Requests &requests) : models_(models), requests_(requests) {}

  /// Lights the code view's lit lines in the trace. Also links the chosen operation of a dump with its line in the
  /// module, in both directions.
  void update();
  /// Shows a line of the source, "x.py:12", if its text is open.
  void showPlace(const std::string &place);
  /// Shows the line of the code view that names the region of a trace.
  void showRegion(const std::string &name);

private:
  Models &models_;
  Requests &requests_;
  size_t linkedRow_ = 0; // the dump's row when the views were linked last
  CodePlace linkedLine_; // the pinned line when the views were linked last
};

} // namespace lanescope::viz
