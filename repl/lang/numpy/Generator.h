// numpy.random.Generator as a value: the stream and its methods, by file.
#pragma once

#include "repl/lang/random/NumpyStream.h"
#include "repl/lang/values/ArrayOps.h"
#include "repl/lang/values/Builtin.h"

namespace lanescope::repl {

class Generator final : public Object {
public:
  explicit Generator(const std::vector<uint32_t> &seed) : stream(seed) {}
  NumpyStream stream;
  std::string typeName() const override { return "Generator"; }
  std::string repr() const override { return "Generator(PCG64)"; }
  Result<Value> attribute(Context &context, const std::string &name) override;
  std::vector<std::string> members() const override;
};

/// The stream of a method's receiver.
inline NumpyStream &streamOf(const BoundArguments &args) { return args.self->as<Generator>()->stream; }

/// exponential, binomial, gamma, multinomial, …: what a distribution with parameters draws.
Builtins distributionMethods();

} // namespace lanescope::repl
