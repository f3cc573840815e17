#include "viz/web/GivenFiles.h"

#include <map>
#include <utility>

namespace lanescope::viz {
namespace {
std::map<std::string, core::Bytes, std::less<>> &files() {
  static std::map<std::string, core::Bytes, std::less<>> files;
  return files;
}
} // namespace

void giveFile(const std::string &name, core::Bytes bytes) { files().insert_or_assign(name, std::move(bytes)); }
void forgetFiles() { files().clear(); }

const core::Bytes *givenFile(std::string_view name) {
  auto found = files().find(name);
  return found == files().end() ? nullptr : &found->second;
}

std::vector<std::string> givenFiles() {
  std::vector<std::string> names;
  for (const auto &[name, bytes] : files())
    names.push_back(name);
  return names;
}

} // namespace lanescope::viz
