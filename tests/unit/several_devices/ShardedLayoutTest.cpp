// Arrays split over devices: their descriptions in words, and the owners of an element.
#include "tests/unit/repl/KernelSupport.h"

namespace lanescope::repl {
namespace {

TEST(ShardedLayouts, InWords) {
  Snippet done(R"(print(sharded(WGMMA, {"x": 2, "y": 4}, (None, "x")))
print(sharded(WGMMA, {"x": 2}, ("x",)))
print(sharded(WGMMA, {"x": 2}, None))
)");
  EXPECT_TRUE(done.ok) << done.errors;
  EXPECT_EQ(
      done.printed,
      "<8 devices (x=2, y=4): dimension 1 in 2 parts along x; devices that differ only along y hold the same, 4 "
      "copies; each part in WGMMA>\n<2 devices (x=2): dimension 0 in 2 parts along x; each part in WGMMA>\n"
      "<2 devices (x=2): each has all of the array; devices that differ only along x hold the same, 2 copies; each "
      "part in WGMMA>\n");
}

// Every element is where the table of its part says, on the devices that the sharding names.
TEST(ShardedLayouts, Owners) {
  expectRuns(R"(mesh = {"x": 2, "y": 2}
for sharding in (("x", "y"), ("y", None), (("y", "x"), None), (None, ("x", "y")), None):
  s = sharded(WGMMA, mesh, sharding)
  for index in ((0, 0), (70, 3), (255, 63), (128, 40), (1, 17)):
    table = owners(s, (256, 64), index)
    parts = [1, 1]
    place = [[], []]
    for d, axes in enumerate(sharding if sharding is not None else ()):
      for axis in (axes if isinstance(axes, tuple) else (axes,) if axes is not None else ()):
        parts[d] = parts[d] * 2
        place[d] = place[d] + [axis]
    part = (256 // parts[0], 64 // parts[1])
    inner = owners(WGMMA, part, (index[0] % part[0], index[1] % part[1]))
    for row, device in enumerate(table["device"]):
      assert table["x"][row] == device // 2 and table["y"][row] == device % 2
      for d in range(2):
        at = 0
        for axis in place[d]:
          at = at * 2 + table[axis][row]
        assert at == index[d] // part[d]
      assert table["thread"][row] == inner["thread"][row % len(inner["thread"])]
      assert table["register"][row] == inner["register"][row % len(inner["thread"])]
    assert len(table["device"]) == 4 // (parts[0] * parts[1]) * len(inner["thread"])
)");
}

TEST(ShardedLayouts, Mistakes) {
  expectError("sharded(WGMMA, None, (\"x\",))", "a mesh of devices, `{\"x\": 2}`");
  expectError("sharded(WGMMA, {\"x\": 2}, (\"y\",))",
              "`the array` is split along `y`, and the mesh of devices has x=2");
  expectError("owners(sharded(WGMMA, {\"x\": 2}, (\"x\",)), (128, 64), (128, 0))",
              "index 128 is not in dimension 0 of size 128");
  expectError("owners(sharded(WGMMA, {\"x\": 2}, (\"x\",)), (128, 64), (1,))", "there are 1 indices");
  expectError("owners(sharded(WGMMA, {\"x\": 2}, (\"x\",)), (127, 64), (1, 1))", "is not divided into 2 equal parts");
}

} // namespace
} // namespace lanescope::repl
