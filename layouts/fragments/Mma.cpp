// mma.sync and mma.sp: PTX ISA, "Matrix multiply-accumulate operation using mma instruction" and "… using mma.sp
// instruction with sparse matrix A".
#include "layouts/fragments/Families.h"
#include "layouts/fragments/Operands.h"

#include "layouts/support/Text.h"

namespace lanescope::layouts::families {

namespace {

using operands::MetadataSpread;

/// A row of the ISA's list of shapes and types; cells are words. Outputs and scales: the default first.
struct Form {
  bool sparse;
  std::string_view kind, inputs, shapes, outputs, scales;
};
constexpr std::string_view kNarrow = "e4m3 e5m2 e3m2 e2m3 e2m1";
constexpr Form kForms[] = {
    {false, "", "f16", "m8n8k4 m16n8k8 m16n8k16", "f32 f16", ""},
    {false, "", "bf16", "m16n8k8 m16n8k16", "f32", ""},
    {false, "", "tf32", "m16n8k4 m16n8k8", "f32", ""},
    {false, "", "f64", "m8n8k4 m16n8k4 m16n8k8 m16n8k16", "f64", ""},
    {false, "", "s8 u8", "m8n8k16 m16n8k16 m16n8k32", "s32", ""},
    {false, "", "s4 u4", "m8n8k32 m16n8k32 m16n8k64", "s32", ""},
    {false, "", "b1", "m8n8k128 m16n8k128 m16n8k256", "s32", ""},
    {false, "", "e4m3 e5m2", "m16n8k16 m16n8k32", "f32 f16", ""},
    {false, "f8f6f4", kNarrow, "m16n8k32", "f32 f16", ""},
    {false, "mxf8f6f4", kNarrow, "m16n8k32", "f32", "1X:ue8m0"},
    {false, "mxf4", "e2m1", "m16n8k64", "f32", "2X:ue8m0"},
    {false, "mxf4nvf4", "e2m1", "m16n8k64", "f32", "4X:ue4m3 4X:ue8m0 2X:ue8m0"},
    {true, "", "f16", "m16n8k16 m16n8k32", "f32 f16", ""},
    {true, "", "bf16", "m16n8k16 m16n8k32", "f32", ""},
    {true, "", "tf32", "m16n8k8 m16n8k16", "f32", ""},
    {true, "", "s8 u8", "m16n8k32 m16n8k64", "s32", ""},
    {true, "", "s4 u4", "m16n8k64 m16n8k128", "s32", ""},
    {true, "", "e4m3 e5m2", "m16n8k64", "f32", ""},
    {true, "f8f6f4", kNarrow, "m16n8k64", "f32 f16", ""},
    {true, "mxf8f6f4", kNarrow, "m16n8k64", "f32", "1X:ue8m0"},
    {true, "mxf4", "e2m1", "m16n8k128", "f32", "2X:ue8m0"},
    {true, "mxf4nvf4", "e2m1", "m16n8k128", "f32", "4X:ue4m3 4X:ue8m0 2X:ue8m0"},
};
constexpr std::string_view kOutputs = "f16 f32 f64 s32";

struct Types {
  std::string_view d, a, b, c, scale;
};

/// `d.a.b.c`, `d.a.b`, `d.a`, `a.b` or `a`, then the type of block scales. What is left out stays empty.
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
    if (hasWord(kOutputs, given[0]))
      out.d = given[0], out.a = given[1];
    else
      out.a = given[0], out.b = given[1];
    break;
  case 3: out.d = given[0], out.a = given[1], out.b = given[2]; break;
  case 4: out.d = given[0], out.a = given[1], out.b = given[2], out.c = given[3]; break;
  default: in.fail(given[4], text("at most four types are expected (d, a, b, c), `", given[4], "` is one more"));
  }
  if (out.b.empty())
    out.b = out.a;
  return out;
}

/// The forms that agree so far: those of `forms` for which `fits` holds. Without any, an error that lists the words in
/// `cell` of those that there were.
template <typename Fits>
std::vector<const Form *> narrowed(Mnemonic &in, std::vector<const Form *> forms, std::string_view part,
                                   std::string_view what, std::string_view Form::*cell, Fits fits) {
  std::vector<const Form *> out;
  std::string there;
  for (const Form *form : forms) {
    if (fits(*form))
      out.push_back(form);
    for (std::string_view word : words(form->*cell))
      if (!hasWord(there, word))
        there += text(word, ' ');
  }
  if (out.empty())
    in.fail(part, text(what, "; there is ", alternatives(there)));
  return out;
}

