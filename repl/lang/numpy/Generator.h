// numpy.random.Generator and RandomState as values: a stream and its methods, by file.
#pragma once

#include "repl/lang/random/LegacyStream.h"
#include "repl/lang/random/NumpyStream.h"
#include "repl/lang/values/ArrayOps.h"
#include "repl/lang/values/Builtin.h"

namespace lanescope::repl {

class RandomSource : public Object {
public:
  virtual RandomStream &draws() = 0;
  virtual const Builtins &methods() const = 0;
  Result<Value> attribute(Context &context, const std::string &name) override;
  std::vector<std::string> members() const override;
};

class NumpyGenerator final : public RandomSource {
public:
  explicit NumpyGenerator(const std::vector<uint32_t> &seed) : stream(seed) {}
  NumpyStream stream;
  RandomStream &draws() override { return stream; }
  const Builtins &methods() const override;
  std::string typeName() const override { return "Generator"; }
  std::string repr() const override { return "Generator(PCG64)"; }
};

class RandomState final : public RandomSource {
public:
  explicit RandomState(LegacyStream stream) : stream(std::move(stream)) {}
  LegacyStream stream;
  RandomStream &draws() override { return stream; }
  const Builtins &methods() const override;
  std::string typeName() const override { return "RandomState"; }
  std::string repr() const override { return "RandomState(MT19937)"; }
};

/// The stream of a method's receiver; of a Generator's.
inline RandomStream &drawsOf(const BoundArguments &args) { return args.self->as<RandomSource>()->draws(); }
inline NumpyStream &streamOf(const BoundArguments &args) { return args.self->as<NumpyGenerator>()->stream; }

/// exponential, binomial, gamma, multinomial, …: what a distribution with parameters draws.
Builtins distributionMethods();

} // namespace lanescope::repl
