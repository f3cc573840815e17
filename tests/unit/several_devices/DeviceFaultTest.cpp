// Faults between devices in a snippet, reported at its lines. Next to each is the correct kernel, which has no report.
#include "tests/unit/repl/KernelSupport.h"

#include "layouts/support/Text.h"

namespace lanescope::repl {
namespace {

/// A kernel for two devices with these statements; the first of them is line 4.
std::string twoDevices(const std::string &body) {
  return text(R"(@kernel(mesh={"x": 2}, scratch=[SMEM((64, 64), f32), Semaphore(count=2), Barrier()])
def k(x: GMEM((64, 64), f32, sharding="x"), out: Out((64, 64), f32, sharding="x"), inbox: Out((64, 64), f32, sharding="x"), tile, s, loaded):
  other = 1 - axis_index("x")
)",
              body, "k(random((128, 64), f32, seed=0))\n");
}

struct Case {
  std::string faulty;
  std::string places; // "5:3 6:3": the place of either side of a race, depending on the order
  std::string message, sound;
};
void PrintTo(const Case &one, std::ostream *out) { *out << one.places << " " << one.message; }

class DeviceFaults : public ::testing::TestWithParam<Case> {};

TEST_P(DeviceFaults, AreToldAtTheirLines) {
  const Case &one = GetParam();
  Snippet faulty(twoDevices(one.faulty));
  EXPECT_FALSE(faulty.ok) << one.faulty;
  EXPECT_NE(text(" ", one.places, " ").find(text(" ", faulty.place(), " ")), std::string::npos) << faulty.errors;
  EXPECT_NE(faulty.errors.find(one.message), std::string::npos) << faulty.errors;
  Snippet sound(twoDevices(one.sound));
  EXPECT_TRUE(sound.ok) << one.sound << sound.errors;
}

// A signal releases only what its own warp has acquired, and a wait acquires only for its own warp. A barrier includes
// the other warps.
TEST(DeviceFaults, SayWhoseBarrierIsMissing) {
  auto kernel = [](const std::string &signal, const std::string &wait) {
    return text(
        R"(@kernel(mesh={"x": 2}, num_threads=2, thread_name="wg", scratch=[Semaphore(), Barrier(num_arrivals=2)])
def k(x: GMEM((2, 128), f32, sharding=(None, "x")), inbox: Out((2, 128), f32, sharding=(None, "x")), out: Out((2, 128), f32, sharding=(None, "x")), s, met):
  other, wg = 1 - axis_index("x"), axis_index("wg")
  remote_ref(inbox, other)[wg] = x[wg]
)",
        signal, wait, "  out[wg] = inbox[wg]\nk(random((2, 256), f32, seed=0))\n");
  };
  const std::string meet = "  barrier_arrive(met)\n  barrier_wait(met)\n",
                    one = "  if wg == 0:\n    semaphore_signal(s, device_id=other)\n",
                    each = "  semaphore_signal(s, device_id=other)\n",
                    eachWaits = "  semaphore_wait(s, 1, decrement=False)\n",
                    oneWaits = "  if wg == 0:\n    semaphore_wait(s, 2)\n";
  for (auto [signal, wait, said] : {std::tuple(one, eachWaits, "came from another warp than the access"),
                                    std::tuple(each, oneWaits, "another warp has looked at the signal")}) {
    Snippet faulty(kernel(signal, wait));
    EXPECT_FALSE(faulty.ok);
    EXPECT_NE(faulty.errors.find(said), std::string::npos) << faulty.errors;
  }
  for (const std::string &sound : {kernel(meet + one, eachWaits), kernel(each, oneWaits + meet)})
    EXPECT_TRUE(Snippet(sound).ok) << Snippet(sound).errors;
}

const std::string kReceive = "  out[...] = inbox[...] * 2\n";

