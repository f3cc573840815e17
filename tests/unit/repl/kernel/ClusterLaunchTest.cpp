// Cluster launch control in snippets, on the emulator: blocks take over the work of blocks that have not started.
#include "Tcgen05Support.h"

namespace lanescope::repl {
namespace {

// inventory: BA cluster_launch_control, BA dialect/cluster_launch_control, PT cluster_launch_control
TEST(ClusterLaunch, AsksAndIsAnswered) {
  // With one block there is no work to take over.
  for (const char *grid : {"grid=(1,), grid_names=(\"m\",)", "grid=(1, 1), grid_names=(\"m\", \"n\")",
                           "grid=(1,), grid_names=(\"m\",), cluster=(2,), cluster_names=(\"x\",)"})
    expectRunsThere(text("@kernel(", grid, R"(, scratch=[TryClusterCancelResult(), Barrier()])
def k(out: Out((1,), i32), answer, answered):
  try_cluster_cancel(answer, answered)
  barrier_wait(answered)
  (m,), success = query_cluster_cancel(answer, ("m",))
  out[0] = select(success, 1, 7)
assert k()[0] == 7
)"));
}

const char *const kEachPlaceOnce = R"(
out = k()
assert max_error(out.reshape((-1,)), arange(out.reshape((-1,)).shape[0]).astype(i32) + 1) == 0
)";

// inventory: PH dynamic_work_scheduling
TEST(ClusterLaunch, EveryPlaceOfTheGridOnce) {
  expectRunsThere(text(R"(@kernel(grid=(6, 64), grid_names=("m", "n"))
def k(out: Out((6, 64), i32)):
  def body(info):
    m, n = info.index
    out[m, n] = m * 64 + n + 1
  dynamic_scheduling_loop(grid_names=("m", "n"))(body)
)",
                       kEachPlaceOnce));
  expectRunsThere(text(R"(@kernel(grid=(2, 3, 4, 16), grid_names=("a", "b", "c", "d"), num_threads=2, thread_name="wg")
def k(out: Out((2, 3, 4, 16), i32)):
  def body(info):
    a, b, c, d = info.index
    if axis_index("wg") == 1:
      out[a, b, c, d] = ((a * 3 + b) * 4 + c) * 16 + d + 1
  dynamic_scheduling_loop(("a", "b", "c", "d"), thread_axis="wg")(body)
)",
                       kEachPlaceOnce));
}

TEST(ClusterLaunch, ByClusters) {
  expectRunsThere(text(R"(@kernel(grid=(160,), grid_names=("m",), cluster=(2,), cluster_names=("x",))
def k(out: Out((160, 2), i32)):
  def body(info):
    out[info.index[0], axis_index("x")] = info.index[0] * 2 + axis_index("x") + 1
  dynamic_scheduling_loop("m")(body)
)",
                       kEachPlaceOnce));
}

// inventory: PH dynamic_work_scheduling_with_carry
TEST(ClusterLaunch, CarriesAValue) {
  expectRunsThere(R"(@kernel(grid=(400,), grid_names=("m",))
def k(out: Out((400,), i32)):
  def body(info, carry):
    out[info.index[0]] = carry - info.local_index + 1
    return carry + 1
  dynamic_scheduling_loop("m", init_carry=0)(body)
assert max_error(k(), ones((400,), i32)) == 0
)");
}

TEST(ClusterLaunch, Mistakes) {
  expectMistake(R"(@kernel(grid=(4,), grid_names=("m",), num_threads=2, thread_name="wg")
def k(out: Out((4,), i32)):
  dynamic_scheduling_loop("m")(lambda info: None)
k()
)",
                "assertion", "3:3", "name their axis, `thread_axis=`");
  expectMistake(R"(@kernel(grid=(4,), grid_names=("m",), cluster=(2,))
def k(out: Out((4,), i32)):
  dynamic_scheduling_loop("m")(lambda info: None)
k()
)",
                "kernel", "3:3", "name them, `cluster_names=`");
}

TEST(ClusterLaunch, NobodyAsksAgainOnceRefused) {
  const std::string start = "@kernel(grid=(1,), grid_names=(\"m\",), scratch=[TryClusterCancelResult(), Barrier()])\n"
                            "def k(out: Out((1,), i32), answer, answered):\n  try_cluster_cancel(answer, answered)\n";
  const std::string take = "  (m,), more = query_cluster_cancel(answer, (\"m\",))\n";
  expectMistake(start + "  barrier_wait(answered)\n" + take + "  try_cluster_cancel(answer, answered)\nk()\n",
                "launch-response", "6:3", "no cluster was left to cancel");
  expectMistake(start + take + "  out[0] = m\nk()\n", "launch-response", "4:16",
                "wait for the mbarrier that announces it");
}

} // namespace
} // namespace lanescope::repl
