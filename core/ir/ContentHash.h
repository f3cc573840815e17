// A hash of contents (BLAKE3), in which the boundaries between the parts count.
//
//   ContentHash hash;
//   hash.add("--seeds"), hash.add("4");
//   hash.addFile("kernel.ptx");
//   hash.hex()                         // 64 digits
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace llvm {
class BLAKE3;
}

namespace lanescope::core {

class ContentHash {
public:
  ContentHash();
  ~ContentHash();
  ContentHash(const ContentHash &) = delete;
  ContentHash &operator=(const ContentHash &) = delete;

  void add(std::string_view part);
  /// Adds the bytes of a regular file, and for anything else that there is none.
  void addFile(const std::filesystem::path &path);
  /// The hash of all parts so far.
  std::string hex() const;
  /// Its first 8 bytes.
  uint64_t number() const;

private:
  void addSize(uint64_t size);

  std::unique_ptr<llvm::BLAKE3> hash_;
};

} // namespace lanescope::core