INSTANTIATE_TEST_SUITE_P(
    Planted, DeviceFaults,
    ::testing::Values(
        // The signal comes before the store that it announces.
        Case{"  semaphore_signal(s.at[0], device_id=other)\n  remote_ref(inbox, other)[...] = x[...]\n"
             "  semaphore_wait(s.at[0])\n" +
                 kReceive,
             "5:3 7:14", "without an order between them",
             "  remote_ref(inbox, other)[...] = x[...]\n  semaphore_signal(s.at[0], device_id=other)\n"
             "  semaphore_wait(s.at[0])\n" +
                 kReceive},
        // The signal comes before the completion of a copy.
        Case{"  copy_gmem_to_smem(x, tile, loaded)\n  barrier_wait(loaded)\n  copy_smem_to_gmem(tile, "
             "remote_ref(inbox, other))\n"
             "  semaphore_signal(s.at[0], device_id=other)\n  semaphore_wait(s.at[0])\n" +
                 kReceive + "  wait_smem_to_gmem(0)\n",
             "6:3 9:14", "without an order between them",
             "  copy_gmem_to_smem(x, tile, loaded)\n  barrier_wait(loaded)\n  copy_smem_to_gmem(tile, "
             "remote_ref(inbox, other))\n"
             "  wait_smem_to_gmem(0)\n  semaphore_signal(s.at[0], device_id=other)\n  semaphore_wait(s.at[0])\n" +
                 kReceive},
        // The kernel has waited only for the source of the copy.
        Case{"  copy_gmem_to_smem(x, tile, loaded)\n  barrier_wait(loaded)\n  copy_smem_to_gmem(tile, "
             "remote_ref(inbox, other))\n"
             "  wait_smem_to_gmem(0, wait_read_only=True)\n  semaphore_signal(s.at[0], device_id=other)\n"
             "  semaphore_wait(s.at[0])\n" +
                 kReceive + "  wait_smem_to_gmem(0)\n",
             "6:3 10:14", "without an order between them",
             "  copy_smem_to_gmem(tile, remote_ref(inbox, other), predicate=other == 2)\n  wait_smem_to_gmem(0)\n"},
        // A device-scoped wait acquires nothing from another device.
        Case{"  remote_ref(inbox, other)[...] = x[...]\n  semaphore_signal(s.at[0], device_id=other)\n"
             "  semaphore_wait(s.at[0], memory_scope=\"gpu\")\n" +
                 kReceive,
             "5:3 6:3", "without an order between them",
             "  remote_ref(inbox, other)[...] = x[...]\n  semaphore_signal(s.at[0], device_id=other)\n"
             "  semaphore_wait(s.at[0], memory_scope=\"sys\")\n" +
                 kReceive},
        // The place is overwritten before the other device has read it.
        Case{"  for i in range(3):\n    remote_ref(inbox, other)[...] = x[...] + i\n"
             "    semaphore_signal(s.at[0], device_id=other)\n    semaphore_wait(s.at[0])\n    out[...] = inbox[...]\n",
             "5:5 8:14", "without an order between them",
             "  for i in range(3):\n    remote_ref(inbox, other)[...] = x[...] + i\n"
             "    semaphore_signal(s.at[0], device_id=other)\n    semaphore_wait(s.at[0])\n    out[...] = inbox[...]\n"
             "    semaphore_signal(s.at[1], device_id=other)\n    semaphore_wait(s.at[1])\n"},
        // A device reads data that the other device has not signalled.
        Case{"  inbox[...] = x[...]\n  out[...] = remote_ref(inbox, other)[...]\n", "4:3 5:14",
             "without an order between them",
             "  inbox[...] = x[...]\n  semaphore_signal(s.at[0], device_id=other)\n  semaphore_wait(s.at[0])\n"
             "  out[...] = remote_ref(inbox, other)[...]\n"},
        // Only one device is signalled.
        Case{"  if axis_index(\"x\") == 0:\n    semaphore_signal(s.at[0], device_id=1)\n  semaphore_wait(s.at[0])\n",
             "6:3", "deadlock",
             "  if axis_index(\"x\") == 0:\n    semaphore_signal(s.at[0], device_id=1)\n  else:\n    "
             "semaphore_wait(s.at[0])\n"},
        // The wait expects more signals than are sent.
        Case{"  semaphore_signal_multicast(s.at[0], collective_axes=\"x\")\n  semaphore_wait(s.at[0], 3)\n", "5:3",
             "deadlock",
             "  semaphore_signal_multicast(s.at[0], collective_axes=\"x\")\n  semaphore_wait(s.at[0], 2)\n"},
        // A load combines all devices' data before all have written.
        Case{
            "  inbox[...] = x[...]\n"
            "  out[...] = layout_cast(multimem_load_reduce(inbox, \"x\", \"add\"), WGStridedFragLayout((64, 64), 4))\n",
            "4:3 5:26", "without an order between them",
            "  inbox[...] = x[...]\n  semaphore_signal_multicast(s.at[0], collective_axes=\"x\")\n  "
            "semaphore_wait(s.at[0], 2)\n"
            "  out[...] = layout_cast(multimem_load_reduce(inbox, \"x\", \"add\"), WGStridedFragLayout((64, 64), "
            "4))\n"}));

} // namespace
} // namespace lanescope::repl
