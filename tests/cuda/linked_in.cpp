// A program with NVIDIA's runtime linked into it: it asks for a table that ours has not, and makes nothing of the
// answer. What has not run is no success.
#include "tests/cuda/Program.h"

using namespace program;

int main() {
  Uuid id{};
  for (size_t n = 0; n < sizeof id.bytes; ++n)
    id.bytes[n] = static_cast<char>("\x6b\xd5\xfb\x6c\x5b\xf4\xe7\x4a\x89\x87\xd9\x39\x12\xfd\x9d\xf9"[n]);
  const void *table = nullptr;
  for (int twice = 0; twice < 2; ++twice)
    EXPECT(cuGetExportTable(&table, &id) != kSuccess && !table);
}
