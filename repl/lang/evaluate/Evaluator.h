// Runs snippets: one evaluator for both stages.
//
//   Evaluator evaluator(hostBuiltins(), {.print = [](std::string_view text) { std::cout << text; }});
//   evaluator.run(Source::make("<1>", "x = [1, 2]\nx[0] + 1"), showValue)   // calls showValue with 2
//
// Host stage: statements act at once on host values. Kernel stage: a StagingScope is active while a kernel function is
// called with traced Objects. Operations on these go to the Objects, and control flow on them goes to the Staging. If
// an entry fails, the session's names, lists, dicts and arrays become what they were before it.
#pragma once

#include "repl/lang/evaluate/Staging.h"
#include "repl/lang/values/Builtin.h"

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <unordered_map>
#include <vector>

namespace lanescope::repl {

struct Limits {
  int callDepth = 400;          // nested calls of snippet functions
  int64_t stackBytes = 3 << 20; // bytes of the thread's stack, counted from the entry's start
  uint64_t steps = 0;           // statements and loop iterations of one entry; 0: no limit
  int64_t containerItems = 20'000'000;
  int64_t stringBytes = 256 << 20;
  int64_t arrayBytes = int64_t{1} << 30;
  int64_t sessionBytes = 0; // resident memory at which evaluation stops; 0: half of the machine's memory
};

struct EvaluatorOptions {
  std::function<void(std::string_view)> print; // receives the output of print(); null drops it
  /// Receives remarks that are not output; null prints them.
  std::function<void(const Diagnostics &)> remark = nullptr;
  Limits limits = {};
  /// If false, assertions about host values are skipped, for runs whose kernels return zeros because only their code
  /// matters.
  bool checkAssertions = true;
};

class Evaluator {
public:
  explicit Evaluator(Builtins builtins, EvaluatorOptions options = {});
  ~Evaluator();
  Evaluator(const Evaluator &) = delete;
  Evaluator &operator=(const Evaluator &) = delete;

  using Show = std::function<Result<void>(const Value &value, const Span &span)>;
  /// Runs all statements of an entry or a file. `show` (may be null) receives the value of each top-level expression
  /// statement that is not None. All syntax errors are returned at once. A run-time error is one diagnostic with notes
  /// for the calls that led to it.
  Result<void> run(const SourceRef &source, const Show &show = nullptr);
  Result<void> run(const ModuleRef &module, const Show &show = nullptr);
  /// Runs the statements of a library in a scope, which then holds the library's names.
  Result<void> runIn(const ModuleRef &module, const std::shared_ptr<Scope> &scope);
  /// The value of a text that consists of one expression (`lanescope eval`).
  Result<Value> evaluate(const SourceRef &source);

  // --- the session's names
  const std::map<std::string, Value, std::less<>> &globals() const { return globals_; }
  /// The value of a session name, else of a builtin; null if neither exists.
  const Value *lookup(std::string_view name) const;
  /// The builtin of that name, which the session may have rebound; null if there is none.
  const Value *builtin(std::string_view name) const;
  void set(std::string name, Value value);
  const Builtins &builtins() const { return builtins_; }
  const Builtin *findBuiltin(std::string_view name) const;

  // --- for Objects, Staging and builtins
  /// Calls any callable. The notes of an error name the snippet functions that led to it.
  Result<Value> call(const Value &callee, const Arguments &arguments, const Span &span);
  /// Calls a function that the device runs in a loop or a branch: a StagedPart.
  Result<Value> callStaged(const Value &callee, const Arguments &arguments, const Span &span);
  /// Evaluates an expression in a function's definition, such as an annotation, in the scope that the function closes
  /// over. `unknown` (may be null) may give a value to a name that has none.
  using UnknownName = std::function<std::optional<Value>(const std::string &name)>;
  Result<Value> evaluate(const Expr &expression, const Function &function, const UnknownName &unknown = nullptr);
  Result<bool> truth(const Value &value, const Span &span);
  /// The items of a list, tuple, dict (its keys), str, static range, array (along the first dimension) or Object.
  Result<std::vector<Value>> iterate(const Value &value, const Span &span);
  Result<Value> binary(BinaryOp op, const Arg &left, const Arg &right, const Span &span);
  Result<Value> unary(UnaryOp op, const Arg &operand, const Span &span);
  Result<Value> compare(CompareOp op, const Arg &left, const Arg &right, const Span &span);
  Result<Value> attribute(const Value &object, const std::string &name, const Span &span);
  Result<Value> getItem(const Arg &object, const Arg &index, const Span &span);
  void print(std::string_view text) const;
  /// Reports a remark that is not output, for example where results come from, or that a name has no effect here.
  void remark(Diagnostic note) const;

  /// To be called before a list, dict or array is changed. Records the content for undoing a failing entry. Error: a
  /// staged loop or branch would change a value from outside.
  Result<void> willChange(const Value &container, const Span &span);
  /// To be called before a function rebinds a variable that is not its own. Error: a staged loop or branch does not
  /// carry it.
  Result<void> willRebind(const Variable &variable, const Span &span) const;
  /// Counts entries and staged parts.
  uint64_t epoch() const { return epoch_; }
  /// Marks a new list, dict or array as made by the running entry, so that changes to it need no undo record.
  Value fresh(Value value) const;
  /// To be called before a value of that size is made. Error: it would exceed a limit.
  Result<void> reserveItems(int64_t count, const Span &span);
  Result<void> reserveString(int64_t bytes, const Span &span);
  Result<void> reserveArray(layouts::Dtype dtype, const layouts::Shape &shape, const Span &span);

