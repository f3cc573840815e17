// Finds the PTX of machine code in files that compilers have left.
#include "core/gpu/record/Images.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <elf.h>
#include <fstream>
#include <iterator>

namespace lanescope::core::record {

namespace {

namespace fs = std::filesystem;

std::string contentOf(const fs::path &path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Triton's cache folders. Inductor sets TRITON_CACHE_DIR to a folder of its own.
std::vector<fs::path> tritonCaches() {
  std::vector<fs::path> out;
  auto add = [&](const char *variable, const char *behind) {
    if (const char *value = std::getenv(variable); value && *value)
      out.push_back(fs::path(value) / behind);
  };
  add("TRITON_CACHE_DIR", "");
  add("TRITON_HOME", ".triton/cache");
  add("HOME", ".triton/cache");
  return out;
}

/// Finds PTX beside the machine code: HASH/kernel.cubin and HASH/kernel.ptx.
std::string besideCubin(const fs::path &cache, const std::string &kernel, const std::vector<std::byte> &cubin) {
  std::error_code problem;
  for (fs::directory_iterator each(cache, problem), end; !problem && each != end; each.increment(problem)) {
    fs::path file = each->path() / (kernel + ".cubin");
    std::error_code none;
    if (fs::file_size(file, none) != cubin.size() || none)
      continue;
    std::string bytes = contentOf(file);
    if (bytes.size() == cubin.size() && std::memcmp(bytes.data(), cubin.data(), bytes.size()) == 0)
      return contentOf(file.replace_extension(".ptx"));
  }
  return {};
}

bool hasAll(const std::string &text, const std::set<std::string> &kernels) {
  return std::ranges::all_of(kernels, [&](const std::string &each) { return hasEntry(text, each); });
}

/// The newest PTX that has all the kernels, because several compilations may use the same kernel name.
FoundPtx inFolder(const fs::path &folder, const std::set<std::string> &kernels) {
  FoundPtx found;
  fs::file_time_type time{};
  std::error_code problem;
  for (fs::recursive_directory_iterator each(folder, problem), end; !problem && each != end; each.increment(problem)) {
    std::error_code none;
    if (each->path().extension() != ".ptx" || !each->is_regular_file(none))
      continue;
    auto written = each->last_write_time(none);
    if (none || (!found.text.empty() && written <= time))
      continue;
    if (std::string text = contentOf(each->path()); hasAll(text, kernels)) {
      found = {std::move(text), each->path().string()};
      time = written;
    }
  }
  return found;
}

} // namespace

bool hasEntry(const std::string &text, const std::string &kernel) {
  const std::string word = ".entry " + kernel;
  for (size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1))
    if (size_t end = at + word.size(); end < text.size() && std::strchr(" (\n\t\r", text[end]) != nullptr)
      return true;
  return false;
}

std::set<std::string> entriesOf(const std::vector<std::byte> &cubin) {
  constexpr unsigned char kEntry = 0x10; // STO_CUDA_ENTRY in a symbol's st_other
  std::set<std::string> out;
  auto copy = [&](auto &to, size_t at) {
    if (at > cubin.size() || sizeof to > cubin.size() - at)
      return false;
    std::memcpy(&to, cubin.data() + at, sizeof to);
    return true;
  };
  Elf64_Ehdr header;
  if (!copy(header, 0))
    return out;
  for (size_t n = 0; n < header.e_shnum; ++n) {
    Elf64_Shdr table, names;
    if (!copy(table, header.e_shoff + n * header.e_shentsize) || table.sh_type != SHT_SYMTAB ||
        !copy(names, header.e_shoff + table.sh_link * header.e_shentsize))
      continue;
    Elf64_Sym symbol;
    for (size_t at = 0; at + sizeof symbol <= table.sh_size && copy(symbol, table.sh_offset + at);
         at += sizeof symbol) {
      size_t name = names.sh_offset + symbol.st_name;
      if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC || (symbol.st_other & kEntry) == 0 || name >= cubin.size())
        continue;
      const char *text = reinterpret_cast<const char *>(cubin.data()) + name;
      out.emplace(text, ::strnlen(text, cubin.size() - name));
    }
  }
  return out;
}

FoundPtx findPtx(const std::string &kernel, const std::vector<std::byte> &cubin,
                 const std::vector<std::string> &folders) {
  if (kernel.empty() || kernel.find('/') != kernel.npos)
    return {};
  for (const fs::path &cache : tritonCaches())
    if (std::string text = besideCubin(cache, kernel, cubin); !text.empty())
      return {std::move(text), {}};
  std::set<std::string> kernels = folders.empty() ? std::set<std::string>() : entriesOf(cubin);
  kernels.insert(kernel);
  for (const std::string &folder : folders) {
    if (std::string text = besideCubin(folder, kernel, cubin); !text.empty())
      return {std::move(text), {}};
    for (const auto &wanted : {kernels, std::set<std::string>{kernel}}) // a linker may join several texts' code
      if (FoundPtx found = inFolder(folder, wanted); !found.text.empty())
        return found;
  }
  return {};
}

} // namespace lanescope::core::record
