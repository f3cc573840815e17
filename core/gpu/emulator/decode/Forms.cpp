#include "core/gpu/emulator/decode/Forms.h"

#include "core/gpu/emulator/decode/Modifiers.h"
#include "layouts/support/Text.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <vector>

namespace lanescope::core::emulator {

namespace {

/// The table has one form per line: `ROOT [TARGET:] PART…`. A part is a modifier, or several with `|` between them. `?`
/// marks an optional part. Parts between `<` and `>` come first and in this order. All other parts may be in any order.
/// `@NAME` is one of namedParts(). `*` is anything that the instruction's decoder takes. TARGET is the first
/// architecture that has the form (90:), a single architecture (90a:), or a family (100x: sm_100f and the targets with
/// its features, 10x: these and sm_110f, 12x: sm_120f).
constexpr std::string_view kForms = R"(
activemask b32
add 100: @round? ftz? f32x2
add 100: @round? sat? f32 f16|bf16
add 90: rn? bf16|bf16x2
add 90: u16x2|s16x2
add @round? f64
add @round? ftz? sat? f32
add cc u32|s32|u64|s64
add rn? ftz? sat? f16|f16x2
add sat s32
add u16|s16|u32|s32|u64|s64
addc cc? u32|s32|u64|s64
addc u16|s16
atom 90: @sem? @scope? @place add noftz bf16|bf16x2
atom 90: @sem? @scope? @place exch b128
atom 90: @sem? @scope? @space? cas b128
atom 90: @sem? @scope? global? add @hint? v2|v4 f32
atom 90: @sem? @scope? global? add|min|max noftz @hint? v2|v4 f16x2|bf16x2
atom 90: @sem? @scope? global? add|min|max noftz @hint? v2|v4|v8 f16|bf16
atom @sem? @scope? @place add noftz f16|f16x2
atom @sem? @scope? @place add u32|s32|u64|f32|f64
atom @sem? @scope? @place and|or|xor b32|b64
atom @sem? @scope? @place exch b32|b64
atom @sem? @scope? @place inc|dec u32
atom @sem? @scope? @place min|max u32|s32|u64|s64
atom @sem? @scope? @space? cas b16|b32|b64
bar < cta? red > and|or pred
bar < cta? red > popc u32
bar < cta? sync|arrive >
bar < warp sync >
barrier 90: < cluster arrive > release|relaxed? aligned?
barrier 90: < cluster wait > acquire? aligned?
barrier < cta? red > and|or aligned? pred
barrier < cta? red > popc aligned? u32
barrier < cta? arrive > aligned?
barrier < cta? > sync aligned?
brev b32|b64
clusterlaunchcontrol 100: < query_cancel > get_first_ctaid v4 b32 b128
clusterlaunchcontrol 100: < query_cancel > get_first_ctaid::x|get_first_ctaid::y|get_first_ctaid::z b32 b128
clusterlaunchcontrol 100: < query_cancel is_canceled pred > b128
clusterlaunchcontrol 100: < try_cancel > *
clz b32|b64
cp 90: < async bulk > *
cp 90: < reduce async bulk > *
cp < async ca|cg|commit_group|wait_group|wait_all|mbarrier > *
createpolicy < cvt > L2 b64
createpolicy < fractional > @priority @second? b64
createpolicy < range > global? @priority @second? b64
cvta < to? > global|shared|shared::cta|shared::cluster|local|const|param|param::entry u64
div < full > ftz? f32
div approx ftz? f32
div @round f64
div @round ftz? f32
div u16|s16|u32|s32|u64|s64
dp2a < lo|hi > u32|s32 u32|s32
elect 90: sync
ex2 90: approx ftz bf16|bf16x2
ex2 approx f16|f16x2
ex2 approx ftz? f32
fence 90: mbarrier_init release cluster
fence 90: < proxy > async global|shared::cta|shared::cluster?
fence 90: < proxy > async::generic acquire sync_restrict::shared::cluster cluster
fence 90: < proxy > async::generic release sync_restrict::shared::cta cluster
fence 90: < proxy > tensormap::generic acquire|release @scope
fence 90: acquire sync_restrict::shared::cluster cluster
fence 90: release sync_restrict::shared::cta cluster
fence < proxy > alias
fence sc|acq_rel|acquire|release? @scope
fma 100: @round ftz? f32x2
fma 100: @round sat? f32 f16|bf16
fma 90: rn oob relu? f16|f16x2|bf16|bf16x2
fma 90: rz|rm|rp bf16|bf16x2
fma @round f64
fma @round ftz? sat? f32
fma rn ftz? relu f16|f16x2
fma rn ftz? sat? f16|f16x2
fma rn relu? bf16|bf16x2
fns b32
getctarank 90: shared::cluster? u32|u64|s32|s64
griddepcontrol 90: launch_dependents|wait
istypep texref|samplerref|surfref
ldmatrix 10x,12x: sync aligned m16n16 x1|x2 trans shared|shared::cta? b8
ldmatrix 10x,12x: sync aligned m16n16 x1|x2 trans shared|shared::cta? b8x16 b6x16_p32|b4x16_p64
ldmatrix 10x,12x: sync aligned m8n16 x1|x2|x4 shared|shared::cta? b8x16 b6x16_p32|b4x16_p64
ldmatrix sync aligned m8n8 x1|x2|x4 trans? shared|shared::cta? b16
ldu global? b128
ldu global? v2? b64|u64|s64|f64
ldu global? v2|v4? b8|b16|b32|u8|u16|u32|s8|s16|s32|f32
lop3 and|or|xor b32
lop3 b32
mad < hi > sat s32
mad < hi|lo > cc u32|s32|u64|s64
mad < hi|lo > u16|s16|u32|s32|u64|s64
mad < wide > u16|s16|u32|s32
mad @round f64
mad @round ftz? sat? f32
mad24 < hi > sat s32
mad24 < hi|lo > u32|s32
madc < hi|lo > cc? u32|s32|u64|s64
madc < hi|lo > u16|s16
mapa 90: shared::cluster? u32|u64|s32|s64
match any|all sync b32|b64
max 100: ftz? NaN? abs f32
max 86: NaN? xorsign abs bf16|bf16x2
max 86: ftz? NaN? xorsign abs f32|f16|f16x2
max 90: relu s32
max 90: relu? u16x2|s16x2
max NaN? bf16|bf16x2
max ftz? NaN? f32|f16|f16x2
max u16|u32|u64|s16|s32|s64|f64
mbarrier 90: < arrive|arrive_drop > release|relaxed cta|cluster @shared? b64
mbarrier 90: < arrive|arrive_drop > shared::cluster b64
mbarrier 90: < arrive|arrive_drop expect_tx > @shared? b64
mbarrier 90: < arrive|arrive_drop expect_tx > @shared? release|relaxed cta|cluster b64
mbarrier 90: < arrive|arrive_drop expect_tx > release|relaxed cta|cluster @shared? b64
mbarrier 90: < expect_tx|complete_tx > @shared? b64
mbarrier 90: < expect_tx|complete_tx > relaxed cta|cluster @shared? b64
mbarrier 90: < test_wait|try_wait parity? > acquire|relaxed cta|cluster shared|shared::cta? b64
mbarrier 90: < test_wait|try_wait parity? > shared|shared::cta? b64
mbarrier < arrive|arrive_drop > release cta shared|shared::cta? b64
mbarrier < arrive|arrive_drop > shared|shared::cta? b64
mbarrier < arrive|arrive_drop noComplete > release cta shared|shared::cta? b64
mbarrier < arrive|arrive_drop noComplete > shared|shared::cta? b64
mbarrier < test_wait parity? > acquire cta shared|shared::cta? b64
mbarrier < test_wait parity? > shared|shared::cta? b64
mbarrier init|inval shared|shared::cta? b64
mbarrier pending_count b64
membar < proxy > alias
membar cta|gl|sys
min 100: ftz? NaN? abs f32
min 86: NaN? xorsign abs bf16|bf16x2
min 86: ftz? NaN? xorsign abs f32|f16|f16x2
min 90: relu s32
min 90: relu? u16x2|s16x2
min NaN? bf16|bf16x2
min ftz? NaN? f32|f16|f16x2
min u16|u32|u64|s16|s32|s64|f64
mov b16|b32|b64|b128|u16|u32|u64|s16|s32|s64|f32|f64|pred
mul 100: @round? ftz? f32x2
mul 90: rn? bf16|bf16x2
mul < hi|lo > u16|s16|u32|s32|u64|s64
mul < wide > u16|s16|u32|s32
mul @round? f64
mul @round? ftz? sat? f32
mul rn? ftz? sat? f16|f16x2
mul24 < hi|lo > u32|s32
multimem 10x,12xa: < ld_reduce > @reads global? add acc::f16? v2|v4? e4m3x4|e5m2x4
multimem 10x,12xa: < ld_reduce > @reads global? add acc::f16? v2|v4|v8? e4m3x2|e5m2x2
multimem 10x,12xa: < ld_reduce > @reads global? add acc::f16? v2|v4|v8? e4m3|e5m2
multimem 10x,12xa: < ld_reduce > @reads global? min|max v2|v4|v8? e4m3|e5m2|e4m3x2|e5m2x2|e4m3x4|e5m2x4
multimem 10x,12xa: < st > @writes global? v2|v4|v8? e4m3|e5m2|e4m3x2|e5m2x2|e4m3x4|e5m2x4
multimem 90: < ld_reduce > @reads global? add acc::f32? v2|v4? f16x2|bf16x2
multimem 90: < ld_reduce > @reads global? add acc::f32? v2|v4|v8? f16|bf16
multimem 90: < ld_reduce > @reads global? add u32|s32|u64|f32|f64
multimem 90: < ld_reduce > @reads global? add v2|v4 f32
multimem 90: < ld_reduce > @reads global? and|or|xor b32|b64
multimem 90: < ld_reduce > @reads global? min|max u32|s32|u64|s64
multimem 90: < ld_reduce > @reads global? min|max v2|v4? f16x2|bf16x2
multimem 90: < ld_reduce > @reads global? min|max v2|v4|v8? f16|bf16
multimem 90: < red > @changes global? add u32|s32|u64|f32|f64
multimem 90: < red > @changes global? add v2|v4 f32
multimem 90: < red > @changes global? add v2|v4? f16x2|bf16x2
multimem 90: < red > @changes global? add v2|v4|v8? f16|bf16
multimem 90: < red > @changes global? and|or|xor b32|b64
multimem 90: < red > @changes global? min|max u32|s32|u64|s64
multimem 90: < st > @writes global? b32|b64|u32|u64|s32|s64|f64
multimem 90: < st > @writes global? v2|v4? f16x2|bf16x2
multimem 90: < st > @writes global? v2|v4? f32
multimem 90: < st > @writes global? v2|v4|v8? f16|bf16
multimem 90: < cp > *
nanosleep u32
popc b32|b64
prefetch 90: const|param? tensormap
prefetch global? L2::evict_last|L2::evict_normal
prefetch global|local? L1|L2
prmt f4e|b4e|rc8|ecl|ecr|rc16? b32
red 100: < async > mmio? release gpu|sys global? add|min|max u32|s32|u64|s64
red 100: < async > mmio? release gpu|sys global? inc|dec u32
red 100: < async > mmio? release gpu|sys global? and|or|xor b32|b64
red 90: @order? @scope? @place add noftz bf16|bf16x2
red 90: @order? @scope? global? add @hint? v2|v4 f32
red 90: @order? @scope? global? add|min|max noftz @hint? v2|v4 f16x2|bf16x2
red 90: @order? @scope? global? add|min|max noftz @hint? v2|v4|v8 f16|bf16
red 90: async relaxed cluster shared::cluster? mbarrier::complete_tx::bytes add u32|s32|u64
red 90: async relaxed cluster shared::cluster? mbarrier::complete_tx::bytes and|or|xor b32
red 90: async relaxed cluster shared::cluster? mbarrier::complete_tx::bytes inc|dec u32
red 90: async relaxed cluster shared::cluster? mbarrier::complete_tx::bytes min|max u32|s32
red @order? @scope? @place add noftz f16|f16x2
red @order? @scope? @place add u32|s32|u64|f32|f64
red @order? @scope? @place and|or|xor b32|b64
red @order? @scope? @place inc|dec u32
red @order? @scope? @place min|max u32|s32|u64|s64
redux 100x: sync min|max abs? NaN? f32
redux sync add|min|max u32|s32
redux sync and|or|xor b32
selp b16|b32|b64|u16|u32|u64|s16|s32|s64|f32|f64
set 90: @float @logic? bf16x2|u32|s32 bf16x2
set 90: @float @logic? bf16|u16|s16|u32|s32 bf16
set @equal @logic? u32|s32|f32|f16 b16|b32|b64
set @float @logic? ftz? f16x2|u32|s32 f16x2
set @float @logic? ftz? f16|u16|s16|u32|s32 f16
set @float @logic? ftz? u32|s32|f32|f16 f32
set @float @logic? u32|s32|f32|f16 f64
set @signed @logic? u32|s32|f32|f16 s16|s32|s64
set @unsigned @logic? u32|s32|f32|f16 u16|u32|u64
setmaxnreg 90a,10x,12x: < inc|dec > sync aligned u32
setp 90: @float @logic? bf16|bf16x2
setp @equal @logic? b16|b32|b64
setp @float @logic? f64
setp @float @logic? ftz? f16|f16x2
setp @float @logic? ftz? f32
setp @signed @logic? s16|s32|s64
setp @unsigned @logic? u16|u32|u64
shf < l|r > clamp|wrap b32
shfl sync up|down|bfly|idx b32
shl b16|b32|b64
shr b16|b32|b64|u16|u32|u64|s16|s32|s64
slct b16|b32|b64|u16|u32|u64|s16|s32|s64|f32|f64 s32
slct ftz? b16|b32|b64|u16|u32|u64|s16|s32|s64|f32|f64 f32
st *
st 100: < async > mmio? release gpu|sys global? b16|b32|b64|u16|u32|u64|s16|s32|s64|f32|f64
st 100: < async > gpu|sys global? b16|b32|b64|u16|u32|u64|s16|s32|s64|f32|f64
st 90: < async > weak|cluster? shared::cluster? mbarrier::complete_tx::bytes v2? b64|u64|s64|f64
st 90: < async > weak|cluster? shared::cluster? mbarrier::complete_tx::bytes v2|v4? b32|u32|s32|f32
stackrestore u32|u64
stacksave u32|u64
stmatrix 10x,12x: sync aligned m16n8 x1|x2|x4 trans shared|shared::cta? b8
stmatrix 90: sync aligned m8n8 x1|x2|x4 trans? shared|shared::cta? b16
sub 100: @round? ftz? f32x2
sub 100: @round? sat? f32 f16|bf16
sub 90: rn? bf16|bf16x2
sub @round? f64
sub @round? ftz? sat? f32
sub cc u32|s32|u64|s64
sub rn? ftz? sat? f16|f16x2
sub sat s32
sub u16|s16|u32|s32|u64|s64
subc cc? u32|s32|u64|s64
subc u16|s16
tanh 90: approx bf16|bf16x2
tanh approx f32|f16|f16x2
tensormap 10x,12x: < replace > tile swizzle_atomicity global|shared::cta? b1024 b32
tensormap 90: < cp_fenceproxy > *
tensormap 90a,10x,12x: < replace > tile global_address global|shared::cta? b1024 b64
tensormap 90a,10x,12x: < replace > tile global_stride global|shared::cta? b1024 b64
tensormap 90a,10x,12x: < replace > tile rank|elemtype|interleave_layout|swizzle_mode|fill_mode|box_dim|global_dim|element_stride global|shared::cta? b1024 b32
vote sync all|any|uni pred
vote sync ballot b32
wgmma 90a: *
)";

struct NamedPart {
  std::string_view name;
  std::vector<std::string_view> alternatives; // each is one or more parts
};

const std::vector<NamedPart> &namedParts() {
  static const std::vector<NamedPart> all = {
      {"sem", {"relaxed|acquire|release|acq_rel"}},
      {"order", {"relaxed|release"}},
      {"scope", {"cta|cluster|gpu|sys"}},
      {"space", {"global|shared|shared::cta|shared::cluster"}},
      {"shared", {"shared|shared::cta|shared::cluster"}},
      {"hint", {"L2::cache_hint"}},
      {"place",
       {"global? L2::cache_hint?", "shared|shared::cta|shared::cluster"}}, // cache hints are for global memory only
      {"round", {"rn|rz|rm|rp"}},
      {"priority", {"L2::evict_last|L2::evict_normal|L2::evict_first|L2::evict_unchanged"}},
      {"second", {"L2::evict_first|L2::evict_unchanged"}},
      {"reads", {"weak?", "relaxed|acquire cta|cluster|gpu|sys"}},
      {"writes", {"weak?", "relaxed|release cta|cluster|gpu|sys"}},
      {"changes", {"", "relaxed|release cta|cluster|gpu|sys"}},
      {"equal", {"eq|ne"}},
      {"signed", {"eq|ne|lt|le|gt|ge"}},
      {"unsigned", {"eq|ne|lt|le|gt|ge|lo|ls|hi|hs"}},
      {"float", {"eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan"}},
      {"logic", {"and|or|xor"}},
  };
  return all;
}

std::vector<std::string_view> split(std::string_view text, char at) {
  std::vector<std::string_view> out;
  while (!text.empty()) {
    size_t end = std::min(text.find(at), text.size());
    if (end > 0)
      out.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

struct Part {
  std::vector<std::string_view> values;
  bool optional = false;
};

struct Form {
  std::string_view target; // as in kForms; empty: all targets
  size_t leading = 0;      // the number of parts that come first, in order
  bool open = false;       // takes any other modifiers, too
  std::vector<Part> parts;
};

Part partOf(std::string_view word) {
  Part part;
  part.optional = word.ends_with('?');
  if (part.optional)
    word.remove_suffix(1);
  part.values = split(word, '|');
  return part;
}

/// Adds one form for each expansion of its named parts.
void addForms(std::vector<Form> &out, Form form, std::span<const std::string_view> words) {
  for (size_t n = 0; n < words.size(); ++n) {
    std::string_view word = words[n];
    if (word == "<")
      continue;
    if (word == ">" || word == "*") {
      (word == ">" ? form.leading = form.parts.size() : form.open = true);
      continue;
    }
    if (!word.starts_with('@')) {
      form.parts.push_back(partOf(word));
      continue;
    }
    bool optional = word.ends_with('?');
    std::string_view name = word.substr(1, word.size() - 1 - optional);
    const NamedPart &named = *std::ranges::find(namedParts(), name, &NamedPart::name);
    for (std::string_view alternative : named.alternatives) {
      Form one = form;
      for (std::string_view each : split(alternative, ' ')) {
        one.parts.push_back(partOf(each));
        one.parts.back().optional |= optional;
      }
      addForms(out, one, words.subspan(n + 1));
    }
    return;
  }
  out.push_back(std::move(form));
}

const std::map<std::string_view, std::vector<Form>, std::less<>> &forms() {
  static const auto all = [] {
    std::map<std::string_view, std::vector<Form>, std::less<>> out;
    for (std::string_view line : split(kForms, '\n')) {
      auto words = split(line, ' ');
      std::span<const std::string_view> rest(words);
      std::string_view root = rest[0];
      rest = rest.subspan(1);
      Form form;
      if (rest[0].ends_with(':')) {
        form.target = rest[0].substr(0, rest[0].size() - 1);
        rest = rest.subspan(1);
      }
      addForms(out[root], form, rest);
    }
    for (auto &[root, each] : out) // the forms that take anything come last
      std::ranges::stable_partition(each, [](const Form &form) { return !form.open || !form.parts.empty(); });
    return out;
  }();
  return all;
}

/// Splits a target: sm_103a is 103 and 'a'.
std::pair<unsigned, char> architecture(std::string_view target) {
  unsigned number = 0;
  if (target.starts_with("sm_"))
    target.remove_prefix(3);
  auto [end, error] = std::from_chars(target.data(), target.data() + target.size(), number);
  return {number, end == target.data() + target.size() ? '\0' : *end};
}

bool has(std::string_view target, std::string_view wanted) {
  if (wanted.empty())
    return true;
  auto [number, suffix] = architecture(target);
  return std::ranges::any_of(split(wanted, ','), [&](std::string_view each) {
    if (size_t family = each.find('x'); family != each.npos) {
      bool exactOnly = each.ends_with('a');
      bool ofFamily = each.starts_with("100")  ? number == 100 || number == 103
                      : each.starts_with("10") ? number == 100 || number == 101 || number == 103 || number == 110
                                               : number == 120 || number == 121;
      return ofFamily && (suffix == 'a' || (suffix == 'f' && !exactOnly));
    }
    auto [first, exact] = architecture(each);
    return exact ? number == first && suffix == exact : number >= first;
  });
}

/// How many modifiers a form takes before the first one that it rejects. `complete`: it takes all modifiers, and none
/// is missing.
struct Match {
  size_t taken = 0;
  bool complete = false;
  bool opens = false; // the leading parts of the form are present
};

Match match(const Form &form, std::span<const std::string_view> modifiers) {
  Match out;
  uint64_t used = 0;
  size_t leading = 0; // leading parts matched so far
  for (std::string_view modifier : modifiers) {
    auto fits = [&](size_t n) {
      return std::ranges::find(form.parts[n].values, modifier) != form.parts[n].values.end();
    };
    size_t n = leading;
    while (n < form.leading && !fits(n) && form.parts[n].optional)
      ++n;
    if (n < form.leading && !fits(n))
      return out;
    if (n < form.leading)
      leading = n + 1, out.opens |= leading == form.leading;
    else
      for (leading = n; n < form.parts.size() && ((used >> n & 1) || !fits(n));)
        ++n;
    if (n < form.parts.size())
      used |= uint64_t(1) << n;
    else if (!form.open)
      return out;
    ++out.taken;
  }
  out.complete = true;
  for (size_t n = 0; n < form.parts.size(); ++n)
    out.complete &= form.parts[n].optional || (used >> n & 1);
  return out;
}

std::string written(std::string_view root, const Form &form) {
  std::string out(root);
  for (const Part &part : form.parts) {
    std::string choice;
    for (std::string_view value : part.values)
      choice += text(choice.empty() ? "." : "|.", value);
    out += part.optional ? text("{", choice, "}") : part.values.size() > 1 ? text("(", choice, ")") : choice;
  }
  return out;
}

std::string needs(std::string_view wanted) {
  if (wanted == "90a")
    return "is for `.target sm_90a` alone";
  if (wanted == "90a,10x,12x")
    return "is for `.target sm_90a` and those that end in `a` or `f`";
  if (wanted.starts_with("10x") || wanted.starts_with("100x"))
    return "is for `.target sm_100a` and others that end in `a` or `f`";
  return text("needs `.target sm_", wanted, "` or a newer one");
}

} // namespace

std::optional<std::string> formProblem(std::string_view opcode, std::string_view target) {
  auto modifiers = split(opcode, '.');
  for (size_t n = modifiers.size(); n-- > 1;)
    if (mayRepeat(modifiers[n]) && std::find(modifiers.begin() + 1, modifiers.begin() + static_cast<ptrdiff_t>(n),
                                             modifiers[n]) != modifiers.begin() + static_cast<ptrdiff_t>(n))
      modifiers.erase(modifiers.begin() + static_cast<ptrdiff_t>(n));
  std::span<const std::string_view> rest = std::span(modifiers).subspan(1);
  bool cluster =
      std::ranges::any_of(rest, [](std::string_view each) { return each == "cluster" || each == "shared::cluster"; });
  if (cluster && !has(target, "90"))
    return text("`", opcode, "` ", needs("90"), ", and this is `", target, "`: clusters came with it");
  auto found = forms().find(modifiers.front());
  if (found == forms().end())
    return {};
  const Form *nearest = nullptr, *later = nullptr;
  size_t taken = 0;
  bool opened = false; // if the leading parts of a form match, the forms that take anything do not apply
  for (const Form &form : found->second) {
    Match one = match(form, rest);
    opened |= one.opens;
    if (opened && form.open && form.parts.empty())
      continue;
    if (one.complete && has(target, form.target))
      return {};
    if (one.complete)
      later = &form;
    if (!nearest || one.taken > taken) {
      nearest = &form;
      taken = one.taken;
    }
  }
  if (later)
    return text("`", opcode, "` ", needs(later->target), ", and this is `", target, "`");
  return text("`", opcode, "` does not exist",
              taken < rest.size() ? text(": `.", rest[taken], "` does not go with what stands before it")
                                  : text(": a part is missing"),
              "; the nearest form is `", written(modifiers.front(), *nearest), "`");
}

} // namespace lanescope::core::emulator
