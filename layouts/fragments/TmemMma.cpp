// tcgen05.mma: where D, sparsity metadata, scales, and A if it is there, lie in tensor memory. PTX ISA, "Data Path
// Layout Organization", layouts A to G, for one CTA: of a pair (cta_group::2) each CTA holds M/2 rows.
//
// PTX keeps the sizes in a descriptor; the names here carry them as those of mma do.
#include "layouts/fragments/Families.h"
#include "layouts/fragments/TmemOperands.h"

#include "layouts/support/Text.h"

namespace lanescope::layouts::families {

namespace {

using operands::DataPath;

/// PTX ISA, "Various combinations of .kind and shapes".
struct Kind {
  std::string_view name, inputs, outputs;
  int64_t depth;     // dense K
  int containerBits; // of A and B in tensor memory
  bool scaled;       // blocks of A and B: no `.ws`, no M = 64
  bool integer;
};
constexpr std::string_view kNarrow = "e4m3 e5m2 e3m2 e2m3 e2m1";
constexpr Kind kKinds[] = {
    {"f16", "f16 bf16", "f32 f16", 16, 16, false, false}, {"tf32", "tf32", "f32", 8, 32, false, false},
    {"f8f6f4", kNarrow, "f32 f16", 32, 8, false, false},  {"i8", "s8 u8", "s32", 32, 8, false, true},
    {"mxf8f6f4", kNarrow, "f32", 32, 8, true, false},     {"mxf4", "e2m1", "f32", 64, 4, true, false},
    {"mxf4nvf4", "e2m1", "f32", 64, 4, true, false},
};
constexpr std::string_view kKindNames = "f16 tf32 f8f6f4 i8 mxf8f6f4 mxf4 mxf4nvf4";

struct Choice {
  const Kind *kind;
  int64_t m, n, ctas;
  bool sparse, ws;
};

std::string columnRule(const Choice &c) {
  if (c.ws)
    return c.sparse ? "64 or 128" : "64, 128 or 256";
  if (c.kind->integer)
    return c.ctas == 2 ? "a multiple of 32 up to 256" : "8, 24 or a multiple of 16 up to 256";
  return c.ctas == 2 ? "a multiple of 16 up to 256" : "a multiple of 8 up to 256";
}

bool columnsFit(const Choice &c) {
  if (c.ws)
    return c.n == 64 || c.n == 128 || (c.n == 256 && !c.sparse);
  if (c.n < 8 || c.n > 256)
    return false;
  if (c.kind->integer)
    return c.ctas == 2 ? c.n % 32 == 0 : c.n == 8 || c.n == 24 || c.n % 16 == 0;
  return c.n % (c.ctas == 2 ? 16 : 8) == 0;
}

/// The values of M, as words.
std::string_view rowChoices(const Choice &c) {
  if (c.ws)
    return "32 64 128";
  if (c.ctas == 2)
    return c.kind->scaled && c.sparse ? "256" : "128 256";
  return c.kind->scaled ? "128" : "64 128";
}

struct Organization {
  DataPath path;
  std::string_view title;
};
Organization organize(const Choice &c) {
  if (c.m == 256)
    return {DataPath::Full, "Layout A (M = 256)"};
  if (c.m == 128 && c.ctas == 2)
    return c.sparse ? Organization{DataPath::LowerHalf, "Layout C (M = 128 + cta-group::2 + Sparse A matrix)"}
                    : Organization{DataPath::Halves, "Layout B (M = 128 + cta-group::2 + Dense A matrix)"};
  if (c.m == 128)
    return {DataPath::Full, "Layout D (M = 128 + cta-group::1)"};
  if (c.m == 64)
    return c.ws ? Organization{DataPath::Halves, "Layout E (M = 64 + .ws mode)"}
                : Organization{DataPath::LowerHalf, "Layout F (M = 64 + non .ws mode)"};
  return {DataPath::Quarters, "Layout G (M = 32)"};
}

/// Scales of each row and column, and the type of them: the default first.
std::string_view scaleChoices(const Kind &kind) {
  return kind.name == "mxf8f6f4" ? "1X:ue8m0" : kind.name == "mxf4" ? "2X:ue8m0" : "4X:ue4m3 4X:ue8m0 2X:ue8m0";
}

struct Scales {
  int64_t count = 0;
  std::string_view type;
};
Scales chooseScales(Mnemonic &in, const Kind &kind, std::string_view vectorSize, std::string_view type) {
  std::string_view wanted = vectorSize;
  if (vectorSize == "block16")
    wanted = "4X";
  else if (vectorSize == "block32")
    wanted = kind.name == "mxf8f6f4" ? "1X" : "2X";
  for (std::string_view choice : words(scaleChoices(kind)))
    if ((wanted.empty() || choice.substr(0, 2) == wanted) && (type.empty() || choice.substr(3) == type))
      return {choice[0] - '0', choice.substr(3)};
  in.fail(vectorSize.empty() ? type : vectorSize,
          text("`kind::", kind.name, "` scales blocks by ", alternatives(scaleChoices(kind)), " (scale_vec:type)"));
  return {};
}

/// `scale_a` and `scale_b`, where whole columns of tensor memory hold them; the selectors' text for the name.
std::string addScales(Mnemonic &in, Atom &atom, const Scales &scales, int64_t rows) {
  std::string_view bytes = scales.count == 1 ? "0 1 2 3" : scales.count == 2 ? "0 2" : "0";
  std::string selectors;
  auto add = [&](std::string_view name, std::string_view selector, int dim, int64_t vectors) {
    int64_t byte = in.number(selector, bytes);
    if (byte != 0)
      selectors += text('.', selector, "::", byte);
    if (vectors % 32 != 0)
      return; // the ISA draws whole columns of 32
    Operand out{.name = std::string(name),
                .type = std::string(scales.type),
                .bits = 8,
                .shape = dim == 0 ? Shape{vectors, scales.count} : Shape{scales.count, vectors},
                .doc = {},
                .fragments = {operands::scaleCells(dim, vectors, scales.count, byte)}};
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
  Choice choice{};
  atom.sparse = choice.sparse = in.eat("sp");
  choice.ws = in.eat("ws");
  choice.ctas = in.number("cta_group", "1 2");
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
    in.fail(types[3], text("at most three types are expected (d, a, b), `", types[3], "` is one more"));
  if (in.failed())
    return atom;
  std::string_view a = types[types.size() > 1 ? 1 : 0], b = types.size() > 2 ? types[2] : a,
                   d = types.size() > 1 ? types[0] : std::string_view{};
  for (const Kind &kind : kKinds)
    if (!choice.kind && (kindName.empty() ? hasWord(kind.inputs, a) : kind.name == kindName))
      choice.kind = &kind;
  if (!choice.kind) {
    if (kindName.empty())
      in.fail(a, text("`tcgen05.mma` does not multiply `", a, "`; there is f16, bf16, tf32, s8, u8, ",
                      alternatives(kNarrow)));
    else
      in.fail(kindName, text("`tcgen05.mma` has no `kind::", kindName, "`; there is ", alternatives(kKindNames)));
    return atom;
  }
  const Kind &kind = *choice.kind;
  if (!hasWord(kind.inputs, a) || !hasWord(kind.inputs, b) || (kind.name == "f16" && a != b))
    in.fail(hasWord(kind.inputs, a) ? b : a, text("`kind::", kind.name, "` multiplies ", alternatives(kind.inputs),
                                                  kind.name == "f16" ? ", A and B of one type" : ""));
  if (!d.empty() && (!hasWord(kind.outputs, d) || (a == "bf16" && d == "f16")))
    in.fail(d, text('`', d, "` is no accumulator for `", a, "`; there is ",
                    alternatives(a == "bf16" ? "f32" : kind.outputs)));
  if (d.empty())
    d = words(kind.outputs).front();
  choice.m = shape->m, choice.n = shape->n;
  int64_t depth = kind.depth * (choice.sparse ? 2 : 1);
  // The one size with a choice of K: PTX's K1.
  bool deep = kind.containerBits == 4 && choice.ctas == 2 && choice.m == 256 && !choice.sparse && shape->k == 96;
  if (choice.ws && kind.scaled)
    in.fail(in.written("ws"), text("`kind::", kind.name, "` has no `.ws`"));
  if (choice.ws && choice.ctas == 2)
    in.fail(in.written("ws"), "`.ws` works on one CTA: leave `cta_group::2` out");
  std::string size = shapeText(*shape);
  std::string variant = text("`tcgen05.mma", choice.sparse ? ".sp" : "", choice.ws ? ".ws" : "",
                             "` of `kind::", kind.name, "` on ", choice.ctas == 2 ? "two CTAs" : "one CTA");
  if (!hasWord(rowChoices(choice), text(choice.m)))
    in.fail(in.written(size), text(variant, " has M = ", alternatives(rowChoices(choice)), ", got ", choice.m));
  if (!columnsFit(choice))
    in.fail(in.written(size), text(variant, " has N = ", columnRule(choice), ", got ", choice.n));
  if (shape->k != 0 && shape->k != depth && !deep)
    in.fail(in.written(size), text(variant, " has K = ", depth, ", got ", shape->k));
  if (!kind.scaled && (!vectorSize.empty() || !scaleType.empty()))
    in.fail(vectorSize.empty() ? scaleType : vectorSize,
            text("block scales need a `kind::mx…`, not `kind::", kind.name, '`'));
  Scales scales;
  if (kind.scaled)
    scales = chooseScales(in, kind, vectorSize, scaleType);
  if (in.failed())
    return atom;
  atom.m = choice.m, atom.n = choice.n, atom.k = deep ? 96 : depth;

  Organization organization = organize(choice);
  int64_t rows = atom.m / choice.ctas, stored = atom.sparse ? atom.k / 2 : atom.k;
  std::string perCta = choice.ctas == 2 ? " (one CTA's half of the rows)" : "";
  Operand left{.name = "a",
               .type = std::string(a),
               .bits = kind.containerBits,
               .shape = {rows, stored},
               .doc = {},
               .fragments = {}};
  left.doc = text("left multiplicand, in shared memory or packed in tensor memory", perCta);
  if (choice.ws)
    left.doc = "left multiplicand, in shared memory (the ISA draws no other place for `.ws`)";
  else
    left.fragments = {operands::multiplicandCells(organization.path, stored, kind.containerBits)};
  Operand right{.name = "b",
                .type = std::string(b),
                .bits = kind.containerBits,
                .shape = {atom.k, atom.n},
                .doc = {},
                .fragments = {}};
  right.doc =
      text("right multiplicand, in shared memory", choice.ctas == 2 ? " (half of the columns in each CTA's)" : "");
  Operand result{
      .name = "d", .type = std::string(d), .bits = typeBits(d), .shape = {rows, atom.n}, .doc = {}, .fragments = {}};
  result.doc = text("accumulator in tensor memory, one element to a cell", perCta);
  result.fragments = {operands::resultCells(organization.path, atom.n)};
  atom.operands = {std::move(left), std::move(right), std::move(result)};

  if (choice.sparse && organization.path == DataPath::Full)
    atom.operands.push_back(operands::metadataCells(atom.k, a, kind.containerBits));
  std::string selectors, scaleText;
  if (kind.scaled && !deep && organization.path == DataPath::Full)
    selectors = addScales(in, atom, scales, rows);
  if (kind.scaled)
    scaleText = text(".kind::", kind.name, ".scale_vec::", scales.count, 'X');

  std::string variantWords = text(choice.sparse ? "sp." : "", choice.ws ? "ws." : "");
  atom.name =
      text("tcgen05.mma.", variantWords, shapeText({atom.m, atom.n, atom.k}), choice.ctas == 2 ? ".cta_group::2" : "",
           scaleText, '.', d, '.', a, a == b ? std::string() : text('.', b),
           kind.scaled ? text('.', scales.type) : std::string(), selectors);
  atom.ptx =
      text("tcgen05.mma.", choice.ws ? "ws." : "", choice.sparse ? "sp." : "", "cta_group::", choice.ctas,
           ".kind::", kind.name, kind.scaled ? text(".block_scale.scale_vec::", scales.count, 'X') : std::string());
  atom.section = organization.title;
  atom.doc = text("D = A*B + D in tensor memory; n: ", columnRule(choice));
  return atom;
}

} // namespace lanescope::layouts::families
