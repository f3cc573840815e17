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
  EXPECT_EQ(run(kCute + "layout(notation(c, 'jax', (64, 64), memory='registers')) == WGMMA"), "True");
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
  EXPECT_EQ(
      run("equal(WGMMA, WGMMA_ROW)"),
      "1:1: `equal` needs the shape of the array: neither layout, read as registers, says one; add it, as `(64, 64)`");
  EXPECT_EQ(run("equal('WGMA', WGMMA, (64, 64)).equal").substr(0, 33), "1:8: there is no layout `WGMA`; d");
  EXPECT_EQ(run("element_map(WGMMA, (64, 64), memory='disk')"),
            "1:37: `memory` of `element_map`: `disk` is not a memory; \"registers\", \"shared\" and \"tmem\" are");
}

const std::string kTile = "t = layout('(_8:_2,_16)')\n";

TEST(CompareBuiltins, ATileHasNoPlaces) {
  for (const char *asked :
       {"notation(t, 'jax', (64, 64))", "notation(t, 'mlir', (64, 64))", "notation(t, 'triton', (64, 64))",
        "notation(t, 'linear', (64, 64))", "notation(t, 'tilus', (64, 64))", "notation(t, 'tirx', (64, 64))",
        "explain(t, (64, 64), (0, 0))", "owners(t, (64, 64), (0, 0))", "element_map(t, (64, 64))",
        "equal(t, WGMMA, (64, 64))", "diff(WGMMA, t, (64, 64))", "linear(t, (64, 64))"})
    EXPECT_NE(run(kTile + asked).find("` is a tile"), std::string::npos) << asked << ": " << run(kTile + asked);
}

TEST(CompareBuiltins, ShapesWithoutElements) {
  Snippets session;
  for (const char *name :
       {"WGMMA", "SCALES_LAYOUT()", "TCGEN05", "tmem_default_layout(1)", "layout('spatial(8, 4)')",
        "layout('#ttng.tensor_memory_scales_encoding<>')", "layout('(8,64):(64,1)')", "layout('S[(8,64):(64,1)]')",
        "layout('(TilingTransform((8, 64)), SwizzleTransform(128))')",
        "layout('#ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>')"})
    for (const char *shape : {"(0, 0)", "(128, 0)", "(0, 4)"})
      for (const char *call :
           {"owners(L, S, (0, 0))", "element_map(L, S)", "elements(L, S)", "linear(L, S)", "equal(L, L, S)",
            "diff(L, L, S)", "explain(L, S, (0, 0))", "notation(L, 'cute', S, f16)"})
        session.run(text("L = ", name, "\nS = ", shape, "\n", call)); // an answer or an error, but no crash
  EXPECT_EQ(run("owners(SCALES_LAYOUT(), (0, 0), (0, 0))"),
            "1:33: `index` of `owners`: 0 is outside dimension 0 of size 0");
}

TEST(CompareBuiltins, UnpackedWaitsForTheType) {
  const std::string kUnpacked =
      "u = layout('#ttng.tensor_memory_encoding<blockM = 128, blockN = 64, unpacked = true>')\n";
  EXPECT_EQ(run(kUnpacked + "owners(u, (128, 64), (1, 3), dtype=f16)"), "{'lane': [1], 'column': [3], 'sub': [0]}");
  EXPECT_EQ(run(kUnpacked + "owners(u, (128, 64), (1, 3), dtype=f32)"), "{'lane': [1], 'column': [3], 'sub': [0]}");
  EXPECT_EQ(run(kUnpacked + "layout(notation(u, 'triton')) == u"), "True");
  EXPECT_EQ(
      run("owners(layout('#ttng.tensor_memory_encoding<blockM = 128, blockN = 64, unpacked = false>'), (128, 64), "
          "(1, 3), dtype=f16)"),
      "{'lane': [1], 'column': [1], 'sub': [1]}");
}

TEST(CompareBuiltins, SharedMemoryAsJaxPrintsIt) {
  EXPECT_EQ(run("notation(smem_map((64, 64), f16), 'jax')"),
            "'(TilingTransform(tiling=(8, 64)), SwizzleTransform(swizzle=128))'");
  EXPECT_EQ(run("notation(smem_map((64, 64), f16, transpose=True), 'jax')"),
            // JAX has no class for this layout.
            "'smem_map((64, 64), f16, tiling=(8, 64), swizzle=128, transpose=True)'");
  const std::string swizzled = "s = layout('Sw<3,4,3> o smem_ptr[16b](unset) o (_8,_64):(_64,_1)')\n";
  EXPECT_EQ(run(swizzled + "equal(s, layout(notation(s, 'jax', (8, 64))), (8, 64)).equal"), "True");
  EXPECT_EQ(run(swizzled + "layout(notation(s, 'mlir', (8, 64)), 'mlir').memory"), "'shared memory'");
}

