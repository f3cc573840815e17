#include "tests/unit/repl/Snippets.h"

namespace lanescope::repl {
namespace {

const std::string kCute = "c = layout('((_4,_8,_4),(_2,_2,_8)):((_128,_1,_16),(_64,_8,_512))')\n";
const std::string kTilus = "t = layout('local(2, 1).spatial(8, 4).local(1, 2)')\n";

TEST(CompareBuiltins, EqualIsTrueInConditions) {
  EXPECT_EQ(run(kCute + "e = equal(WGMMA, c, (64, 64))\n'same' if e else 'other', e.equal, e.memory, e.differing"),
            "('same', True, 'registers', 0)");
  EXPECT_EQ(run("e = equal(layout('spatial(8, 4).local(1, 2)'), layout('local(1, 2).spatial(8, 4)'))\n"
                "'same' if e else 'other', e.element, e.left, e.right, e['same_owners'], e.differing"),
            "('other', (0, 1), 'thread 0 value 1', 'thread 1 value 0', False, 48)");
  EXPECT_EQ(run("equal(layout('spatial(4).local(2, 3)'), layout('spatial(4).column_local(2, 3)')).renaming"),
            "[0, 2, 4, 1, 3, 5]");
  EXPECT_EQ(run("equal(layout('smem_map((8, 64), f16)'), layout('ComposeLayout(3, 3, 3, S[(8,64)])')).equal"), "True");
}

TEST(CompareBuiltins, DiffCounts) {
  EXPECT_EQ(run("d = diff(WGMMA, WGMMA_TRANSPOSED, (64, 64), f16)\nsum(d.counts['elements']), d.counts['kind'], "
                "d.counts['elements'][3]"),
            "(4096, ['unchanged', 'same lane', 'same warp', 'other warp'], 0)");
  EXPECT_EQ(run(kTilus + "diff(t, t).counts['elements'][0]"), "128");
  EXPECT_EQ(run("d = diff(layout('smem_map((8, 64), f16)'), layout('smem_map((8, 64), f16, swizzle=None)'))\n"
                "len(d.other_byte), d.other_byte[0]"),
            "(448, (1, 0))");
}

TEST(CompareBuiltins, ExplainEndsAtTheOwner) {
  EXPECT_EQ(run("e = explain(WGMMA, (64, 64), (9, 13))\nlist(e), e['step'][0], e['value'][-1]"),
            "(['step', 'how', 'value'], 'tile (64, 8)', 'thread 6 (warp 0, lane 6) value 7')");
  EXPECT_EQ(run(kTilus + "explain(t, None, (9, 3))['value'][-1]"), "'thread 5 value 3'");
}

TEST(CompareBuiltins, NotationTranslates) {
  EXPECT_EQ(run(kCute + "layout(notation(c, 'jax', (64, 64))) == WGMMA"), "True");
  EXPECT_EQ(run("notation(WGMMA, 'tilus', (64, 8))"),
            "'RegisterLayout(shape=[64, 8], mode_shape=[4, 2, 8, 4, 2], spatial_modes=[0, 2, 3], local_modes=[1, 4])'");
  EXPECT_EQ(run(kTilus + "notation(t, 'jax')"),
            "2:1: Mosaic GPU cannot write this layout: its layouts are of 128 threads, this one of 32");
  EXPECT_EQ(run("notation(WGMMA, 'latex')").substr(0, 6), "1:17: ");
}

TEST(CompareBuiltins, ForeignLayoutsAreValues) {
  EXPECT_EQ(
      run(kTilus + "t"),
      "layout('RegisterLayout(shape=[16, 8], mode_shape=[2, 8, 4, 2], spatial_modes=[1, 2], local_modes=[0, 3])')");
  EXPECT_EQ(
      run(kTilus + "t == layout('local(2, 1).spatial(8, 4).local(1, 2)'), t == WGMMA, t.language, t.memory, t.shape"),
      "(True, False, 'tilus', 'registers', (16, 8))");
  EXPECT_EQ(run(kTilus + "m = element_map(t)\nm.threads, m.registers, m.vector"), "(32, 4, 1)");
  EXPECT_EQ(run(kTilus + "owners(t, None, (9, 3))"),
            "{'thread': [5], 'warp': [0], 'lane': [5], 'register': [3], 'vector': [0]}");
  EXPECT_EQ(run("s = layout('ComposeLayout(3, 3, 3, S[(8,64)])')\nm = element_map(s, (8, 64), f16)\n"
                "m.bytes, m.buffer_bytes, m.offsets[1, 0], m.image[72], owners(s, (8, 64), (1, 0), f16)"),
            "(2, 1024, 72, 64, {'offset': [72], 'byte': [144], 'bank': [4]})");
  EXPECT_EQ(run("len(elements(layout('S[(8,64):(64,1)]'), (8, 64), dtype=f16)['byte'])"), "512");
  EXPECT_EQ(run(kCute + "element_map(c, (64, 64), memory='registers').threads"), "128");
}

TEST(CompareBuiltins, ErrorsPointIntoTheText) {
  EXPECT_EQ(run("layout('local(2, 1).special(8)')"),
            "1:21: expected `spatial`, `local`, `column_spatial`, `column_local` or `reduce_to`, found `s`");
  EXPECT_EQ(
      run("w = 'local(2, 1).special(8)'\nlayout(w)"),
      "2:8: expected `spatial`, `local`, `column_spatial`, `column_local` or `reduce_to`, found `s` (at character "
      "13 of the text)");
  EXPECT_EQ(run("layout('(8,4):(1,8)', language='tilus')"),
            "1:10: expected a layout function such as `spatial` or `local`, found `8`");
  EXPECT_EQ(run("equal(WGMMA, WGMMA_ROW)"), "1:1: `equal` needs the shape of the array: neither layout says one");
  EXPECT_EQ(run("equal('WGMMA', WGMMA, (64, 64))"),
            "1:7: `a` of `equal` must be a layout (`layout(\"…\")` reads one from a text), not str");
  EXPECT_EQ(run("element_map(WGMMA, (64, 64), memory='disk')"),
            "1:37: `memory` of `element_map`: `disk` is not a memory; \"registers\", \"shared\" and \"tmem\" are");
}

} // namespace
} // namespace lanescope::repl
