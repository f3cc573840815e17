// iter and next, and Python's functions that return iterators: zip, map, filter, enumerate, reversed.
#include "layouts/support/Try.h"
#include "repl/lang/builtins/Builtins.h"
#include "repl/lang/evaluate/Iterators.h"
#include "repl/lang/evaluate/Sorting.h"

#include <algorithm>

namespace lanescope::repl {
namespace {

using C = Context;
using A = BoundArguments;
using R = Result<Value>;
using Item = Result<std::optional<Value>>;
using Sources = std::vector<std::shared_ptr<Iterator>>;

R made(Result<std::shared_ptr<Iterator>> iterator) { return Value(LANESCOPE_TRY(std::move(iterator))); }

Result<Sources> sourcesOf(C &context, const std::vector<Arg> &collections, size_t first) {
  Sources out;
  for (size_t i = first; i < collections.size(); ++i)
    out.push_back(LANESCOPE_TRY(Iterator::of(context, collections[i].value, collections[i].span)));
  return out;
}
int depthOf(const Sources &sources) {
  int out = 0;
  for (const auto &source : sources)
    out = std::max(out, source->depth());
  return out;
}

/// One item of each source; nothing if a source is exhausted. With `strict`, it is an error if only some sources are
/// exhausted.
Result<std::optional<std::vector<Value>>> row(C &context, const Sources &sources, bool strict) {
  std::vector<Value> out;
  for (const auto &source : sources) {
    auto item = LANESCOPE_TRY(source->next(context));
    if (item) {
      out.push_back(*std::move(item));
      continue;
    }
    if (strict && !out.empty())
      return context.fail("value",
                          Message("argument {position} of `zip` is shorter than those before it", out.size() + 1));
    for (size_t i = 1; strict && i < sources.size(); ++i)
      if (LANESCOPE_TRY(sources[i]->next(context)))
        return context.fail("value", Message("argument {position} of `zip` is longer than those before it", i + 1));
    return std::nullopt;
  }
  return out;
}

R zip(C &context, const A &args) {
  Sources sources = LANESCOPE_TRY(sourcesOf(context, args.rest(), 0));
  const bool strict = LANESCOPE_TRY(args.booleanOr(1, false));
  const int depth = depthOf(sources);
  return made(Iterator::make(
      context, "zip",
      [sources = std::move(sources), strict](C &here) -> Item {
        if (sources.empty())
          return std::nullopt;
        auto items = LANESCOPE_TRY(row(here, sources, strict));
        return items ? std::optional(Value::tuple(*std::move(items))) : std::nullopt;
      },
      depth));
}

R map(C &context, const A &args) {
  if (args.rest().size() < 2)
    return error("arguments", "`map` takes a function and a collection at least");
  Sources sources = LANESCOPE_TRY(sourcesOf(context, args.rest(), 1));
  const int depth = depthOf(sources);
  return made(Iterator::make(
      context, "map",
      [sources = std::move(sources), all = args.rest(), call = args.call](C &here) -> Item {
        auto items = LANESCOPE_TRY(row(here, sources, false));
        if (!items)
          return std::nullopt;
        Arguments each;
        for (size_t i = 0; i < items->size(); ++i)
          each.positional.push_back({(*items)[i], all[i + 1].span});
        return LANESCOPE_TRY(here.evaluator.call(all[0].value, each, call));
      },
      depth));
}

R filter(C &context, const A &args) {
  auto source = LANESCOPE_TRY(Iterator::of(context, args[1].value, args[1].span));
  const int depth = source->depth();
  return made(Iterator::make(
      context, "filter",
      [source, test = args[0], place = args[1].span](C &here) -> Item {
        while (auto item = LANESCOPE_TRY(source->next(here))) {
          Value holds = test.value.isNone() ? *item : LANESCOPE_TRY(apply(here, test, *item));
          if (LANESCOPE_TRY(here.evaluator.truth(holds, place)))
            return item;
        }
        return std::nullopt;
      },
      depth));
}

R enumerate(C &context, const A &args) {
  auto source = LANESCOPE_TRY(Iterator::of(context, args[0].value, args[0].span));
  const int64_t start = LANESCOPE_TRY(args.integerOr(1, 0));
  const int depth = source->depth();
  return made(Iterator::make(
      context, "enumerate",
      [source, start, count = int64_t{0}](C &here) mutable -> Item {
        auto item = LANESCOPE_TRY(source->next(here));
        int64_t number = 0;
        if (item && __builtin_add_overflow(start, count++, &number))
          return here.fail("value", "the numbers of `enumerate` do not fit in 64 bits");
        return item ? std::optional(Value::tuple({Value(number), *std::move(item)})) : std::nullopt;
      },
      depth));
}

R reversed(C &context, const A &args) {
  std::vector<Value> items = LANESCOPE_TRY(context.evaluator.iterate(args[0].value, args[0].span));
  return made(Iterator::make(context, "reversed", [items = std::move(items)](C &) mutable -> Item {
    if (items.empty())
      return std::nullopt;
    Value last = std::move(items.back());
    items.pop_back();
    return last;
  }));
}

R iter(C &context, const A &args) {
  if (!args.has(1))
    return made(Iterator::of(context, args[0].value, args[0].span));
  return made(
      Iterator::make(context, "iterator", [make = args[0].value, end = args[1], call = args.call](C &here) -> Item {
        Value item = LANESCOPE_TRY(here.evaluator.call(make, {}, call));
        if (item.identical(end.value))
          return std::nullopt;
        Value same = LANESCOPE_TRY(here.evaluator.compare(CompareOp::Equal, {item, call}, end, call));
        const bool ends = !same.asArray() && LANESCOPE_TRY(here.evaluator.truth(same, call));
        return ends ? std::nullopt : std::optional(std::move(item));
      }));
}

R next(C &context, const A &args) {
  auto iterator = args[0].value.ref<Iterator>();
  if (!iterator)
    return args.wrongValue(0, Message("a `{type}` is no iterator; `iter(…)` makes one of what can be looped over",
                                      args[0].value.typeName()));
  if (auto item = LANESCOPE_TRY(iterator->next(context)))
    return *std::move(item);
  if (args.has(1))
    return args[1].value;
  return error("no-item", args.call, "the iterator has no more items; `next(it, default)` gives something then");
}

} // namespace

Builtins iteratorBuiltins() {
  Builtins out = {
      {"iter", "iter(x, sentinel=None)",
       "An iterator over the items; with `sentinel`, over what calls of x give until it comes.", iter},
      {"next", "next(iterator, default=None)", "Its next item; at the end `default`, or an error.", next},
      {"zip", "zip(*collections, strict=False)",
       "Tuples, one at a time: the first items, the second items, … as long as all have one.", zip},
      {"enumerate", "enumerate(items, start=0)", "Pairs (number, item), one at a time.", enumerate},
      {"map", "map(*function_and_collections)",
       "The function's values, of the items of the collections, one at a time.", map},
      {"filter", "filter(function, items)", "The items for which the function is true, one at a time.", filter},
      {"reversed", "reversed(items)", "The items, last first, one at a time.", reversed},
  };
  for (Builtin &builtin : out)
    builtin.group = "Python";
  return out;
}

} // namespace lanescope::repl
