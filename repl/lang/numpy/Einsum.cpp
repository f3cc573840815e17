// einsum("bmk,bnk->bmn", a, b): products of elements, summed over the letters that the result lacks.
#include "repl/lang/numpy/Numpy.h"

#include "layouts/support/Text.h"
#include "layouts/support/Try.h"
#include "repl/lang/evaluate/Evaluator.h"

#include <algorithm>
#include <map>
#include <set>

namespace lanescope::repl {
namespace {

using C = Context;
using A = BoundArguments;
using R = Result<Value>;

struct Subscripts {
  std::vector<std::string> operands;
  std::string result;
};

/// The letters of each operand; `...` becomes capital letters that no operand uses, as many as it stands for.
Result<Subscripts> subscriptsOf(std::string formula, const std::vector<Array> &operands) {
  std::erase(formula, ' ');
  size_t arrow = formula.find("->");
  std::string inputs = formula.substr(0, arrow);
  Subscripts out;
  std::string word;
  for (char c : inputs + ",") {
    if (c != ',')
      word += c;
    else
      out.operands.push_back(std::exchange(word, {}));
  }
  if (out.operands.size() != operands.size())
    return error("value",
                 text("the formula names ", out.operands.size(), " operands, and ", operands.size(), " are given"));
  size_t widest = 0;
  auto dots = [](const std::string &letters) { return letters.find("..."); };
  for (size_t i = 0; i < operands.size(); ++i)
    if (dots(out.operands[i]) != std::string::npos && operands[i].shape.size() + 3 >= out.operands[i].size())
      widest = std::max(widest, operands[i].shape.size() + 3 - out.operands[i].size());
  auto spread = [&](std::string &letters, size_t count) {
    size_t at = dots(letters);
    if (at == std::string::npos)
      return;
    std::string names;
    for (size_t i = 0; i < count; ++i)
      names += static_cast<char>('0' + static_cast<char>(widest - count + i));
    letters.replace(at, 3, names);
  };
  for (size_t i = 0; i < operands.size(); ++i) {
    std::string &letters = out.operands[i];
    const size_t rank = operands[i].shape.size();
    if (dots(letters) != std::string::npos && letters.size() <= rank + 3)
      spread(letters, rank + 3 - letters.size());
    if (dots(letters) != std::string::npos)
      return error("shape-mismatch", text("`", letters, "` names at least ", letters.size() - 3,
                                          " dimensions of an array of shape ", layouts::tupleText(operands[i].shape)));
    if (letters.size() != rank)
      return error("shape-mismatch", text("`", letters, "` names ", letters.size(), " dimensions of an array of shape ",
                                          layouts::tupleText(operands[i].shape)));
  }
  if (arrow != std::string::npos) {
    out.result = formula.substr(arrow + 2);
    spread(out.result, widest);
  } else { // the letters that stand once, in order, behind those of `...`
    std::map<char, int> counts;
    for (const std::string &letters : out.operands)
      for (char c : letters)
        ++counts[c];
    for (auto [letter, count] : counts)
      if (count == 1 || letter <= '9')
        out.result += letter;
  }
  for (char c : inputs)
    if (!std::isalpha(static_cast<unsigned char>(c)) && c != '.' && c != ',')
      return error("value", text("`", std::string_view(&c, 1), "` is no letter of a formula"));
  return out;
}

R einsum(C &context, const A &args, ArrayRules rules) {
  const std::vector<Arg> &given = args.rest();
  if (given.empty() || !given[0].value.asStr())
    return error("arguments", args.call, "`einsum` takes a formula first, such as \"ij,jk->ik\"");
  std::vector<Array> operands;
  std::optional<Dtype> dtype;
  for (size_t i = 1; i < given.size(); ++i) {
    const Value &value = given[i].value;
    Array array = value.asArray() ? *underRules(value, rules).asArray() : LANESCOPE_TRY(arrayOf(value, Dtype::F32));
    dtype = dtype ? LANESCOPE_TRY(promote(*dtype, array.dtype, rules)) : array.dtype;
    operands.push_back(std::move(array));
  }
  if (operands.empty())
    return error("arguments", args.call, "`einsum` takes an array for each part of its formula");
  auto parsed = subscriptsOf(*given[0].value.asStr(), operands);
  if (!parsed)
    return at(given[0].span, std::move(parsed.error()));
  if (args.has(1) && !args[1].value.isNone())
    dtype = *LANESCOPE_TRY(dtypeArgument(args, 1, rules));
  std::map<char, int64_t> sizes;
  for (size_t k = 0; k < operands.size(); ++k)
    for (size_t d = 0; d < operands[k].shape.size(); ++d) {
      int64_t &size = sizes.emplace(parsed->operands[k][d], 1).first->second;
      int64_t mine = operands[k].shape[d];
      if (size != 1 && mine != 1 && size != mine)
        return error("shape-mismatch", given[k + 1].span,
                     text("`", std::string(1, parsed->operands[k][d]), "` is ", size, " in one operand and ", mine,
                          " in another"));
      size = std::max(size, mine);
    }
  Shape shape;
  std::string letters = parsed->result;
  for (char c : letters) {
    if (!sizes.contains(c))
      return error("value", given[0].span, text("`", std::string(1, c), "` of the result is in no operand"));
    shape.push_back(sizes[c]);
  }
  for (auto [letter, size] : sizes)
    if (letters.find(letter) == std::string::npos)
      letters += letter; // summed: the inner loops
  LANESCOPE_CHECK(context.evaluator.reserveArray(*dtype, shape, context.span));
  Array out = Array::zeros(*dtype, shape);
  std::vector<std::vector<int64_t>> strides(operands.size(), std::vector<int64_t>(letters.size(), 0));
  for (size_t k = 0; k < operands.size(); ++k) {
    Shape own = layouts::contiguousStrides(operands[k].shape);
    for (size_t d = 0; d < own.size(); ++d)
      if (operands[k].shape[d] != 1)
        strides[k][letters.find(parsed->operands[k][d])] += own[d];
  }
  bool floats = layouts::isFloat(*dtype);
  // Read once: an element's type is looked up at each access.
  std::vector<std::vector<double>> numbers(operands.size());
  std::vector<std::vector<int64_t>> integers(operands.size());
  for (size_t k = 0; k < operands.size(); ++k)
    for (int64_t i = 0; i < operands[k].size(); ++i)
      floats ? numbers[k].push_back(operands[k].number(i)) : integers[k].push_back(operands[k].integer(i));
  int64_t inner = 1;
  for (size_t d = shape.size(); d < letters.size(); ++d)
    inner *= sizes[letters[d]];
  std::vector<int64_t> index(letters.size(), 0), offsets(operands.size(), 0);
  for (int64_t i = 0; i < out.size(); ++i) {
    if (i % 256 == 0)
      LANESCOPE_CHECK(context.evaluator.poll(context.span));
    double number = 0;
    uint64_t integer = 0;
    for (int64_t j = 0; j < inner; ++j) {
      double term = 1;
      uint64_t whole = 1;
      for (size_t k = 0; k < operands.size(); ++k) {
        if (floats)
          term *= numbers[k][static_cast<size_t>(offsets[k])];
        else
          whole *= static_cast<uint64_t>(integers[k][static_cast<size_t>(offsets[k])]);
      }
      number += term;
      integer += whole;
      for (size_t d = letters.size(); d-- > 0;) {
        for (size_t k = 0; k < operands.size(); ++k)
          offsets[k] += strides[k][d];
        if (++index[d] < sizes[letters[d]])
          break;
        for (size_t k = 0; k < operands.size(); ++k)
          offsets[k] -= strides[k][d] * sizes[letters[d]];
        index[d] = 0;
      }
    }
    if (floats)
      out.setNumber(i, number);
    else
      out.setInteger(i, static_cast<int64_t>(integer));
  }
  return Value(std::move(out), rules);
}

} // namespace

Builtins einsumNatives(ArrayRules rules) {
  return {{"einsum", "einsum(*formula_and_arrays, preferred_element_type=None, precision=None, optimize=None)",
           "Products of elements, summed over the letters that the result lacks: einsum(\"ij,jk->ik\", a, b).",
           [rules](C &context, const A &args) { return einsum(context, args, rules); }}};
}

} // namespace lanescope::repl
