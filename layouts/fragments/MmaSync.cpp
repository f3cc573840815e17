// mma.sync and mma.sp: PTX ISA, "Matrix multiply-accumulate operation using mma instruction" and "… using mma.sp
// instruction with sparse matrix A".
#include "layouts/fragments/AtomFamilies.h"
#include "layouts/fragments/OperandFormulas.h"

#include "layouts/support/Text.h"

namespace lanescope::layouts::families {

namespace {

using operands::MetadataSpread;

struct Types {
  std::string_view d, a, b, c, scale;
};

bool isAccumulator(std::string_view type) {
  return std::ranges::any_of(matrixInstructions(), [&](const MatrixInstruction &row) {
    return row.family == MatrixFamily::Mma && row.outputs.contains(*matrixTypeNamed(type));
  });
}

/// Reads `d.a.b.c`, `d.a.b`, `d.a`, `a.b` or `a`, then the type of block scales. Absent types stay empty.
Types readTypes(Mnemonic &in) {
  std::vector<std::string_view> given = in.types();
  Types out;
  if (!given.empty() && given.back().starts_with("ue")) {
    out.scale = given.back();
    given.pop_back();
  }
  switch (given.size()) {
  case 0: in.lacking("the name lacks the types: write that of A, as `mma.m16n8k16.f16`, or all of d, a, b, c"); break;
  case 1: out.a = given[0]; break;
  case 2:
    if (isAccumulator(given[0]))
      out.d = given[0], out.a = given[1];
    else
      out.a = given[0], out.b = given[1];
    break;
  case 3: out.d = given[0], out.a = given[1], out.b = given[2]; break;
  case 4: out.d = given[0], out.a = given[1], out.b = given[2], out.c = given[3]; break;
  default: in.fail(given[4], Message("at most four types are expected (d, a, b, c), `{}` is one more", given[4]));
  }
  if (out.b.empty())
    out.b = out.a;
  return out;
}

struct SparseStorage {
  MetadataSpread spread;
  int fieldBits;
  int64_t fields; // fields per row
};
/// PTX ISA, "Sparse matrix storage": 1:2 with 4-bit indices (tf32), 4:8 in pairs (4-bit types), else 2:4.
SparseStorage sparseStorage(std::string_view a, bool wholeFour, int64_t k) {
  if (a == "tf32")
    return {k == 8 ? MetadataSpread::OneLane : MetadataSpread::HalvesOfRows, 4, k / 2};
  if (typeBits(a) == 16)
    return {k == 16 ? MetadataSpread::OneLane : MetadataSpread::HalvesOfRows, 2, k / 2};
  int64_t fields = wholeFour ? k / 4 : k / 2;
  return {fields == 16 ? MetadataSpread::RowsOfPair : MetadataSpread::AllLanes, 2, fields};
}

std::string sectionOf(const Atom &atom, std::string_view a) {
  std::string size = shapeText({atom.m, atom.n, atom.k});
  std::string title = text("Matrix Fragments for ", atom.sparse ? "sparse " : "", "mma.", size);
  int bits = typeBits(a);
  if (atom.sparse) {
    if (bits == 16)
      return title + " with .f16 and .bf16 types";
    if (a == "tf32")
      return title + " with .tf32 floating point type";
    if (atom.k == 128 || hasWord("s4 u4", a))
      return title + " with .u4 / .s4 integer type";
    return title + (atom.k == 64 ? " with .u8 / .s8 / .e4m3 / .e5m2 type" : " with .u8 / .s8 integer type");
  }
  if (size == "m8n8k4")
    return text(title, " with .", a, " floating point type");
  if (size == "m16n8k16")
    return title + (bits == 8 ? " with integer type" : " with floating point type");
  return title;
}

/// How an instruction orders the elements of a factor: row by row, or column by column.
enum class Order : uint8_t { Rows, Columns };

/// m8n8k4 on f16 computes four products at once, each by lanes 4p…4p+3 and 16+4p…16+4p+3 ("Matrix Fragments for
/// mma.m8n8k4 with .f16 floating point type"). Arrays are (4, rows, columns).
void quadPairOperands(Atom &atom, const Types &types, Order orderOfA, Order orderOfB) {
  auto multiplicand = [](std::string_view name, int lanes, int values) {
    Operand out{.name = std::string(name), .type = "f16", .bits = 16, .shape = {}, .doc = {}, .fragments = {}};
    Fragment fragment;
    fragment.parts[0] = {{4, lanes, 1}, {4, 0, 1}};
    // The dimension of size eight is spread over the low and the high lanes, or over both lanes of a pair.
    fragment.parts[0].push_back({2, name == "a" ? 1 : 2, 4});
    fragment.parts[1] = {{2, values, 2}};
    fragment.parts[2] = {{2, values, 1}};
    out.fragments.push_back(std::move(fragment));
    return out;
  };
  Operand a = orderOfA == Order::Rows ? multiplicand("a", 1, 2) : multiplicand("a", 2, 1);
  a.shape = {4, 8, 4};
  Operand b = orderOfB == Order::Rows ? multiplicand("b", 1, 2) : multiplicand("b", 2, 1);
  b.shape = {4, 4, 8};
  auto accumulator = [](std::string_view name, std::string_view type) {
    Operand out{.name = std::string(name),
                .type = std::string(type),
                .bits = typeBits(type),
                .shape = {4, 8, 8},
                .doc = {},
                .fragments = {}};
    Fragment fragment;
    if (out.bits == 16)
      fragment.parts = {FragmentDigits{{4, 1, 1}, {4, 0, 1}, {2, 1, 4}}, FragmentDigits{{4, 2, 2}},
                        FragmentDigits{{2, 2, 1}}};
    else
      fragment.parts = {FragmentDigits{{2, 1, 1}, {2, 2, 2}, {4, 0, 1}, {2, 1, 4}},
                        FragmentDigits{{2, 2, 1}, {2, 1, 2}, {2, 2, 4}},
                        {}};
    out.fragments.push_back(std::move(fragment));
    return out;
  };
  a.doc = "four left multiplicands";
  b.doc = "four right multiplicands";
  Operand c = accumulator("c", types.c), d = accumulator("d", types.d);
  c.doc = "four summands";
  d.doc = "four results";
  atom.operands = {std::move(a), std::move(b), std::move(c), std::move(d)};
}

Operand plain(std::string_view name, std::string_view type, int bits, Shape shape, Fragment fragment,
              std::string_view doc) {
  return {std::string(name), std::string(type), bits, std::move(shape), std::string(doc), {std::move(fragment)}};
}

void warpOperands(Atom &atom, const MatrixInstruction &row, const Types &types) {
  bool bytes = row.container == 8;
  int bits = row.elementBits();
  int64_t stored = atom.sparse ? atom.k / 2 : atom.k;
  auto inBytes = [&](std::string_view type) {
    return bytes && typeBits(type) < 8 ? text(", each in a byte (", type == "e2m1" ? "bits 2 to 5" : "bits 0 to 5", ")")
                                       : std::string();
  };
  atom.operands.push_back(plain(
      "a", types.a, bits, {atom.m, stored}, operands::multiplicandA(atom.m, stored, bits),
      text(atom.sparse ? "left multiplicand, the stored half of its columns" : "left multiplicand", inBytes(types.a))));
  atom.operands.push_back(plain("b", types.b, bits, {atom.k, atom.n}, operands::multiplicandB(atom.k, bits),
                                text("right multiplicand", inBytes(types.b))));
  for (std::string_view name : {"c", "d"}) {
    std::string_view type = name == "c" ? types.c : types.d;
    atom.operands.push_back(plain(name, type, typeBits(type), {atom.m, atom.n},
                                  operands::accumulator(atom.m, atom.n, typeBits(type)),
                                  name == "c" ? "summand" : "result"));
  }
}

} // namespace

Atom readMma(Mnemonic &in) {
  Atom atom;
  atom.instruction = Instruction::Mma;
  bool ordered = in.eat("sp::ordered_metadata");
  atom.sparse = ordered || in.eat("sp");
  in.eat("sync");
  in.eat("aligned");
  std::string_view aMajor = in.eatOneOf("row col"), bMajor = in.eatOneOf("col row");
  std::string_view kind = in.qualifier("kind"), vectorSize = in.qualifier("scale_vec");
  in.eat("block_scale");
  bool saturating = in.eat("satfinite");
  std::string_view bitOperation = in.eatOneOf("xor and");
  in.eat("popc");
  std::optional<Mnk> shape = in.shape();
  Types types = readTypes(in);
  if (!shape || shape->k == 0) {
    in.lacking("the name lacks the sizes, as in `mma.m16n8k16.f16`");
    return atom;
  }
  if (in.failed())
    return atom;
  MatrixQuery query{.family = MatrixFamily::Mma,
                    .sparse = atom.sparse,
                    .a = typeNamed(types.a),
                    .b = typeNamed(types.b),
                    .m = shape->m,
                    .n = shape->n,
                    .k = shape->k,
                    .scaleCount = scaleCount(vectorSize)};
  if (!kind.empty())
    query.kind = kind;
  if (!types.c.empty())
    query.c = typeNamed(types.c);
  if (!types.d.empty())
    query.d = typeNamed(types.d);
  if (!types.scale.empty())
    query.scale = typeNamed(types.scale);
  const MatrixInstruction *row = rowOf(in, query, vectorSize);
  if (!row)
    return atom;
  if (types.d.empty())
    types.d = ptxName(row->outputs.front());
  if (types.c.empty())
    types.c = types.d;
  atom.m = shape->m, atom.n = shape->n, atom.k = shape->k;
  if (!row->transposes && (aMajor == "col" || bMajor == "row"))
    in.fail(aMajor == "col" ? aMajor : bMajor,
            "A is row-major and B column-major in registers: only m8n8k4 of f16 has others");
  checkSaturation(in, *row, saturating, types.a);
  if (!bitOperation.empty() && types.a != "b1")
    in.fail(bitOperation, Message("`{}` is for b1, not `{}`", bitOperation, types.a));
  BlockScale scale = row->scale(query).value_or(BlockScale{});
  int scales = scale.count;
  if (scales > 0)
    types.scale = ptxName(scale.type);
  bool quadPairs = types.a == "f16" && atom.k == 4;

  bool rowA = aMajor != "col", rowB = bMajor == "row";
  if (quadPairs)
    quadPairOperands(atom, types, rowA ? Order::Rows : Order::Columns, rowB ? Order::Rows : Order::Columns);
  else
    warpOperands(atom, *row, types);
  std::string selectors;
  auto select = [&](std::string_view name, std::string_view allowed) {
    int64_t value = in.number(name, allowed);
    if (value != 0)
      selectors += text('.', name, "::", value);
    return value;
  };
  if (atom.sparse) {
    SparseStorage storage = sparseStorage(types.a, row->elementBits() == 4, atom.k);
    int64_t selector = select("selector", operands::selectorChoices(storage.spread));
    atom.operands.push_back(operands::metadata(atom.m, storage.fields, storage.fieldBits, storage.spread, selector));
  }
  if (scales > 0) {
    std::string_view bytes = scales == 1 ? "0 1 2 3" : scales == 2 ? "0 2" : "0";
    int64_t byteA = select("byte_id_a", bytes), pair = select("thread_id_a", "0 1");
    int64_t byteB = select("byte_id_b", bytes), lane = select("thread_id_b", "0 1 2 3");
    atom.operands.push_back(operands::scaleA(types.scale, scales, byteA, pair));
    atom.operands.push_back(operands::scaleB(types.scale, scales, byteB, lane));
  }

  std::string size = shapeText(*shape), majors;
  if (quadPairs && (!rowA || rowB))
    majors = text('.', rowA ? "row" : "col", '.', rowB ? "row" : "col");
  std::string kindText = row->kind.empty() ? std::string() : text(".kind::", row->kind);
  std::string scaleText = scales ? text(".scale_vec::", scales, 'X') : std::string();
  std::string typeText = text('.', types.d, '.', types.a, '.', types.b, '.', types.c);
  bool sameInputs = types.a == types.b, sameOutputs = types.c == types.d;
  if (sameOutputs && types.d == ptxName(row->outputs.front()) && sameInputs)
    typeText = text('.', types.a);
  else if (sameOutputs)
    typeText = sameInputs ? text('.', types.d, '.', types.a) : text('.', types.d, '.', types.a, '.', types.b);
  std::string scaleType = scales ? text('.', types.scale) : std::string();
  atom.name = text(atom.sparse ? "mma.sp." : "mma.", size, majors, kindText, scaleText, typeText, scaleType, selectors);
  atom.ptx = text(atom.sparse ? "mma.sp::ordered_metadata" : "mma", ".sync.aligned.", size, '.', rowA ? "row" : "col",
                  '.', rowB ? "row" : "col", kindText, scales ? ".block_scale" : "", scaleText, '.', types.d, '.',
                  types.a, '.', types.b, '.', types.c, scaleType,
                  types.a == "b1" ? text('.', bitOperation.empty() ? "xor" : bitOperation, ".popc") : std::string());
  atom.section = sectionOf(atom, types.a);
  atom.doc = text(quadPairs ? "four D = A*B + C by a warp" : "D = A*B + C by a warp",
                  atom.sparse ? ", half of A's elements zero" : "", scales ? ", blocks of A and B scaled" : "");
  return atom;
}

std::vector<std::string> mmaNames() {
  std::vector<std::string> out;
  for (const MatrixInstruction &row : matrixInstructions()) {
    if (row.family != MatrixFamily::Mma)
      continue;
    std::vector<BlockScale> scales(row.scales.begin(), row.scales.end());
    if (scales.empty())
      scales.emplace_back();
    std::string kind = row.kind.empty() ? std::string() : text(".kind::", row.kind);
    for (int64_t depth : row.depths())
      for (MatrixType input : row.inputs)
        for (MatrixType output : row.outputs)
          for (const BlockScale &scale : scales) {
            std::string types = text('.', ptxName(output), '.', ptxName(input)), size;
            if (scale.count > 0)
              size = text(".scale_vec::", scale.count, 'X'), types += text('.', ptxName(scale.type));
            out.push_back(text(row.sparse ? "mma.sp." : "mma.",
                               shapeText({row.rows.smallest(), row.columns.smallest(), depth}), kind, size, types));
          }
  }
  return out;
}

} // namespace lanescope::layouts::families
