// The builtins of CuTe's algebra: values and texts as arguments, composed layouts, errors with their places, and the
// examples of their docstrings.
#include "repl/layouts/LayoutBuiltins.h"
#include "tests/unit/repl/Snippets.h"

namespace lanescope::repl {
namespace {

/// The text of `layout('4:1')`, as the session shows a layout, without what surrounds it.
std::string bare(std::string shown) {
  for (std::string_view around : {"layout('", "')"})
    for (size_t at; (at = shown.find(around)) != std::string::npos;)
      shown.erase(at, around.size());
  return shown;
}

std::string shown(std::string snippet) { return bare(run(std::move(snippet))); }

TEST(CuteBuiltins, ValuesAndTexts) {
  EXPECT_EQ(shown("print(cute((8, (2, 4)), (8, (1, 2))))"), "(8,(2,4)):(8,(1,2))");
  EXPECT_EQ(shown("print(cute((4, 8)), cute('(_4,_8)'), cute((4, 2), ('1@0', '1@1')), cute('_8', 1))"),
            "(4,8):(1,4) (_4,_8):(_1,_4) (4,2):(1@0,1@1) _8:1");
  EXPECT_EQ(shown("a = layout('(6,2):(8,2)')\nprint(composition(a, '(4,3):(3,1)'), compose(a, cute((4, 3), (3, 1))))"),
            "((2,2),3):((24,2),8) ((2,2),3):((24,2),8)");
  EXPECT_EQ(
      shown("print(composition('(12,(4,8)):(59,(13,1))', ('3:4', '8:2')), composition('(4,8):(1,4)', (2, None)))"),
      "(3,(2,4)):(236,(26,1)) (2,8):(1,4)");
  EXPECT_EQ(shown("print(complement('(2,2):(1,6)', 24), complement('4:2'), complement(cute(4, 2), (2, 8)))"),
            "(3,2):(2,12) 2:1 (2,2):(1,8)");
  EXPECT_EQ(shown("print(zipped_divide(cute((9, (4, 8)), (59, (13, 1))), ('3:3', '(2,4):(1,8)')))"),
            "((3,(2,4)),(3,(2,2))):((177,(13,2)),(59,(26,1)))");
  EXPECT_EQ(shown("print(logical_product('(2,5):(5,1)', (3, 4)))"), "((2,3),(5,4)):((5,1),(1,5))");
  EXPECT_EQ(run("size('(4,(2,3))'), cosize('(4,2):(1,8)'), rank('(4,(2,3))'), depth('(4,(2,3))'), rank('8')"),
            "(24, 12, 2, 2, 1)");
  EXPECT_EQ(run("crd2idx(5, '(8,8):(8,1)'), crd2idx((1, 2), '(8,8):(8,1)'), crd2idx((3, 10), 'Sw<3,3,3> o 0 o "
                "(8,64):(64,1)')"),
            "(40, 10, 210)");
  EXPECT_EQ(run("right_inverse(left_inverse('(4,3):(3,1)')) == cute((4, 3), (3, 1))"), "True");
  EXPECT_EQ(shown("print(recast('(8,64):(64,1)', f16, f32), coalesce('(2,(1,6)):(1,(6,2))', (1, 1)))"),
            "(8,32):(32,1) (2,6):(1,2)");
}

TEST(CuteBuiltins, WhatIsAroundALayoutStays) {
  EXPECT_EQ(shown("print(composition('Sw<3,3,3>', '(8,64):(64,1)'))"), "Sw<3,3,3> o _0 o (8,64):(64,1)");
  EXPECT_EQ(shown("print(logical_divide('S<3,4,3> o 0 o (6,8):(8,1)', (3, 4)))"),
            "Sw<3,4,3> o 0 o ((3,2),(4,2)):((8,24),(1,4))");
  EXPECT_EQ(shown("print(blocked_product('S<3,4,3> o 0 o (5,4):(4,1)', '(2,5):(1,2)'))"),
            "Sw<3,4,3> o 0 o ((5,2),(4,5)):((4,20),(1,40))");
  EXPECT_EQ(shown("print(composition('Sw<3,4,3> o smem_ptr[16b](unset) o (8,64):(64,1)', (8, 16)))"),
            "Sw<3,4,3> o smem_ptr[16b](unset) o (8,16):(64,1)");
}

TEST(CuteBuiltins, Operands) {
  const std::string printed = "p = 'MMA_Atom ThrID: _32:_1 Shape_MNK: (_16,_8,_16) LayoutA_TV: "
                              "((_4,_8),(_2,_2,_2)):((_32,_1),(_16,_8,_128)) LayoutC_TV: "
                              "((_4,_8),(_2,_2)):((_32,_1),(_16,_8))'\n";
  EXPECT_EQ(run(printed + "sorted(cute_operands(p)), element_map(cute_operands(p)['LayoutA_TV'], (16, 16)).threads"),
            "(['LayoutA_TV', 'LayoutC_TV'], 32)");
  EXPECT_EQ(run(printed + "owners(layout(p), (16, 8), (9, 3))['thread']"), "[5]");
}

TEST(CuteBuiltins, ErrorsNameTheArgument) {
  EXPECT_EQ(run("coalesce('(4,8):(1,4')"), "1:21: expected `)` in the tuple, found the end");
  // Inside tuples, too, the place is in the wrong literal.
  EXPECT_EQ(run("zipped_divide('(9,8):(8,1)', ('3:3', '(2,4:(1,8)'))").substr(0, 6), "1:43: ");
  EXPECT_EQ(run("cute((4, '_8x'), (1, 4))").substr(0, 6), "1:11: ");
  EXPECT_EQ(run("t = '(4,8):(1,4'\ncoalesce(t)"),
            "2:10: expected `)` in the tuple, found the end (at character 11 of the text)");
  EXPECT_EQ(
      run("composition('(4,3):(1,10)', '3:2')"),
      "1:13: `(4,3):(1,10)` cannot be composed with the mode `3:2`: the shape divisibility condition fails at mode "
      "0, `4:1`: 3 is not a multiple of 2");
  EXPECT_EQ(run("complement('Sw<3,3,3> o 0 o (8,64):(64,1)')"),
            "1:12: `layout` of `complement`: `Sw<3,3,3> o 0 o (8,64):(64,1)` is not a plain layout `shape:stride`; a "
            "swizzled one has no complement");
  EXPECT_EQ(run("coalesce(WGMMA)").substr(0, 36), "1:10: `layout` of `coalesce`: `Tiled");
  EXPECT_EQ(run("cute((4, 0))"), "1:6: a size is 0; sizes start at 1");
  EXPECT_EQ(run("cute((4, 2), 1)"), "1:14: the strides `1` are not nested as the shape `(4,2)` is");
  EXPECT_EQ(run("cute((4, 1.5))"),
            "1:6: `shape` of `cute` must be an int, or a tuple of ints and such tuples, not tuple");
  EXPECT_EQ(run("size('(?,4)')"),
            "1:6: a size needs numbers, but `(?,4):(1,?)` has `?`, which only a running kernel knows; "
            "put a number in its place");
  EXPECT_EQ(run("crd2idx((8, 0), '(8,8):(8,1)')"), "1:9: 8 is outside the mode of size 8");
  EXPECT_EQ(run("left_inverse('(3,6):(8,8)')"),
            "1:14: `(3,6):(8,8)` has no left inverse: its mode `6:8` overlaps the values below 24 that its other modes "
            "reach");
  EXPECT_EQ(run("logical_divide('24:1', (4, 6))"), "1:16: the tiler `[4:1;6:1]` has 2 modes, but `24:1` has 1");
}

TEST(CuteBuiltins, DocstringsHold) {
  Snippets snippets;
  int examples = 0;
  for (const Builtin &builtin : cuteBuiltins()) {
    size_t last = builtin.doc.rfind('\n');
    ASSERT_NE(last, std::string::npos) << builtin.name << " has no example";
    std::string example = builtin.doc.substr(last + 1);
    size_t is = example.find(") is ");
    if (is == std::string::npos)
      continue;
    ++examples;
    EXPECT_EQ(bare(snippets.run("print(" + example.substr(0, is + 1) + ")")), example.substr(is + 5)) << builtin.name;
  }
  EXPECT_GE(examples, 20);
}

} // namespace
} // namespace lanescope::repl
