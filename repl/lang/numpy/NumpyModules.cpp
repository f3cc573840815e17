// The tables of numpy and jax.numpy.
#include "repl/lang/evaluate/Evaluator.h"
#include "repl/lang/modules/Libraries.h"
#include "repl/lang/numpy/Numpy.h"

namespace lanescope::repl {

std::vector<Spellings> arraySpellings() {
  return {
      {.names = "exp exp2 log log2 sin cos tanh sqrt", .ofFloats = true},
      {.names = "abs absolute=abs fabs=abs maximum minimum max=_max amax=_max min=_min amin=_min sum=_sum "
                "mean=_mean any=_any all=_all "
                "transpose permute_dims=transpose reshape=_reshape broadcast_to select=_select_list full=_full"},
      {.names = "float16=f16 half=f16 float32=f32 single=f32 float64=f64 double=f64 int8=i8 int16=i16 int32=i32 "
                "int64=i64 intp=i64 uint8=u8 uint16=u16 uint32=u32 uint64=u64 bool_=i1 bool=i1"},
  };
}

/// A builtin under a name that a function of the library does not hide: `_builtin_floor` is `floor`.
static Builtin native(std::string name) {
  return {"_builtin_" + name, "_builtin_" + name + "(*arguments, **named)", "",
          [name](Context &context, const BoundArguments &args) -> Result<Value> {
            const Value *target = context.evaluator.builtin(name);
            if (!target)
              return context.fail("unsupported", "`" + name + "` is for kernels");
            return context.evaluator.call(*target, {args.rest(), args.keywords()}, args.call);
          }};
}

/// `_print_options()` tells how arrays are printed; what is given, and not None, is changed.
static Result<Value> changePrinting(Context &, const BoundArguments &args) {
  PrintOptions &options = printOptions();
  for (const KeywordArg &given : args.keywords()) {
    if (given.value.isNone())
      continue;
    auto n = given.value.plain().integer();
    if (given.name == "suppress")
      options.suppress = n.value_or(0) != 0;
    if (!n || *n < 0 || given.name == "suppress") {
      auto x = given.value.plain().number(); // `threshold=np.inf`, `sys.maxsize`
      if (given.name == "threshold" && x && *x > 0)
        options.threshold = INT64_MAX;
      continue;
    }
    constexpr int64_t kMost = 100;
    if (given.name == "precision")
      options.precision = static_cast<int>(std::min(*n, kMost));
    if (given.name == "threshold")
      options.threshold = *n;
    if (given.name == "edgeitems")
      options.edgeItems = std::max<int64_t>(*n, 1);
    if (given.name == "linewidth")
      options.lineWidth = std::max<int64_t>(*n, 1);
  }
  return Value::dict({{"precision", Value(options.precision)},
                      {"suppress", Value(options.suppress)},
                      {"threshold", Value(options.threshold)},
                      {"edgeitems", Value(options.edgeItems)},
                      {"linewidth", Value(options.lineWidth)}});
}

static Builtins natives(ArrayRules rules) {
  Builtins out = creationNatives(rules);
  out.push_back({"_print_options", "_print_options(**options)", "", changePrinting});
  for (const char *name : {"floor", "ceil", "sign", "atan2", "copysign", "fmod", "logistic", "prod", "max", "min"})
    out.push_back(native(name));
  for (Builtins part : {elementwiseNatives(rules), movingNatives(rules), einsumNatives(rules)})
    out.insert(out.end(), std::make_move_iterator(part.begin()), std::make_move_iterator(part.end()));
  return out;
}

std::vector<ModuleSpec> numpyModules() {
  std::vector<Spellings> numpy = arraySpellings(), jax = arraySpellings();
  jax.push_back({.names = "bfloat16=bf16 int4=i4 uint4=u4 float8_e4m3fn=f8e4m3fn float8_e5m2=f8e5m2 "
                          "float8_e8m0fnu=f8e8m0fnu float4_e2m1fn=f4e2m1fn"});
  return {
      {.path = "numpy",
       .doc = "NumPy's functions, with NumPy's dtypes.",
       .rules = ArrayRules::Numpy,
       .spellings = std::move(numpy),
       .natives = natives(ArrayRules::Numpy),
       .text = libraryText("numpy"),
       .more = libraryText("numpy.more")},
      {.path = "numpy.testing",
       .doc = "Comparisons that stop a program, with what differs.",
       .natives = testingNatives(),
       .text = libraryText("numpy.testing")},
      {.path = "numpy.lib", .doc = "NumPy's views: `stride_tricks`."},
      {.path = "numpy.lib.stride_tricks",
       .doc = "Windows of arrays.",
       .rules = ArrayRules::Numpy,
       .text = libraryText("numpy.lib.stride_tricks")},
      {.path = "numpy.linalg", .doc = "Norms.", .rules = ArrayRules::Numpy, .text = libraryText("numpy.linalg")},
      {.path = "numpy.random",
       .doc = "NumPy's random numbers: `default_rng(seed)` gives the numbers that NumPy's gives, and so do `seed`, "
              "`rand`, `randn`, ….",
       .natives = numpyRandomNatives(),
       .text = libraryText("numpy.random")},
      {.path = "jax.numpy",
       .doc = "JAX's functions of arrays, on the host and in kernels, with JAX's dtypes (64 bits become 32).",
       .rules = ArrayRules::Jax,
       .spellings = std::move(jax),
       .natives = natives(ArrayRules::Jax),
       .text = libraryText("numpy"),
       .more = libraryText("numpy.more")},
      {.path = "jax.numpy.linalg", .doc = "Norms.", .rules = ArrayRules::Jax, .text = libraryText("numpy.linalg")},
      {.path = "jax.random",
       .doc = "JAX's random numbers: threefry keys give the numbers that JAX's give.",
       .rules = ArrayRules::Jax,
       .natives = jaxRandomNatives(),
       .text = libraryText("jax.random"),
       .more = libraryText("jax.random.more")},
  };
}

} // namespace lanescope::repl
