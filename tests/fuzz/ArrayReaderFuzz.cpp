// Array files: .npy and .npz. No crash. An accepted array is written and read again with the same bytes.
#include "core/data/Array.h"
#include "core/data/Files.h"

#include <cstdlib>
#include <sys/mman.h>
#include <unistd.h>

namespace {

using namespace lanescope;

void checkArray(const core::Array &array) {
  if (core::checkedArrayBytes(array.dtype, array.shape) != array.bytes.size())
    std::abort();
  Result<core::Array> again = core::parseNpy(core::npyBytes(array), "again.npy", array.dtype);
  if (!again || again->bytes != array.bytes || again->shape != array.shape || again->dtype != array.dtype)
    std::abort();
}

/// A file in memory.
class MemoryFile {
public:
  explicit MemoryFile(std::span<const std::byte> bytes) : file_(::memfd_create("fuzz", MFD_CLOEXEC)) {
    if (file_ < 0 || ::write(file_, bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size()))
      std::abort();
  }
  ~MemoryFile() { ::close(file_); }
  std::string path() const { return "/proc/self/fd/" + std::to_string(file_); }

private:
  int file_;
};

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::span<const std::byte> bytes = std::as_bytes(std::span(data, size));
  if (size > 0 && data[0] == 'P') { // zip files begin like this
    MemoryFile file(bytes);
    if (auto arrays = core::loadNpz(file.path()))
      for (const core::NamedArray &named : *arrays)
        checkArray(named.array);
    else if (render(arrays.error()).empty())
      std::abort();
    return 0;
  }
  if (Result<core::Array> array = core::parseNpy(bytes, "fuzz.npy"))
    checkArray(*array);
  else if (render(array.error()).empty())
    std::abort();
  return 0;
}
