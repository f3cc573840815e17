// The file list: what the host offers, narrowed by a text. No Dear ImGui in here.
#pragma once

#include "viz/host/Host.h"

namespace lanescope::viz {

class FilesModel {
public:
  std::string filter;
  std::string current;             // path of the file opened last
  std::vector<std::string> recent; // paths, the last one first

  void refresh(Host &host) { files_ = host.files(); }
  const std::vector<FileEntry> &files() const { return files_; }
  /// Indices of the files whose group or name contains the filter, case ignored.
  std::vector<size_t> shown() const;

private:
  std::vector<FileEntry> files_;
};

} // namespace lanescope::viz
