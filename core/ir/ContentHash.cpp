#include "core/ir/ContentHash.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/BLAKE3.h"

#include <array>
#include <fstream>
#include <vector>

namespace lanescope::core {

ContentHash::ContentHash() : hash_(std::make_unique<llvm::BLAKE3>()) {}
ContentHash::~ContentHash() = default;

void ContentHash::addSize(uint64_t size) {
  std::array<uint8_t, 8> bytes;
  for (size_t n = 0; n < bytes.size(); ++n)
    bytes[n] = static_cast<uint8_t>(size >> 8 * n);
  hash_->update(bytes);
}

void ContentHash::add(std::string_view part) {
  addSize(part.size());
  hash_->update(llvm::StringRef(part.data(), part.size()));
}

void ContentHash::addFile(const std::filesystem::path &path) {
  std::error_code problem;
  std::ifstream file;
  if (std::filesystem::is_regular_file(path, problem))
    file.open(path, std::ios::binary);
  if (!file.is_open())
    return addSize(UINT64_MAX);
  std::vector<char> piece(size_t{1} << 20); // arrays may be larger than the memory
  uint64_t size = 0;
  while (file.read(piece.data(), static_cast<std::streamsize>(piece.size())), file.gcount() > 0) {
    hash_->update(llvm::StringRef(piece.data(), static_cast<size_t>(file.gcount())));
    size += static_cast<uint64_t>(file.gcount());
  }
  addSize(size);
}

std::string ContentHash::hex() const { return llvm::toHex(hash_->final<32>(), /*LowerCase=*/true); }

uint64_t ContentHash::number() const {
  uint64_t number = 0;
  for (uint8_t byte : hash_->final<8>())
    number = number << 8 | byte;
  return number;
}

} // namespace lanescope::core
