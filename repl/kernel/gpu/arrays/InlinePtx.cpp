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

/// The PTX text with its last statement terminated. Checks that each `$n` in it names an operand. Errors are at
/// argument 0.
Result<std::string> checkedText(const BoundArguments &args, size_t operands, bool hasResult) {
  std::string ptx = LANESCOPE_TRY(args.text(0));
  bool writesResult = false;
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
    if (number >= operands)
      return args.wrongValue(0, text("there is no operand `$", number, "`: ",
                                     hasResult ? "`$0` is the result and the values count from `$1`"
                                               : "the values count from `$0`, as there is no result (`dtype=`)"));
    writesResult |= number == 0;
  }
  if (hasResult && !writesResult)
    return args.wrongValue(0, "the result, `$0`, is not written");
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
  return error("dtype", span,
               text("PTX has no registers for ", layouts::name(dtype), "; convert with `astype` to 16 bits or more"));
}

Result<Value> inlinePtx(GpuTracer &tracer, Context &context, const BoundArguments &args) {
  std::optional<Dtype> dtype;
  if (args.has(2) && !args[2].value.isNone()) {
    dtype = LANESCOPE_TRY(kernelDtype(LANESCOPE_TRY(args.dtype(2)), args[2].span));
    LANESCOPE_CHECK(checkRegister(*dtype, args[2].span));
  }
  std::string ptx = LANESCOPE_TRY(checkedText(args, args.rest().size() + (dtype ? 1 : 0), dtype.has_value()));
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
  std::optional<IrValue> result = builder.inlinePtx(ptx, values, dtype);
  return result ? TracedValue::make(tracer, *result, context.span) : Value();
}

constexpr GpuPrimitive kInlinePtxPrimitives[] = {
    {"inline_ptx", "inline_ptx(ptx, *values, dtype=None)",
     "PTX as it stands, for each element of the values: `inline_ptx(\"lg2.approx.ftz.f32 $0, $1;\", x, "
     "dtype=f32)`.\n\n"
     "With `dtype`, that of the result, `$0` is the result and the values count from `$1`; without it nothing comes "
     "back, and they count from `$0`. `$$` is a dollar sign. Arrays are of one shape, and each thread runs the text "
     "for "
     "every element that it holds (where threads hold copies, each of them); with scalars alone each thread runs it "
     "once. It is never left out or moved.",
     inlinePtx},
};

} // namespace

std::span<const GpuPrimitive> inlinePtxPrimitives() { return kInlinePtxPrimitives; }

} // namespace lanescope::repl
