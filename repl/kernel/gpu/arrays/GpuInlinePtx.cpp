// `inline_ptx`: PTX for operations that the language lacks.
#include "repl/kernel/gpu/arrays/Arrays.h"
#include "repl/kernel/gpu/trace/ValueRules.h"
#include "repl/kernel/trace/Traced.h"

#include "layouts/support/Text.h"
#include "layouts/support/Try.h"

#include <cctype>

namespace lanescope::repl {

using core::IrValue;
using layouts::Dtype;

namespace {

constexpr size_t kMaxDigits = 3; // digits of an operand's number

/// Says what the numbers of operands count.
std::string operandNumbers(size_t results) {
  switch (results) {
  case 0: return "the values count from `$0`, as there is no result (`dtype=`)";
  case 1: return "`$0` is the result and the values count from `$1`";
  default: return text("`$0` to `$", results - 1, "` are the results and the values count from `$", results, "`");
  }
}

/// The PTX text with its last statement terminated. Checks that each `$n` in it names an operand. Errors are at
/// argument 0.
Result<std::string> checkedText(const BoundArguments &args, size_t results, size_t values) {
  std::string ptx = LANESCOPE_TRY(args.text(0));
  std::vector<bool> named(results + values, false);
  for (size_t i = 0; i < ptx.size(); ++i) {
    if (ptx[i] != '$')
      continue;
    if (i + 1 < ptx.size() && ptx[i + 1] == '$') {
      ++i;
      continue;
    }
    size_t digits = 0, number = 0;
    while (i + 1 < ptx.size() && std::isdigit(static_cast<unsigned char>(ptx[i + 1])) && digits++ < kMaxDigits)
      number = number * 10 + static_cast<size_t>(ptx[++i] - '0');
    if (digits == 0 || digits > kMaxDigits)
      return args.wrongValue(0, "`$` is followed by an operand's number; write `$$` for the character");
    if (number >= named.size())
      return args.wrongValue(0, Message("there is no operand `${}`: {}", number, operandNumbers(results)));
    named[number] = true;
  }
  for (size_t i = 0; i < results; ++i)
    if (!named[i])
      return args.wrongValue(0, Message("{}{}`, is not written", results == 1 ? "the result, `$" : "a result, `$", i));
  size_t last = ptx.find_last_not_of(" \t\n");
  if (last == std::string::npos)
    return args.wrongValue(0, "the text is empty");
  if (ptx[last] != ';' && ptx[last] != '}')
    ptx.insert(last + 1, ";");
  return ptx;
}

Result<void> checkRegister(Dtype dtype, const Span &span) {
  if (dtype == Dtype::I1 || layouts::bitwidth(dtype) >= 16)
    return {};
  return error(
      "dtype", span,
      Message("PTX has no registers for {dtype}; convert with `astype` to 16 bits or more", layouts::name(dtype)));
}

/// The dtypes of the results: of none, of one, or of the items of a tuple.
Result<std::vector<Dtype>> resultDtypes(const BoundArguments &args) {
  std::vector<Dtype> out;
  if (!args.has(2) || args[2].value.isNone())
    return out;
  const std::vector<Value> *several = args[2].value.asListOrTuple();
  if (!several) {
    out.push_back(LANESCOPE_TRY(args.dtype(2)));
  } else {
    for (const Value &item : *several) {
      if (!item.asDtype())
        return args.wrongType(2, "a dtype, or a tuple of dtypes");
      out.push_back(*item.asDtype());
    }
    if (out.empty())
      return args.wrongValue(2, "a tuple of dtypes has one or more; leave `dtype` out if there is no result");
  }
  for (Dtype &dtype : out) {
    dtype = LANESCOPE_TRY(kernelDtype(dtype, args[2].span));
    LANESCOPE_CHECK(checkRegister(dtype, args[2].span));
  }
  return out;
}

Result<Value> inlinePtx(GpuTracer &tracer, Context &context, const BoundArguments &args) {
  std::vector<Dtype> dtypes = LANESCOPE_TRY(resultDtypes(args));
  std::string ptx = LANESCOPE_TRY(checkedText(args, dtypes.size(), args.rest().size()));
  std::vector<Term> terms;
  for (const Arg &argument : args.rest())
    terms.push_back(LANESCOPE_TRY(termOf(tracer, argument, "inline_ptx")));
  layouts::Shape shape = LANESCOPE_TRY(commonShape(context, terms, "inline_ptx"));
  core::GpuBuilder &builder = tracer.at(context.span);
  std::vector<IrValue> values;
  for (const Term &term : terms) {
    Dtype own = commonDtype({term});
    LANESCOPE_CHECK(checkRegister(own, term.span));
    values.push_back(LANESCOPE_TRY(shaped(tracer, term, own, shape)));
  }
  std::vector<Value> results;
  for (const IrValue &result : builder.inlinePtx(ptx, values, dtypes))
    results.push_back(TracedValue::make(tracer, result, context.span));
  bool isTuple = args.has(2) && args[2].value.asListOrTuple();
  return isTuple ? Value::tuple(std::move(results)) : results.empty() ? Value() : std::move(results.front());
}

constexpr GpuPrimitive kInlinePtxPrimitives[] = {
    {"inline_ptx", "inline_ptx(ptx, *values, dtype=None)",
     "PTX as it stands, for each element of the values: `inline_ptx(\"lg2.approx.ftz.f32 $0, $1;\", x, "
     "dtype=f32)`.\n\n"
     "With `dtype`, that of the result, `$0` is the result and the values count from `$1`; without it nothing comes "
     "back, and they count from `$0`. A tuple of dtypes gives a tuple of results, `$0`, `$1`, …: `low, high = "
     "inline_ptx(\"mov.b32 {$0, $1}, $2;\", x, dtype=(i16, i16))`. `$$` is a dollar sign. Arrays are of one shape, and "
     "each thread runs the text "
     "for "
     "every element that it holds (where threads hold copies, each of them); with scalars alone each thread runs it "
     "once. It is never left out or moved.",
     inlinePtx},
};

} // namespace

std::span<const GpuPrimitive> inlinePtxPrimitives() { return kInlinePtxPrimitives; }

} // namespace lanescope::repl
