#include "repl/debug/NamedTarget.h"

#include "repl/debug/StopCommands.h"

namespace lanescope::repl {

namespace {

class WrittenStops final : public viz::DebugStops {
public:
  WrittenStops(core::Debugger &debugger, std::shared_ptr<const NamedTarget> named)
      : named_(std::move(named)), stops_(debugger, named_->target, named_->values) {}
  Result<std::string> obey(std::string_view words) override { return stops_.obey(words); }
  Diagnostics takeProblems() override { return stops_.takeProblems(); }

private:
  std::shared_ptr<const NamedTarget> named_;
  Stops stops_;
};

} // namespace

std::unique_ptr<viz::DebugStops> makeStops(core::Debugger &debugger, std::shared_ptr<const NamedTarget> named) {
  return std::make_unique<WrittenStops>(debugger, std::move(named));
}

} // namespace lanescope::repl
