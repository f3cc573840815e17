// A program with NVIDIA's runtime linked into it. The runtime asks for a table that our driver does not have, and goes
// on after the failure. The program has run no kernel, so it must not end as a success.
#include "tests/cuda/CudaProgram.h"

using namespace program;

int main() {
  Uuid id{};
  for (size_t n = 0; n < sizeof id.bytes; ++n)
    id.bytes[n] = static_cast<char>("\x6b\xd5\xfb\x6c\x5b\xf4\xe7\x4a\x89\x87\xd9\x39\x12\xfd\x9d\xf9"[n]);
  const void *table = nullptr;
  for (int twice = 0; twice < 2; ++twice)
    EXPECT(cuGetExportTable(&table, &id) != kSuccess && !table);
}
