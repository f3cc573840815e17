// tcgen05.mma: the places in tensor memory of D, sparsity metadata, scales, and of A if it is in tensor memory. PTX
// ISA, "Data Path Layout Organization", layouts A to G, for one CTA: in a pair (cta_group::2), each CTA holds M/2 rows.
//
// PTX keeps the sizes in a descriptor; here the names carry them, like those of mma.
#include "layouts/fragments/AtomFamilies.h"
#include "layouts/fragments/TmemOperands.h"

#include "layouts/support/Text.h"

namespace lanescope::layouts::families {

namespace {

using operands::DataPath;

/// Adds `scale_a` and `scale_b` if whole columns of tensor memory hold them. Returns the selectors' text for the name.
std::string addScales(Mnemonic &in, Atom &atom, const BlockScale &scales, int64_t rows) {
  std::string_view bytes = scales.count == 1 ? "0 1 2 3" : scales.count == 2 ? "0 2" : "0";
  std::string selectors;
  auto add = [&](std::string_view name, std::string_view selector, int dim, int64_t vectors) {
    int64_t byte = in.number(selector, bytes);
    if (byte != 0)
      selectors += text('.', selector, "::", byte);
    if (vectors % 32 != 0)
      return; // the ISA's figures show whole columns of 32
    Operand out{.name = std::string(name),
                .type = std::string(ptxName(scales.type)),
                .bits = 8,
                .shape = dim == 0 ? Shape{vectors, scales.count} : Shape{scales.count, vectors},
                .doc = {},
                .fragments = {operands::scaleCells(DataPath::Full, dim, vectors, scales.count, byte)}};
    out.doc =
        text("block scales of ", dim == 0 ? "A's rows" : "B's columns", ", in tensor memory, a copy in each quarter");
    atom.operands.push_back(std::move(out));
  };
  add("scale_a", "byte_id_a", 0, rows);
  add("scale_b", "byte_id_b", 1, atom.n);
  return selectors;
}

} // namespace

Atom readTmemMma(Mnemonic &in) {
  Atom atom;
  atom.instruction = Instruction::TmemMma;
  atom.threads = 1; // one thread issues it
  atom.sparse = in.eat("sp");
  MatrixQuery query{.family = MatrixFamily::Tcgen05, .sparse = atom.sparse, .weightStationary = in.eat("ws")};
  query.ctas = static_cast<int>(in.number("cta_group", "1 2"));
  std::string_view kindName = in.qualifier("kind");
  in.eat("block_scale");
  std::string_view vectorSize = in.qualifier("scale_vec");
  if (vectorSize.empty())
    vectorSize = in.eatOneOf("block16 block32");
  std::optional<Mnk> shape = in.shape();
  std::vector<std::string_view> types = in.types();
  std::string_view scaleType;
  if (!types.empty() && types.back().starts_with("ue")) {
    scaleType = types.back();
    types.pop_back();
  }
  if (!shape)
    in.lacking("the name lacks the sizes, as in `tcgen05.mma.m128n256k16.f32.f16`");
  if (types.empty())
    in.lacking("the types of D, A and B are expected, as in `tcgen05.mma.m128n256k16.f32.f16`, or that of A alone");
  if (types.size() > 3)
    in.fail(types[3], Message("at most three types are expected (d, a, b), `{}` is one more", types[3]));
  if (in.failed())
    return atom;
  std::string_view a = types[types.size() > 1 ? 1 : 0], b = types.size() > 2 ? types[2] : a,
                   d = types.size() > 1 ? types[0] : std::string_view{};
  query.a = typeNamed(a);
  if (kindName.empty()) { // the first kind that multiplies A
    const MatrixInstruction *row = rowOf(in, query);
    if (!row)
      return atom;
    kindName = row->kind;
  }
  query.kind = kindName;
  query.b = typeNamed(b);
  if (!d.empty())
    query.d = typeNamed(d);
  query.m = shape->m, query.n = shape->n, query.k = shape->k;
  if (vectorSize.starts_with("block"))
    query.scaleBlock = vectorSize == "block16" ? 16 : 32;
  else
    query.scaleCount = scaleCount(vectorSize);
  if (!scaleType.empty())
    query.scale = typeNamed(scaleType);
  const MatrixInstruction *row = rowOf(in, query, vectorSize);
  if (!row)
    return atom;
  if (d.empty())
    d = ptxName(row->outputs.front());
  std::optional<BlockScale> scales = row->scale(query);
  int bits = row->elementBits();
  atom.m = shape->m, atom.n = shape->n, atom.k = row->depths().front();

  operands::DataPathLayout organization = operands::dataPathOf(atom.m, *row);
  int64_t rows = atom.m / row->ctas, stored = atom.sparse ? atom.k / 2 : atom.k;
  std::string perCta = row->ctas == 2 ? " (one CTA's half of the rows)" : "";
  Operand left{.name = "a", .type = std::string(a), .bits = bits, .shape = {rows, stored}, .doc = {}, .fragments = {}};
  left.doc = text("left multiplicand, in shared memory or packed in tensor memory", perCta);
  if (row->weightStationary)
    left.doc = "left multiplicand, in shared memory (the ISA draws no other place for `.ws`)";
  else
    left.fragments = {operands::multiplicandCells(organization.path, stored, bits)};
  Operand right{
      .name = "b", .type = std::string(b), .bits = bits, .shape = {atom.k, atom.n}, .doc = {}, .fragments = {}};
  right.doc =
      text("right multiplicand, in shared memory", row->ctas == 2 ? " (half of the columns in each CTA's)" : "");
  Operand result{
      .name = "d", .type = std::string(d), .bits = typeBits(d), .shape = {rows, atom.n}, .doc = {}, .fragments = {}};
  result.doc = text("accumulator in tensor memory, one element to a cell", perCta);
  result.fragments = {operands::resultCells(organization.path, atom.n)};
  atom.operands = {std::move(left), std::move(right), std::move(result)};

  if (row->sparse && organization.path == DataPath::Full)
    atom.operands.push_back(operands::metadataCells(organization.path, atom.k, a, bits));
  std::string selectors, scaleText;
  bool deep = atom.k == 96; // for this K, the ISA's figures show no scales
  if (scales && !deep && organization.path == DataPath::Full)
    selectors = addScales(in, atom, *scales, rows);
  if (scales)
    scaleText = text(".kind::", row->kind, ".scale_vec::", scales->count, 'X');

  std::string variantWords = text(row->sparse ? "sp." : "", row->weightStationary ? "ws." : "");
  atom.name =
      text("tcgen05.mma.", variantWords, shapeText({atom.m, atom.n, atom.k}), row->ctas == 2 ? ".cta_group::2" : "",
           scaleText, '.', d, '.', a, a == b ? std::string() : text('.', b),
           scales ? text('.', ptxName(scales->type)) : std::string(), selectors);
  atom.ptx =
      text("tcgen05.mma.", row->weightStationary ? "ws." : "", row->sparse ? "sp." : "", "cta_group::", row->ctas,
           ".kind::", row->kind, scales ? text(".block_scale.scale_vec::", scales->count, 'X') : std::string());
  atom.section = organization.title;
  atom.doc = text("D = A*B + D in tensor memory; n: ", row->columns.words());
  return atom;
}

} // namespace lanescope::layouts::families