TEST(CompareBuiltins, WhatStandsForALayout) {
  EXPECT_EQ(run("equal('WGMMA', WGMMA, (64, 64)).equal"), "True");
  EXPECT_EQ(run("diff('WGMMA', 'WGMMA', (64, 64)).counts['elements'][0]"), "4096");
  EXPECT_EQ(run("notation('WGMMA', 'jax') == notation(WGMMA, 'jax')"), "True");
  EXPECT_EQ(run("equal(smem_map((8, 64), f16), layout('ComposeLayout(3, 3, 3, S[(8,64)])')).equal"), "True");
  EXPECT_EQ(run("owners(smem_map((8, 64), f16), None, (1, 0))"), "{'offset': [72], 'byte': [144], 'bank': [4]}");
  EXPECT_EQ(run("explain(smem_map((8, 64), f16), None, (1, 0))['value'][-1]"), "'byte 144'");
  EXPECT_EQ(run("layout('plgpu.Layout.MMA_LHS(jnp.bfloat16)') == layout('MMA_LHS(bf16)')"), "True");
  EXPECT_EQ(run("layout('SMEM_GMEM_COPY((128,64), jax.numpy.float16, 128)') == "
                "layout('SMEM_GMEM_COPY((128,64), f16, 128)')"),
            "True");
}

TEST(CompareBuiltins, OffsetsOfElementsNeedNoType) {
  EXPECT_EQ(run("equal(layout(notation(layout('(3,5):(5,1)'), 'tirx', memory='shared')), '(3,5):(5,1)', (3, 5)).equal"),
            "True");
  EXPECT_EQ(run("equal(layout(notation(layout('S[(8,64):(64,1)]'), 'cute')), '(8,64):(64,1)', (8, 64), "
                "memory='shared').equal"),
            "True");
  // A byte swizzle needs the dtype.
  std::string swizzled = run("notation(layout('(TilingTransform((8, 64)), SwizzleTransform(128))'), 'cute', (8, 64))");
  EXPECT_NE(swizzled.find("give the dtype"), std::string::npos) << swizzled;
  EXPECT_EQ(run("explain(layout('(3,5):(5,1)'), None, (2, 4), memory='shared')['value'][-1]"),
            "'offset 14 in elements; bytes depend on the dtype'");
  EXPECT_EQ(run("explain(layout('(3,5):(5,1)'), None, (2, 4), f16, 'shared')['value'][-1]"), "'byte 28'");
}

TEST(CompareBuiltins, ExplainShowsTheArithmetic) {
  EXPECT_EQ(
      run("e = explain(layout('Fragment((8, 8) -> (2,), replicate: 1, thread: 32, forward_thread: _i * 4 + _j // 2, "
          "forward_index: [_j % 2])'), None, (3, 5))\ne['step'], e['value'][1:4]"),
      "(['indices', 'thread', 'output dimension 0', 'register', 'places'], ['14', '1', '1'])");
  EXPECT_EQ(run("e = explain(layout('(8,4):(4,1) o 2 o (4,4):(1,4)'), None, (1, 2), f16)\ne['value'][-2:]"),
            "['13', 'byte 26']"); // 1 + 2*4 + 2 = 11: digits (3, 1) of (8,4), at 3*4 + 1
}

TEST(CompareBuiltins, PlacesInLiterals) {
  // Escapes, several lines and adjoining literals: the caret is at the wrong character.
  EXPECT_EQ(run("layout('''local(2, 1)\n  .special(8)''')").substr(0, 5), "2:4: ");
  EXPECT_EQ(run("layout('local(2, 1)\\n.special(8)')").substr(0, 6), "1:23: ");
  EXPECT_EQ(run("layout('local(2, 1)'\n       '.special(8)')").substr(0, 5), "2:10:");
  EXPECT_EQ(run("layout(r'local(2, 1).special(8)')").substr(0, 6), "1:22: ");
}

TEST(CompareBuiltins, MessagesNameWhatIsWrong) {
  EXPECT_NE(run("layout('(4,\u03b2):(1,4)')").find("found `\u03b2`"), std::string::npos);
  std::string open = run("layout('(_8,_8:(_8,_1)')");
  EXPECT_NE(open.find("`)` to close the sizes"), std::string::npos) << open;
  EXPECT_EQ(run("layout('#ttg.nvidia_mma<{warpsPerCTA = [1, 1, instrShape = [16, 8]}>')"),
            "1:47: expected `]` before the key `instrShape`, found `i`");
  std::string vectors = run("equal(WGMMA, tmem_default_layout(1), (128, 64))");
  EXPECT_EQ(vectors.find("1 or 1"), std::string::npos) << vectors;
  EXPECT_NE(vectors.find("read as a layout of tensor memory"), std::string::npos) << vectors;
  EXPECT_EQ(run("fragment('wgmma.m64n64k16.f32.f16 ', 'd') == fragment('wgmma.m64n64k16.f32.f16', 'd')"), "True");
  std::string rows = run("fragment('mma.sync.aligned.m16n8k16.row.row.f32.f16.f16.f32', 'a')");
  EXPECT_NE(rows.find("only m8n8k4 of f16"), std::string::npos) << rows;
  EXPECT_EQ(run("fragment('mma.m8n8k4.row.row.f32.f16.f16.f32', 'a').memory"), "'registers'");
}

} // namespace
} // namespace lanescope::repl
