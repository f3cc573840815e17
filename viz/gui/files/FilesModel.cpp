#include "viz/gui/files/FilesModel.h"

#include "layouts/support/Words.h"

namespace lanescope::viz {

namespace {} // namespace

std::vector<size_t> FilesModel::shown() const {
  std::vector<size_t> out;
  std::string needle = lowerCase(filter);
  for (size_t i = 0; i < files_.size(); ++i)
    if (lowerCase(files_[i].group + "/" + files_[i].name).find(needle) != std::string::npos)
      out.push_back(i);
  return out;
}

} // namespace lanescope::viz
