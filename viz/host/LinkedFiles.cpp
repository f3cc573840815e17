#include "viz/host/LinkedFiles.h"

#include "core/data/Base64.h"
#include "layouts/support/Utf8.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>

namespace lanescope::viz {

using nlohmann::json;

namespace {

constexpr size_t kMostFiles = 256;

bool isText(std::string_view content) {
  auto isControl = [](char c) { return static_cast<unsigned char>(c) < ' ' && c != '\n' && c != '\r' && c != '\t'; };
  if (std::ranges::any_of(content, isControl))
    return false;
  while (!content.empty()) {
    size_t length = characterLength(content);
    if (length == 0)
      return false;
    content.remove_prefix(length);
  }
  return true;
}

bool staysInFolder(const std::string &name) {
  std::filesystem::path path(name);
  return !name.empty() && !name.contains('\0') && path.is_relative() && name == path.lexically_normal().string() &&
         *path.begin() != ".." && *path.begin() != "." && path.has_filename();
}

} // namespace

json linkedFilesJson(std::span<const LinkedFile> files) {
  json out = json::array();
  for (const LinkedFile &file : files)
    if (isText(file.content))
      out.push_back({{"name", file.name}, {"text", file.content}});
    else
      out.push_back({{"name", file.name}, {"base64", core::base64Url(file.content)}});
  return out;
}

Result<std::vector<LinkedFile>> linkedFilesOf(const core::Json &files) {
  std::vector<LinkedFile> out;
  if (!files.is(core::Json::Kind::Array) || files.items.empty() || files.items.size() > kMostFiles)
    return error("bad-view", "this link has no files of a kernel");
  for (const core::Json &file : files.items) {
    auto string = [&](std::string_view name) {
      const core::Json *found = file.find(name);
      return found && found->is(core::Json::Kind::String) ? &found->string : nullptr;
    };
    const std::string *name = string("name"), *content = string("text"), *letters = string("base64");
    std::optional<std::string> bytes = content   ? std::optional(*content)
                                       : letters ? core::bytesOfBase64Url(*letters)
                                                 : std::nullopt;
    if (!name || !bytes)
      return error("bad-view", "a file in this link is damaged");
    if (!staysInFolder(*name))
      return error("bad-view", Message("this link names a file outside of its folder: `{name}`", *name));
    out.push_back({*name, *std::move(bytes)});
  }
  return out;
}

} // namespace lanescope::viz
