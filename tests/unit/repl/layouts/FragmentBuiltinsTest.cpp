#include "tests/unit/repl/Snippets.h"

namespace lanescope::repl {
namespace {

TEST(FragmentBuiltins, FragmentIsALayout) {
  EXPECT_EQ(run("fragment('mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32', 'a')"),
            "layout('fragment(\"mma.m16n8k16.f16\", \"a\")')");
  EXPECT_EQ(run("layout('fragment(\"mma.m16n8k16.f16\", \"a\")') == fragment('mma.m16n8k16.f16', 'a')"), "True");
  EXPECT_EQ(run("fragment('wgmma.m64n8k16.f16', 'd') == fragment('wgmma.m64n8k16.f32.f16', operand='d')"), "True");
  EXPECT_EQ(run("fragment('mma.m16n8k16.f16', 'c') == fragment('mma.m16n8k16.f16', 'd')"), "False");
}

TEST(FragmentBuiltins, FeedsAreTables) {
  // (3, 5) of D needs row 3 of A, whose columns 0 and 1 are in register 0 of lane 3*4.
  EXPECT_EQ(run("t = inputs_of('mma.m16n8k16.f16', 'd', (3, 5))\nlen(t['operand']), list(t), t['operand'][0], "
                "t['index'][1], t['thread'][1], t['register'][1], t['vector'][1]"),
            "(33, ['operand', 'index', 'thread', 'register', 'vector'], 'a', (3, 1), 12, 0, 1)");
  EXPECT_EQ(run("t = outputs_of('mma.m16n8k16.f16', 'b', (7, 2))\nlen(t['index']), t['operand'][15], t['index'][15], "
                "t['thread'][15], t['register'][15]"),
            "(16, 'd', (15, 2), 29, 2)");
  // B of wgmma is in shared memory, so it has no register.
  EXPECT_EQ(run("t = inputs_of('wgmma.m64n8k16.f16', 'd', (0, 0))\nt['operand'][16], t['thread'][16], t['thread'][0]"),
            "('b', None, 0)");
  EXPECT_EQ(run("inputs_of('tcgen05.ld.16x256b.x1', 'r', (17, 3))"),
            "{'operand': ['r'], 'index': [(17, 3)], 'lane': [33], 'column': [3], 'sub': [0]}");
  EXPECT_EQ(run("inputs_of('ldmatrix.x4', 'r', (20, 0))"),
            "{'operand': ['p'], 'index': [(20,)], 'thread': [20], 'register': [0], 'vector': [0]}");
}

TEST(FragmentBuiltins, AtomsAreListed) {
  EXPECT_EQ(run("t = atoms()\nlist(t), len(t['name']) > 150, 'mma.m16n8k16.f16' in t['name']"),
            "(['name', 'shape', 'types', 'section'], True, True)");
  EXPECT_EQ(run("t = atoms('mma.m16n8k256')\nt['name'][0], t['shape'][0], t['types'][0], t['section'][0]"),
            "('mma.m16n8k256.b1', (16, 8, 256), 'a b1, b b1, c s32, d s32', 'mma.m16n8k256')");
  EXPECT_EQ(run("len(atoms('nothing')['name'])"), "0");
}

TEST(FragmentBuiltins, ErrorsPointAtThePart) {
  EXPECT_EQ(run("fragment('mma.m16n8k15.f16', 'a')"),
            "1:15: `m16n8k15` is no shape of `mma` with `f16`; there is `m8n8k4`, `m16n8k8` or `m16n8k16`");
  EXPECT_EQ(run("fragment('mma.m16n8k16.f16', 'x')"),
            "1:30: `mma.m16n8k16.f16` has no operand `x`; it has `a`, `b`, `c` or `d`");
  EXPECT_EQ(run("inputs_of('mma.m16n8k16.f16', 'd', (16, 0))"),
            "1:36: index (16, 0) is outside operand `d` of shape (16, 8)");
  EXPECT_EQ(run("inputs_of('mma.m16n8k16.f16', 'a', (0, 0))"),
            "1:31: `mma.m16n8k16.f16` reads operand `a`: ask `outputs_of` of it, or `inputs_of` of `d`");
  EXPECT_EQ(run("fragment(1, 'a')"), "1:10: `atom` of `fragment` must be a str, not int");
  EXPECT_EQ(run("name = 'ldmatrx.x4'\nfragment(name, 'r')"),
            "2:10: `ldmatrx` is no instruction with fragments; did you mean `ldmatrix`?");
}

} // namespace
} // namespace lanescope::repl
