// Builtins for linear layouts: the F2 form of any layout that has one, and the layouts in a pasted text.
#include "layouts/support/Try.h"
#include "repl/lang/values/ValueJson.h"
#include "repl/layouts/LayoutArguments.h"
#include "repl/layouts/LayoutBuiltins.h"
#include "repl/layouts/LinearObjects.h"

#include "layouts/linear/LinearForm.h"
#include "layouts/linear/TritonLayout.h"
#include "layouts/notation/Find.h"
#include "layouts/support/Text.h"

namespace lanescope::repl {

namespace {

using C = Context;
using A = BoundArguments;
using R = Result<Value>;

using layouts::LinearLayout;

Value basisValue(const LinearLayout::Basis &basis) { return Value::shape(layouts::Shape(basis.begin(), basis.end())); }

Value basesValue(const LinearLayout &linear) {
  std::vector<std::pair<std::string, Value>> inputs;
  for (const LinearLayout::Input &input : linear.inputs()) {
    std::vector<Value> bases;
    for (const LinearLayout::Basis &basis : input.bases)
      bases.push_back(basisValue(basis));
    inputs.emplace_back(input.name, Value::list(std::move(bases)));
  }
  return Value::dict(std::move(inputs));
}

Value names(const std::vector<std::string> &texts) {
  std::vector<Value> out(texts.begin(), texts.end());
  return Value::list(std::move(out));
}

/// A matrix as a list of rows of zeros and ones.
Value matrixValue(const layouts::BitMatrix &matrix) {
  std::vector<Value> rows;
  for (size_t r = 0; r < matrix.rows.size(); ++r) {
    std::vector<Value> row;
    for (size_t c = 0; c < matrix.columns.size(); ++c)
      row.emplace_back(matrix.at(r, c) ? 1 : 0);
    rows.push_back(Value::list(std::move(row)));
  }
  return Value::list(std::move(rows));
}

Result<LinearLayout> formOf(C &context, const A &args, const LayoutArguments &given) {
  // A layout that is linear itself keeps its own form, including zero bases and blocks.
  if (const auto *foreign = std::get_if<layouts::Foreign>(&given.layout)) {
    if (const auto *triton = foreign->as<layouts::TritonLayout>())
      return triton->linear(given.shape);
    if (const auto *linear = foreign->as<layouts::LinearForeign>(); linear && linear->shape() == given.shape)
      return linear->linear();
  }
  return layouts::linearForm(LANESCOPE_TRY(placementOf(context, args, 1, given)));
}

R linearOf(C &context, const A &args) {
  LayoutArguments given = LANESCOPE_TRY(layoutArguments(context, args, 0, 1, 2, 3));
  Result<LinearLayout> form = formOf(context, args, given);
  if (!form)
    return at(args[0].span, std::move(form.error()));
  return Value(std::make_shared<LinearObject>(*std::move(form)));
}

R findAll(C &, const A &args) {
  std::string chunk = LANESCOPE_TRY(args.text(0));
  std::vector<Value> columns[6];
  for (layouts::FoundLayout &found : layouts::findLayouts(Source::make("<text>", std::move(chunk)))) {
    columns[0].emplace_back(found.span.source->lineColumn(found.span.begin).line);
    columns[1].emplace_back(found.name);
    columns[2].push_back(found.shape ? Value::shape(*found.shape) : Value());
    columns[3].push_back(found.bitwidth ? Value(*found.bitwidth) : Value());
    columns[4].emplace_back(found.uses);
    columns[5].push_back(found.layout ? Value(*std::move(found.layout))
                                      : Value(text("error: ", found.layout.error().front().message)));
  }
  constexpr const char *kNames[] = {"line", "name", "shape", "bits", "uses", "layout"};
  std::vector<std::pair<std::string, Value>> table;
  for (size_t i = 0; i < 6; ++i)
    table.emplace_back(kNames[i], Value::list(std::move(columns[i])));
  return Value::dict(std::move(table));
}

} // namespace

Result<Value> LinearObject::attribute(Context &context, const std::string &name) {
  if (name == "matrix")
    return matrixValue(linear.matrix());
  if (name == "rows")
    return names(linear.matrix().rows);
  if (name == "columns")
    return names(linear.matrix().columns);
  if (name == "bases")
    return basesValue(linear);
  if (name == "shape")
    return Value::shape(linear.outputShape());
  if (name == "rank")
    return Value(linear.rank());
  if (name == "surjective")
    return Value(linear.isSurjective());
  if (name == "injective")
    return Value(linear.isInjective());
  if (name == "invertible")
    return Value(linear.isInvertible());
  if (name == "layout")
    return Value(layouts::LinearForeign::make(linear));
  if (name == "inverse")
    return Value(std::make_shared<LinearObject>(LANESCOPE_TRY(linear.invert())));
  return Object::attribute(context, name);
}

std::vector<std::string> LinearObject::members() const {
  return {"bases",  "columns", "injective", "inverse", "invertible", "layout",
          "matrix", "rank",    "rows",      "shape",   "surjective"};
}

std::optional<std::string> LinearObject::json() const {
  Result<std::string> out = toJson(basesValue(linear));
  if (!out)
    return std::nullopt;
  return *out;
}

Builtins linearBuiltins() {
  Builtins out = {
      {"linear", "linear(layout, shape=None, dtype=None, memory=None)",
       "The layout's linear form over F2: which coordinates each bit of a place adds, by exclusive or.\n\nIt prints as "
       "Triton's LinearLayout does. Its `matrix` has a row for each output bit (`rows`) and a column for each input "
       "bit "
       "(`columns`); `bases` are the columns as coordinates; `rank`, `surjective`, `injective`, `invertible` and "
       "`inverse` are those of the matrix; `layout` is the form as a layout. A layout that is not linear is an error "
       "that shows three places which contradict each other.",
       linearOf},
      {"find_layouts", "find_layouts(text)",
       "The layouts in a pasted text, as a table: TTGIR with its aliases, types, JAX dumps, CuTe prints.\n\nEach "
       "layout "
       "comes once per shape with the line where it is first, the name of its alias or value, and how often it occurs. "
       "One that cannot be read has the reason in its place.",
       findAll},
  };
  for (Builtin &builtin : out)
    builtin.group = "layouts";
  return out;
}

} // namespace lanescope::repl
