// The list of files: the files of the host, filtered by a text. This file does not use Dear ImGui.
#pragma once

#include "viz/host/Host.h"

namespace lanescope::viz {

class FilesModel {
public:
  std::string filter;
  std::string current;             // the path of the file opened last
  std::vector<std::string> recent; // paths, the most recent first

  void refresh(Host &host) { files_ = host.files(); }
  const std::vector<FileEntry> &files() const { return files_; }
  /// The indices of the files whose group or name contains the filter, ignoring case.
  std::vector<size_t> shown() const;

private:
  std::vector<FileEntry> files_;
};

} // namespace lanescope::viz