bool allows(std::string_view scale, std::string_view vectorSize, std::string_view type) {
  return (vectorSize.empty() || scale.substr(0, 2) == vectorSize) && (type.empty() || scale.substr(3) == type);
}

/// The row of the table that the name is about, and its defaults; null after an error.
const Form *chooseForm(Mnemonic &in, bool sparse, std::string_view kind, std::string_view vectorSize, const Mnk &shape,
                       Types &types) {
  std::vector<const Form *> forms;
  for (const Form &form : kForms)
    if (form.sparse == sparse)
      forms.push_back(&form);
  std::string instruction = sparse ? "mma.sp" : "mma";
  if (!kind.empty())
    forms = narrowed(in, std::move(forms), kind, text("`", instruction, "` has no `kind::", kind, '`'), &Form::kind,
                     [&](const Form &form) { return form.kind == kind; });
  forms = narrowed(in, std::move(forms), types.a, text("`", instruction, "` does not multiply `", types.a, '`'),
                   &Form::inputs, [&](const Form &form) { return hasWord(form.inputs, types.a); });
  forms =
      narrowed(in, std::move(forms), types.b, text("`", types.a, "` and `", types.b, "` are not multiplied together"),
               &Form::inputs, [&](const Form &form) { return hasWord(form.inputs, types.b); });
  std::string size = shapeText(shape);
  forms = narrowed(in, std::move(forms), in.written(size),
                   text("`", size, "` is no shape of `", instruction, "` with `", types.a, '`'), &Form::shapes,
                   [&](const Form &form) { return hasWord(form.shapes, size); });
  if (!types.d.empty())
    forms = narrowed(in, std::move(forms), types.d, text("`", types.d, "` is no accumulator for `", types.a, '`'),
                     &Form::outputs, [&](const Form &form) { return hasWord(form.outputs, types.d); });
  if (in.failed() || forms.empty())
    return nullptr;
  const Form *form = forms.front();
  if (!vectorSize.empty() || !types.scale.empty())
    for (const Form *candidate : forms)
      for (std::string_view scale : words(candidate->scales))
        if (form->scales.empty() || !allows(words(form->scales).front(), vectorSize, types.scale))
          form = allows(scale, vectorSize, types.scale) ? candidate : form;
  if (types.d.empty())
    types.d = words(form->outputs).front();
  if (types.c.empty())
    types.c = types.d;
  bool mixes = size == "m8n8k4" && types.d == "f32" && types.c == "f16";
  if (types.c != types.d && !mixes) {
    in.fail(types.c, text("the types of C and D must be equal", size == "m8n8k4" ? " (D may be f32 with C f16)" : "",
                          ", got `", types.c, "` and `", types.d, '`'));
    return nullptr;
  }
  return form;
}

/// Number of scales per row and their type, as the form allows.
int64_t chooseScales(Mnemonic &in, const Form &form, std::string_view vectorSize, Types &types) {
  std::string allowed;
  for (std::string_view pair : words(form.scales)) {
    std::string_view count = pair.substr(0, 2), type = pair.substr(3);
    allowed += text(allowed.empty() ? "" : ", ", "`scale_vec::", count, "` with `", type, '`');
    if (allows(pair, vectorSize, types.scale)) {
      types.scale = type;
      return count[0] - '0';
    }
  }
  in.fail(vectorSize.empty() ? types.scale : vectorSize,
          allowed.empty() ? text("block scales need a `kind::mx…`, which `", types.a, "` lacks here")
                          : text("`kind::", form.kind, "` has ", allowed));
  return 1;
}

