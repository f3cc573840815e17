#include "layouts/support/kinds/Areas.h"

#include <array>

namespace lanescope {
namespace {

// clang-format off
constexpr auto kLanguageRows = std::to_array<KindEntry>({
    kind("invalid-utf8", "bytes that are no UTF-8",
         "Save the file as UTF-8."),
    kind("unexpected-character", "a character that the language does not have",
         "Remove it; quotes and dashes from a word processor are a common cause.")
        .eval("1 ? 2",
              "unexpected `?`; help on a name is `help(name)`"),
    kind("indentation", "a line's indentation fits no block",
         "Indent all lines of a block alike, with spaces.")
        .run("x = 1\n  y = 2",
              "this line is indented, but no block begins above it"),
    kind("bad-number", "the spelling of a number is not one of the language",
         "Write `0x1F`, `0b101`, `12_000` or `1.5e-3`.")
        .eval("0x",
              "`0x` is not an integer of base 16"),
    kind("bad-escape", "an unknown escape in a string",
         "Write `\\\\\\\\` for a backslash, or use a raw string `r'…'`.")
        .eval("'\\x0'",
              "`\\x` needs 2 hexadecimal digits of a character's number"),
    kind("unterminated-string", "a string is not closed",
         "Close it with the quote that opened it; a string over several lines needs three quotes.")
        .eval("'abc",
              "this string is not closed with `'` on its line"),
    kind("unclosed-bracket", "a bracket is never closed",
         "Close it; everything up to the end of the text is inside of it now.")
        .eval("(1 + 2",
              "`(` is never closed"),
    kind("unmatched-bracket", "a bracket closes nothing",
         "Remove it, or open one before it.")
        .eval("1 + 2)",
              "`)` closes nothing"),
    kind("nesting", "brackets, blocks or expressions nest too deep",
         "Name parts of the expression, or move blocks into functions."),
    kind("syntax", "a text that the grammar does not have",
         "The mark shows the first word that does not fit.")
        .eval("1 +",
              "expected an expression, found the end of the line"),
    kind("unknown-name", "a name is not defined",
         "Define it before its use, or choose the name that the message proposes. `help()` lists the builtins.")
        .eval("lenght([1])",
              "name `lenght` is not defined"),
    kind("unbound-name", "a name may have no value at its use",
         "Give it a value before the branch or loop that may leave it out.")
        .run("def f():\n  y = x\n  x = 1\nf()",
              "`x` has no value here: the function binds it, but not on the way to this place"),
    kind("no-attribute", "a value has no such attribute",
         "`help(VALUE)` lists the members.")
        .eval("[1, 2].size",
              "`list` has no attribute `size`"),
    kind("frozen", "a field of a frozen dataclass is set",
         "Make a new object with `dataclasses.replace`."),
    kind("key", "a dict or record has no such key",
         "`in` asks whether a key is there; `.get(key)` gives None otherwise.")
        .eval("{'a': 1}['b']",
              "the dict has no key 'b'"),
    kind("index-range", "an index is outside of a list, an array, an operand or a picture, or has another rank",
         "Indices begin at 0; negative ones count from the end.")
        .eval("[1, 2][2]",
              "index 2 is outside a list of length 2"),
    kind("type", "a value has the wrong type",
         "The message says which types the place takes.")
        .eval("len(3)",
              "`x` of `len` must be a str, list, tuple, dict, range or array, not int"),
    kind("value", "a value has the right type and is not allowed",
         "The message says what is allowed.")
        .eval("zeros((2**62, 2**62))",
              "`shape` of `zeros`: (4611686018427387904, 4611686018427387904) has 2**31 elements or more"),
    kind("arguments", "a call's arguments do not fit the signature",
         "`help(FUNCTION)` shows the signature.")
        .eval("len(1, 2)",
              "`len` takes at most 1 positional argument, but 2 are given"),
    kind("unpack", "there is another number of values than names",
         "Give as many names as there are values, or collect the rest with `*rest`.")
        .run("a, b = [1, 2, 3]",
              "expected 2 values to unpack, found 3"),
    kind("format", "a format specification that does not fit the value",
         "`f'{x:>8.3f}'`: fill, width, precision and type, in this order.")
        .eval("f'{1:q}'",
              "`q` is not a format: `q` is not understood"),
    kind("assertion", "an `assert` does not hold",
         "The values of its comparison stand in the message.")
        .run("assert 1 == 2",
              "assertion `1 == 2` does not hold"),
    kind("division-by-zero", "a division by zero",
         "Test the divisor first.")
        .eval("1 // 0",
              "division by zero"),
    kind("integer-overflow", "an integer beyond 64 bits",
         "Integers of the language have 64 bits; use a float where less precision serves.")
        .eval("1 << 63",
              "1 << 63 does not fit in 64 bits; with a float operand the result is rounded instead"),
    kind("range", "an integer beyond what its type on the device holds",
         "Choose a wider type, or a smaller number."),
    kind("recursion", "calls nest too deep",
         "Use a loop, or end the recursion earlier.")
        .run("def f(n): return f(n + 1)\nf(0)",
              "calls nest more than 400 deep"),
    kind("import", "an unknown module, or a name that the module does not have",
         "Snippets import what docs/reference.md lists; a program with other imports runs with `lanescope run FILE.py`."),
    kind("python-exception", "a Python function that a kernel calls raised an exception",
         "The outer call raises it again.")
        .noTest("the caller sees the exception itself"),
    kind("no-item", "`next` of an iterator that has no more items",
         "Give a default: `next(it, None)`.")
        .eval("next(iter([]))",
              "the iterator has no more items; `next(it, default)` gives something then"),
    kind("too-large", "a value, a comparison or a picture's input is beyond its limit",
         "Work on a part of it.")
        .eval("'a' * 10**12",
              "a string of 953674 MiB is larger than the limit of 256 MiB"),
    kind("typing-budget", "a statement takes too long to run at each edit; it is no fault",
         "Run the file to see its result.")
        .severities("note"),
    kind("file", "the files for an editor cannot be written to their folder",
         "Make room on the disk.")
        .noTest("it takes a full disk"),
    kind("rename", "an editor cannot change a name, or not to that one",
         "Choose a name of letters, digits and `_` that is not taken."),
    kind("too-long", "a program runs longer than its limit of steps",
         "Look for a loop that does not end; the limit protects the session."),
    kind("out-of-memory", "memory is used up, or an allocation is refused",
         "Free or shrink arrays, or raise `--memory`; `--scratch DIR` of `run`, `emulate` and `check` keeps arrays on a disk."),
    kind("interrupted", "the run was stopped with Ctrl-C",
         "Start it again."),
    kind("unsupported", "a part of Python or of the kernel language that is not supported here",
         "The message says what to write instead; programs with other imports run under CPython."),
    kind("empty-layout", "a layout is expected, and the text is empty",
         "Type a layout of any notation, or a name such as `WGMMA`."),
    kind("not-a-layout", "a layout is expected, and the value is something else",
         "docs/reference.md lists the ways to write one."),
    kind("unknown-dtype", "there is no element type of that name",
         "The message lists the names."),
    kind("device", "there is no such device",
         "`--device` takes `auto`, `gpu` or `emulator`."),
});
// clang-format on

} // namespace

KindArea languageKinds() { return {"The language", kLanguageRows}; }

} // namespace lanescope
