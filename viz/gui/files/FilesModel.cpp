#include "viz/gui/files/FilesModel.h"

namespace lanescope::viz {

namespace {
std::string lower(std::string text) {
  for (char &c : text)
    c = c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c;
  return text;
}
} // namespace

std::vector<size_t> FilesModel::shown() const {
  std::vector<size_t> out;
  std::string needle = lower(filter);
  for (size_t i = 0; i < files_.size(); ++i)
    if (lower(files_[i].group + "/" + files_[i].name).find(needle) != std::string::npos)
      out.push_back(i);
  return out;
}

} // namespace lanescope::viz
