#include "repl/kernel/launch/Decorator.h"

#include "layouts/support/Text.h"
#include "layouts/support/Try.h"

#include <algorithm>
#include <cctype>

namespace lanescope::repl {

namespace {

class Decorator final : public Object {
public:
  Decorator(std::string_view name, MakeKernel make) : name_(name), make_(std::move(make)) {}
  std::string typeName() const override { return "kernel decorator"; }
  bool callable() const override { return true; }
  Result<Value> call(Context &context, const Arguments &arguments) override {
    if (arguments.positional.size() != 1 || !arguments.keyword.empty() || !arguments.positional[0].value.asFunction())
      return context.fail("kernel", Message("`@{}(…)` goes above a `def`", name_));
    return make_(context, arguments.positional[0].value.functionRef());
  }

private:
  std::string name_;
  MakeKernel make_;
};

} // namespace

Result<Value> decorated(Context &context, const BoundArguments &args, size_t function, std::string_view name,
                        MakeKernel make) {
  auto decorator = std::make_shared<Decorator>(name, std::move(make));
  if (!args.has(function) || args[function].value.isNone())
    return Value(std::move(decorator));
  Arguments given;
  given.positional.push_back(args[function]);
  return decorator->call(context, given);
}

Result<std::vector<std::string>> stringsOf(const BoundArguments &args, size_t index) {
  std::vector<std::string> out;
  if (!args.has(index) || args[index].value.isNone())
    return out;
  std::vector<Value> items = args[index].value.asTuple()  ? *args[index].value.asTuple()
                             : args[index].value.asList() ? args[index].value.asList()->items
                                                          : std::vector{args[index].value};
  for (const Value &item : items) {
    if (!item.asStr())
      return args.wrongType(index, "a tuple of names");
    out.push_back(*item.asStr());
  }
  return out;
}

Result<std::vector<std::string>> axisNames(const BoundArguments &args, size_t index) {
  std::vector<std::string> out = LANESCOPE_TRY(stringsOf(args, index));
  for (auto name = out.begin(); name != out.end(); ++name)
    if (std::find(out.begin(), name, *name) != name)
      return args.wrongValue(index, Message("the axis `{axis}` is named twice", *name));
  return out;
}

Result<std::string> kernelName(const BoundArguments &args, size_t index) {
  if (!args.has(index) || args[index].value.isNone())
    return std::string();
  std::string name = LANESCOPE_TRY(args.text(index));
  bool good = !name.empty() && !std::isdigit(static_cast<unsigned char>(name[0])) &&
              std::ranges::all_of(name, [](unsigned char c) { return c == '_' || (c < 128 && std::isalnum(c)); });
  if (!good)
    return args.wrongValue(index, "a kernel's name is made of letters, digits and `_`");
  return name;
}

} // namespace lanescope::repl
