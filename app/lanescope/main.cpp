#include "app/lanescope/Common.h"
#include "core/data/FreedMemory.h"

#include <iostream>

namespace lanescope::app {
namespace {

struct Dispatch {
  int operator()(const ReplArguments &arguments) const { return runRepl(arguments); }
  int operator()(const GuiArguments &arguments) const { return runGui(arguments); }
  int operator()(const RunArguments &arguments) const { return runRun(arguments); }
  int operator()(const EvalArguments &arguments) const { return runEval(arguments); }
  int operator()(const ShowArguments &arguments) const { return runShow(arguments); }
  int operator()(const CompileArguments &arguments) const { return runCompile(arguments); }
  int operator()(const OpenArguments &arguments) const { return runOpen(arguments); }
  int operator()(const EmulateArguments &arguments) const { return runEmulate(arguments); }
  int operator()(const CheckArguments &arguments) const { return runCheck(arguments); }
  int operator()(const DebugArguments &arguments) const { return runDebug(arguments); }
  int operator()(const LspArguments &arguments) const { return runLsp(arguments); }
  int operator()(const TraceArguments &arguments) const { return runTrace(arguments); }
  int operator()(const DoctorArguments &arguments) const { return runDoctor(arguments); }
};

} // namespace
} // namespace lanescope::app

int main(int argc, char **argv) {
  lanescope::core::keepFreedMemory();
  auto arguments = lanescope::app::parseArguments(argc, argv);
  if (!arguments) {
    (arguments.error().status == 0 ? std::cout : std::cerr) << arguments.error().text;
    return arguments.error().status;
  }
  return std::visit(lanescope::app::Dispatch{}, *arguments);
}