  /// The evaluator whose entry this thread runs, or null between entries. Values use it to make their text without a
  /// Context.
  static Evaluator *running();

  /// Asks a running evaluation to stop with an `interrupted` error; safe in a signal handler and from other threads.
  void interrupt() { interrupted_.store(true, std::memory_order_relaxed); }
  /// The flag that interrupt() sets, for long work inside builtins (compile, emulate). run() clears it when it starts.
  const std::atomic<bool> &interruptFlag() const { return interrupted_; }
  /// Error if the run is interrupted, or out of steps or memory. Long loops have to call it.
  Result<void> poll(const Span &span);

  /// The active staging; null in the host stage.
  Staging *staging() const { return staging_; }
  const Limits &limits() const { return limits_; }
  /// A snippet function that is being called, and the place of the call. The innermost call is the last frame.
  struct Frame {
    std::string function;
    Span call;
  };
  const std::vector<Frame> &frames() const { return frames_; }

  /// Adds a source of the language's own functions (prelude.py, a module's). Errors in the source, and the code that a
  /// trace emits for it, get the place of the snippet's call. Names that the source does not define are builtins.
  void addLibrary(SourceRef source) { libraries_.insert(std::move(source)); }
  /// The scope of the module at `path` in this evaluator; null until the module's code fills it.
  std::shared_ptr<Scope> &libraryScope(const std::string &path) { return libraryScopes_[path]; }
  bool isLibrary(const SourceRef &source) const { return source && libraries_.contains(source); }
  /// `span`, or the place of the snippet's call if `span` belongs to a library.
  Span snippetPlace(const Span &span) const;

private:
  friend class StagingScope;
  friend class StagedPart;
  friend class Interpreter;
  Result<void> checkMemory(int64_t bytes, const Span &span, bool ofArray = false);
  Result<void> checkStack(const Span &span);
  Result<Value> callFunction(const std::shared_ptr<const Function> &function, const Arguments &arguments,
                             const Span &span);
  Result<Value> convert(const Value &type, const Arguments &arguments, const Span &span);
  void moveOutOfLibrary(Diagnostics &diagnostics, const Span &call) const;
  Result<Value> callBuiltin(const BuiltinValue &builtin, const Value &callee, const Arguments &arguments,
                            const Span &span);
  Result<void> guarded(const std::function<Result<void>()> &entry);
  void capture(const std::shared_ptr<Scope> &scope);
  int64_t memoryLimit();

  Builtins builtins_;
  mutable std::unordered_map<std::string, Value> builtinValues_; // created on first use
  std::unordered_map<std::string_view, size_t> builtinIndex_;    // indices into builtins_ by name
  /// The names of the call or session that a variable belongs to.
  std::map<std::string, Value, std::less<>> &namesOf(const Variable &variable) {
    return variable.scope ? variable.scope->names : globals_;
  }

  std::map<std::string, Value, std::less<>> globals_;
  std::function<void(std::string_view)> print_;
  std::function<void(const Diagnostics &)> remark_;
  Limits limits_;
  bool checkAssertions_ = true;
  std::atomic<bool> interrupted_{false};
  Staging *staging_ = nullptr;
  std::vector<Frame> frames_;
  std::set<SourceRef> libraries_;
  std::map<std::string, std::shared_ptr<Scope>> libraryScopes_;
  std::vector<std::weak_ptr<Scope>>
      captured_; // scopes that functions close over. They may form cycles, so they are cleared at the end.
  size_t capturedLimit_ = 64;
  std::unique_ptr<class Journal> journal_;
  uint64_t epoch_ = 1;
  uint64_t entryEpoch_ = 0;  // epoch of the running entry; changes to older values need an undo record
  uint64_t stagedFloor_ = 0; // values older than this epoch may not be changed (0: no staged body is being evaluated)
  const std::vector<Variable> *carried_ = nullptr; // the older variables that the staged body may rebind all the same
  uint64_t steps_ = 0;
  int64_t unchecked_ = 0;           // bytes reserved since the last check of the process's memory
  const char *stackBase_ = nullptr; // the outermost entry's stack position; null between entries
};

/// Marks a part of the program that the device may run, or run often, while the object lives: a loop's body, a branch,
/// the right side of `and`. Only `carried` outlives it; changes of other variables and of containers from outside are
/// errors.
class StagedPart {
public:
  StagedPart(Evaluator &evaluator, const std::vector<Variable> &carried);
  ~StagedPart();
  StagedPart(const StagedPart &) = delete;
  StagedPart &operator=(const StagedPart &) = delete;

private:
  Evaluator &evaluator_;
  uint64_t previousFloor_;
  const std::vector<Variable> *previous_;
};

/// Activates a Staging while the object lives. Null: back to the host stage, for a host call inside a trace.
class StagingScope {
public:
  StagingScope(Evaluator &evaluator, Staging *staging);
  ~StagingScope();
  StagingScope(const StagingScope &) = delete;
  StagingScope &operator=(const StagingScope &) = delete;

private:
  Evaluator &evaluator_;
  Staging *previous_;
  uint64_t previousFloor_;
  const std::vector<Variable> *previousCarried_;
};

} // namespace lanescope::repl
