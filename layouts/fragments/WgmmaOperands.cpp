// wgmma.mma_async and its sparse form: PTX ISA, "Asynchronous Warpgroup Level Matrix Multiply-Accumulate Instructions".
// Each of the four warps holds 16 rows, in mma's layout; N comes in blocks of 8 columns.
#include "layouts/fragments/AtomFamilies.h"
#include "layouts/fragments/OperandFormulas.h"

#include "layouts/support/Text.h"

namespace lanescope::layouts::families {

namespace {

using operands::MetadataSpread;

MetadataSpread spreadOf(int bits) { return bits == 8 ? MetadataSpread::AllLanes : MetadataSpread::HalvesOfRows; }

} // namespace

Atom readWgmma(Mnemonic &in) {
  Atom atom;
  atom.instruction = Instruction::Wgmma;
  atom.threads = kThreadsPerWarpgroup;
  in.eat("mma_async");
  atom.sparse = in.eat("sp");
  in.eat("sync");
  in.eat("aligned");
  bool saturating = in.eat("satfinite");
  std::string_view bitOperation = in.eatOneOf("and");
  in.eat("popc");
  std::optional<Mnk> shape = in.shape();
  std::vector<std::string_view> types = in.types();
  if (!shape)
    in.lacking("the name lacks the sizes, as in `wgmma.m64n128k16.f32.f16`");
  if (types.empty())
    in.lacking("the types of D, A and B are expected, as in `wgmma.m64n128k16.f32.f16.f16`, or that of A alone");
  if (types.size() > 3)
    in.fail(types[3], Message("at most three types are expected (d, a, b), `{}` is one more", types[3]));
  if (in.failed())
    return atom;
  std::string_view a = types[types.size() > 1 ? 1 : 0], b = types.size() > 2 ? types[2] : a,
                   d = types.size() > 1 ? types[0] : std::string_view{};
  MatrixQuery query{.family = MatrixFamily::Wgmma,
                    .sparse = atom.sparse,
                    .a = typeNamed(a),
                    .b = typeNamed(b),
                    .m = shape->m,
                    .n = shape->n,
                    .k = shape->k};
  if (!d.empty())
    query.d = typeNamed(d);
  const MatrixInstruction *row = rowOf(in, query);
  if (!row)
    return atom;
  checkSaturation(in, *row, saturating, a);
  if (!bitOperation.empty() && a != "b1")
    in.fail(bitOperation, Message("`{}` is for b1, not `{}`", bitOperation, a));
  if (in.failed())
    return atom;
  if (d.empty())
    d = ptxName(row->outputs.front());
  int bits = row->elementBits();
  atom.m = shape->m, atom.n = shape->n, atom.k = row->depths().front();
  std::string size = shapeText({atom.m, atom.n, atom.k});

  int64_t stored = atom.sparse ? atom.k / 2 : atom.k;
  atom.operands.push_back({"a",
                           std::string(a),
                           bits,
                           {atom.m, stored},
                           "left multiplicand from registers; from shared memory a descriptor places it",
                           {operands::multiplicandA(atom.m, stored, bits, kWarpsPerWarpgroup)}});
  atom.operands.push_back({"b", std::string(b), bits, {atom.k, atom.n}, "right multiplicand, in shared memory", {}});
  atom.operands.push_back({"d",
                           std::string(d),
                           typeBits(d),
                           {atom.m, atom.n},
                           "accumulator: summand and result",
                           {operands::accumulator(atom.m, atom.n, typeBits(d), kWarpsPerWarpgroup)}});
  std::string selectors;
  if (atom.sparse) {
    int64_t selector = in.number("selector", operands::selectorChoices(spreadOf(bits)));
    if (selector != 0)
      selectors = text(".selector::", selector);
    atom.operands.push_back(
        operands::metadata(atom.m, atom.k / 2, bits == 32 ? 4 : 2, spreadOf(bits), selector, kWarpsPerWarpgroup));
  }
  atom.name = text(atom.sparse ? "wgmma.sp." : "wgmma.", size, '.', d, '.', a, a == b ? std::string() : text('.', b),
                   selectors);
  atom.ptx = text("wgmma.mma_async.", atom.sparse ? "sp." : "", "sync.aligned.", size, '.', d, '.', a, '.', b,
                  a == "b1" ? ".and.popc" : "");
  atom.section = text("Matrix Fragments for ", atom.sparse ? "sparse " : "", "wgmma.mma_async.m64nNk", atom.k);
  atom.doc = text("D = A*B + D by a warpgroup", atom.sparse ? ", half of A's elements zero" : "",
                  "; n: ", row->columns.words());
  return atom;
}

std::vector<std::string> wgmmaNames() {
  std::vector<std::string> out;
  for (const MatrixInstruction &row : matrixInstructions())
    if (row.family == MatrixFamily::Wgmma)
      for (MatrixType input : row.inputs)
        for (MatrixType output : row.outputs)
          out.push_back(text(row.sparse ? "wgmma.sp." : "wgmma.",
                             shapeText({row.rows.smallest(), 64, row.depths().front()}), '.', ptxName(output), '.',
                             ptxName(input)));
  return out;
}

} // namespace lanescope::layouts::families