struct SparseStorage {
  MetadataSpread spread;
  int fieldBits;
  int64_t fields; // per row
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

/// m8n8k4 of f16: four products at once, by lanes 4p…4p+3 and 16+4p…16+4p+3 each ("Matrix Fragments for mma.m8n8k4 with
/// .f16 floating point type"). Arrays are (4, rows, columns).
void quadPairOperands(Atom &atom, const Types &types, bool rowA, bool rowB) {
  auto multiplicand = [](std::string_view name, int lanes, int values) {
    Operand out{.name = std::string(name), .type = "f16", .bits = 16, .shape = {}, .doc = {}, .fragments = {}};
    Fragment fragment;
    fragment.parts[0] = {{4, lanes, 1}, {4, 0, 1}};
    // The dimension of eight is spread over the high and the low lanes, or over both lanes of a pair.
    fragment.parts[0].push_back({2, name == "a" ? 1 : 2, 4});
    fragment.parts[1] = {{2, values, 2}};
    fragment.parts[2] = {{2, values, 1}};
    out.fragments.push_back(std::move(fragment));
    return out;
  };
  Operand a = rowA ? multiplicand("a", 1, 2) : multiplicand("a", 2, 1);
  a.shape = {4, 8, 4};
  Operand b = rowB ? multiplicand("b", 1, 2) : multiplicand("b", 2, 1);
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

void warpOperands(Atom &atom, const Form &form, const Types &types) {
  // Sizes below 8 bits lie in bytes unless the kind takes nothing else (PTX ISA, the instruction `mma`).
  bool bytes = form.kind.ends_with("f8f6f4");
  int aBits = bytes ? 8 : typeBits(types.a), bBits = bytes ? 8 : typeBits(types.b);
  int64_t stored = atom.sparse ? atom.k / 2 : atom.k;
  auto inBytes = [&](std::string_view type) {
    return bytes && typeBits(type) < 8 ? text(", each in a byte (", type == "e2m1" ? "bits 2 to 5" : "bits 0 to 5", ")")
                                       : std::string();
  };
  atom.operands.push_back(plain(
      "a", types.a, aBits, {atom.m, stored}, operands::multiplicandA(atom.m, stored, aBits),
      text(atom.sparse ? "left multiplicand, the stored half of its columns" : "left multiplicand", inBytes(types.a))));
  atom.operands.push_back(plain("b", types.b, bBits, {atom.k, atom.n}, operands::multiplicandB(atom.k, bBits),
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
  const Form *form = chooseForm(in, atom.sparse, kind, vectorSize, *shape, types);
  if (!form)
    return atom;
  atom.m = shape->m, atom.n = shape->n, atom.k = shape->k;
  bool quadPairs = types.a == "f16" && atom.k == 4;
  if (!quadPairs && (aMajor == "col" || bMajor == "row"))
    in.fail(aMajor == "col" ? aMajor : bMajor,
            "A is row-major and B column-major in registers: only m8n8k4 of f16 has others");
  if (saturating && types.d != "s32")
    in.fail(in.written("satfinite"), text("`satfinite` is for integers, not `", types.d, '`'));
  if (!bitOperation.empty() && types.a != "b1")
    in.fail(bitOperation, text('`', bitOperation, "` is for b1, not `", types.a, '`'));
  int64_t scales = 0;
  if (!form->scales.empty() || !vectorSize.empty() || !types.scale.empty())
    scales = chooseScales(in, *form, vectorSize, types);

  bool rowA = aMajor != "col", rowB = bMajor == "row";
  if (quadPairs)
    quadPairOperands(atom, types, rowA, rowB);
  else
    warpOperands(atom, *form, types);
  std::string selectors;
  auto select = [&](std::string_view name, std::string_view allowed) {
    int64_t value = in.number(name, allowed);
    if (value != 0)
      selectors += text('.', name, "::", value);
    return value;
  };
  if (atom.sparse) {
    SparseStorage storage = sparseStorage(types.a, typeBits(types.a) == 4 && !form->kind.ends_with("f8f6f4"), atom.k);
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
  std::string kindText = form->kind.empty() ? std::string() : text(".kind::", form->kind);
  std::string scaleText = scales ? text(".scale_vec::", scales, 'X') : std::string();
  std::string typeText = text('.', types.d, '.', types.a, '.', types.b, '.', types.c);
  bool sameInputs = types.a == types.b, sameOutputs = types.c == types.d;
  if (sameOutputs && types.d == words(form->outputs).front() && sameInputs)
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
  for (const Form &form : kForms)
    for (std::string_view shape : words(form.shapes))
      for (std::string_view input : words(form.inputs))
        for (std::string_view output : words(form.outputs))
          for (std::string_view scale : words(form.scales.empty() ? ":" : form.scales)) {
            std::string name = text(form.sparse ? "mma.sp." : "mma.", shape);
            if (!form.kind.empty())
              name += text(".kind::", form.kind);
            bool scaled = !form.scales.empty();
            if (scaled)
              name += text(".scale_vec::", scale.substr(0, 2));
            name += text('.', output, '.', input);
            if (scaled)
              name += text('.', scale.substr(3));
            out.push_back(std::move(name));
          }
  return out;
}

} // namespace lanescope::layouts::families
