// Generated kernels on 1, 2, 4 and 8 devices against the host. In each round every device sends to the device that a
// permutation names, by stores, copies or atomic additions, and computes with the received data.
#include "tests/unit/repl/KernelSupport.h"

#include "layouts/support/Text.h"

#include <random>

namespace lanescope::repl {
namespace {

/// A kernel of a few rounds, and the same rounds on the host.
std::string generated(unsigned seed) {
  std::mt19937 random(seed);
  auto pick = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  int devices = 1 << pick(4), rounds = 1 + pick(4), blocks = 1 + pick(2);
  bool plane = devices >= 4 && pick(2);
  const char *dtypes[] = {"f32", "i32", "f16"};
  std::string dtype = dtypes[pick(3)], kernel, host;
  std::string mesh = plane ? text("{\"x\": 2, \"y\": ", devices / 2, "}") : text("{\"x\": ", devices, "}");
  std::string split = plane ? "((\"x\", \"y\"),)" : "(\"x\",)";
  for (int round = 0; round < rounds; ++round) {
    int shift = 1 + pick(devices), way = pick(4);
    std::string other = text("(me + ", shift, ") % ", devices);
    std::string place = text("inbox, ", other, ", device_id_type=\"logical\"");
    switch (way) {
    case 0: // a store
      kernel += text("  remote_ref(", place, ")[", round, ", mine] = value\n");
      break;
    case 1: // a copy from shared memory
      kernel += text("  tile[...] = value\n  commit_smem()\n  copy_smem_to_gmem(tile, remote_ref(", place, ").at[",
                     round, ", mine])\n  wait_smem_to_gmem(0)\n");
      break;
    case 2: // an atomic addition to a zero array
      kernel += text("  atomic_add(remote_ref(", place, ").at[", round, ", mine], value)\n");
      break;
    case 3: // the receiver reads
      kernel += text("  inbox[", round, ", mine] = value\n");
      break;
    }
    if (way == 3) {
      // The device from which this device receives is told that the place is free.
      kernel += text("  semaphore_signal(come.at[block * ", rounds, " + ", round, "], device_id=(me + ",
                     devices - shift % devices, ") % ", devices, ", device_id_type=\"logical\")\n");
      kernel += text("  semaphore_wait(come.at[block * ", rounds, " + ", round, "])\n");
      kernel += text("  value = value * 2 + remote_ref(", place, ")[", round, ", mine]\n");
      host += text("  values = [values[d] * 2 + values[(d + ", shift, ") % ", devices, "] for d in range(", devices,
                   ")]\n");
    } else {
      kernel += text("  semaphore_signal(come.at[block * ", rounds, " + ", round, "], device_id=", other,
                     ", device_id_type=\"logical\")\n  semaphore_wait(come.at[block * ", rounds, " + ", round, "])\n");
      kernel += text("  value = value * 2 + inbox[", round, ", mine]\n");
      host += text("  values = [values[d] * 2 + values[(d + ", devices - shift % devices, ") % ", devices,
                   "] for d in range(", devices, ")]\n");
    }
  }
  return text("@kernel(mesh=", mesh, ", grid=(", blocks, ",), grid_names=(\"block\",), scratch=[SMEM((32, 64), ", dtype,
              "), Semaphore(count=", blocks * rounds, ")])\ndef k(x: GMEM((", 32 * blocks, ", 64), ", dtype,
              ", sharding=", split, "), inbox: InOut((", rounds, ", ", 32 * blocks, ", 64), ", dtype,
              ", sharding=", split, "), out: Out((", 32 * blocks, ", 64), ", dtype, ", sharding=", split,
              "), tile, come):\n  me, block = device_id(), axis_index(\"block\")\n  mine = ds(block * 32, 32)\n"
              "  value = x[mine]\n",
              kernel, "  out[mine] = value\nx = (arange(", 32 * blocks * devices, " * 64) % 5).reshape((",
              32 * blocks * devices, ", 64)).astype(", dtype, ")\n_, out = k(x, zeros((", rounds * devices, ", ",
              32 * blocks, ", 64), ", dtype, "))\nvalues = [x[", 32 * blocks, " * d:", 32 * blocks, " * d + ",
              32 * blocks, "] for d in range(", devices, ")]\nif True:\n", host,
              "assert max_error(out, concatenate(values)) == 0\n");
}

TEST(GeneratedDevices, AgreeWithTheHost) {
  unsigned count = full() ? 1000 : 40; // tests/gpu/several.py runs 200 of them on GPUs
  for (unsigned seed = 0; seed < count && !::testing::Test::HasFailure(); ++seed)
    expectRuns(generated(seed));
}

} // namespace
} // namespace lanescope::repl
