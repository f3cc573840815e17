// The reader of JSON that replaces simdjson in browsers. tests/web/traces.py compares the two on whole traces.
#include "core/profiler/JsonOnDemand.h"

#include <gtest/gtest.h>

namespace lanescope::core::plain {
namespace {

namespace od = ondemand;

/// All values of a text as words, in their order: keys with `:`, strings in quotes; `!` for what cannot be read.
std::string words(od::value value) {
  od::object object;
  od::array array;
  std::string_view string;
  if (value.get_object().get(object) == SUCCESS) {
    std::string out = "{";
    for (auto entry : object) {
      od::field field;
      if (std::move(entry).get(field))
        return out + "!";
      const char *key = field.key().raw();
      out += std::string(key, std::string_view(key).find('"')) + ":" + words(field.value()) + " ";
    }
    return out + "}";
  }
  if (value.get_array().get(array) == SUCCESS) {
    std::string out = "[";
    for (auto item : array) {
      od::value element;
      if (std::move(item).get(element))
        return out + "!";
      out += words(element) + " ";
    }
    return out + "]";
  }
  if (value.raw_json_token().starts_with('"'))
    return value.get_string().get(string) == SUCCESS ? "'" + std::string(string) + "'" : "!";
  return std::string(value.raw_json_token());
}

std::string read(std::string text) {
  od::parser parser;
  od::document document;
  od::array root;
  if (parser.iterate(text.data(), text.size(), text.size()).get(document) || document.get_array().get(root))
    return "!";
  std::string out;
  for (auto item : root) {
    od::value element;
    if (std::move(item).get(element))
      return out + "!";
    out += words(element) + " ";
  }
  const char *rest = nullptr;
  return document.current_location().get(rest) == SUCCESS ? out + "then " + rest : out;
}

TEST(JsonOnDemand, readsValues) {
  EXPECT_EQ(read(R"([1, -2.5e3 ,true,null, "a b", [], {}, [1,[2]]])"), "1 -2.5e3 true null 'a b' [] {} [1 [2 ] ] ");
  EXPECT_EQ(read(R"([{"a": {"b" : [1, {"c": "d"}]}, "e":2}])"), "{a:{b:[1 {c:'d' } ] } e:2 } ");
  EXPECT_EQ(read("[]"), "");
  EXPECT_EQ(read("[1] , \"x\": ]"), "1 then , \"x\": ]");
}

TEST(JsonOnDemand, readsEscapes) {
  EXPECT_EQ(read(R"(["\"\\\/\b\f\n\r\t"])"), "'\"\\/\b\f\n\r\t' ");
  EXPECT_EQ(read(R"(["\u00b5\u20ac\ud83d\ude00"])"), "'µ€😀' ");
  for (const char *bad :
       {R"(["\x"])", R"(["\u12"])", R"(["\ud83d"])", R"(["\ud83dx"])", R"(["\ude00"])", R"(["\u+123"])"})
    EXPECT_EQ(read(bad), "! ") << bad;
}

TEST(JsonOnDemand, findsWhatIsNoJson) {
  for (const char *bad : {"", "{}", "[", "[1", "[\"a]", "[\"\x01\"]", "[\"\xff\"]", "[1}"})
    EXPECT_EQ(read(bad), "!") << bad;
  EXPECT_EQ(read("[1 2]"), "1 !");
  // An element that is not JSON has its place, so that events before it are not read again.
  EXPECT_EQ(read("[1, ]"), "1 ] !");
  EXPECT_EQ(read("[,1]"), ", !");
  EXPECT_EQ(read(R"([1, {"a": [2, ])"), "1 {a:[2 ] ! ! !");
  EXPECT_EQ(read(R"([{"a" 1}])"), "{! ");
  EXPECT_EQ(read(R"([{"a": }])"), "{! ");
  EXPECT_EQ(read(R"([{a: 1}])"), "{! ");
}

TEST(JsonOnDemand, readsNumbersAndTruths) {
  auto number = [](std::string text) -> std::string {
    od::parser parser;
    od::document document;
    od::array root;
    (void)parser.iterate(text.data(), text.size(), 0).get(document);
    (void)document.get_array().get(root);
    int64_t whole = 0;
    bool truth = false;
    od::value value;
    (void)(*root.begin()).get(value);
    return value.get_int64().get(whole) == SUCCESS  ? std::to_string(whole)
           : value.get_bool().get(truth) == SUCCESS ? (truth ? "yes" : "no")
                                                    : "neither";
  };
  EXPECT_EQ(number("[-9223372036854775808]"), "-9223372036854775808");
  EXPECT_EQ(number("[ 0 ]"), "0");
  for (const char *bad : {"[9223372036854775808]", "[01]", "[1.0]", "[1e3]", "[-]", "[+1]", "[\"1\"]"})
    EXPECT_EQ(number(bad), "neither") << bad;
  EXPECT_EQ(number("[true]"), "yes");
  EXPECT_EQ(number("[false]"), "no");
  EXPECT_EQ(number("[truth]"), "neither");
}

} // namespace
} // namespace lanescope::core::plain
