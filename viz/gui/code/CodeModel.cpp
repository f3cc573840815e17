#include "viz/gui/code/CodeModel.h"

#include "layouts/support/Text.h"
#include "viz/host/Arrangement.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace lanescope::viz {

namespace {

constexpr size_t kRangesShown = 8;

CodeModel::Page pageOf(CodeRequest::Page from) {
  CodeModel::Page page;
  page.title = std::move(from.title), page.text = std::move(from.text);
  page.markedLines = std::move(from.markedLines), page.costs = std::move(from.costs), page.language = from.language;
  page.lineStarts = {0};
  for (size_t i = 0; i < page.text.size(); ++i)
    if (page.text[i] == '\n')
      page.lineStarts.push_back(i + 1);
  if (page.lineStarts.back() < page.text.size() || page.text.empty())
    page.lineStarts.push_back(page.text.size() + 1);
  page.states = syntaxStates(page.language, page.text);
  page.states.resize(page.lines() + 1);
  for (size_t i = 0; i < page.lines(); ++i)
    page.columns = std::max(page.columns, page.lineStarts[i + 1] - page.lineStarts[i]);
  return page;
}

} // namespace

bool CodeModel::Page::marked(size_t index) const {
  return std::find(markedLines.begin(), markedLines.end(), uint32_t(index + 1)) != markedLines.end();
}

void CodeModel::show(CodeRequest request) {
  std::string before = front_ < pages_.size() ? pages_[front_].title : std::string();
  std::string pinnedTitle = pinned_.some() ? pages_[pinned_.page].title : std::string();
  std::vector<std::pair<std::string, Drawn>> drawn;
  for (size_t i = 0; i < pages_.size(); ++i)
    drawn.emplace_back(pages_[i].title, panes_[i].drawn);
  bool same = title == request.title;

  title = std::move(request.title);
  links_ = std::move(request.links);
  arrays_ = std::move(request.arrays), memories_ = std::move(request.memories), regions_ = std::move(request.regions);
  onDemand_ = std::move(request.onDemand);
  pages_.clear();
  for (CodeRequest::Page &from : request.pages)
    pages_.push_back(pageOf(std::move(from)));
  panes_.assign(pages_.size(), {});
  front_ = 0;
  hovered_ = {};
  if (links_ && pages_.size() > 1)
    takeSource(!same);
  for (size_t i = 0; i < pages_.size(); ++i) {
    panes_[i].open = std::ranges::find(wanted_, pages_[i].title) != wanted_.end();
    for (const auto &[name, place] : drawn)
      if (name == pages_[i].title)
        panes_[i].drawn = place;
    if (pages_[i].title == before)
      front_ = i;
  }
  if (openPages().empty() && !pages_.empty()) {
    // First opens the texts that users usually want to see first: the snippet and the code that runs, side by side.
    panes_[0].open = true;
    if (links_ && pages_.size() > 1) {
      size_t beside = pageNamed("ptx").value_or(1);
      panes_[beside].open = true;
      wanted_.push_back(pages_[0].title), wanted_.push_back(pages_[beside].title);
    }
  }
  if (std::optional<size_t> made = pageNamed(awaited_); made && same)
    open(*made, true), awaited_.clear();
  if (front_ < pages_.size() && !panes_[front_].open)
    front_ = openPages().front();
  if (!costChosen)
    costColumn = tellingColumn();
  std::optional<size_t> page = same ? pageNamed(pinnedTitle) : std::nullopt;
  if (page && pinned_.line <= pages_[*page].lines()) {
    pinned_.page = *page;
    pinnedLast_ = std::min<uint32_t>(pinnedLast_, static_cast<uint32_t>(pages_[*page].lines()));
  } else {
    pinned_ = {};
  }
  light();
}

void CodeModel::takeSource(bool isOther) {
  const std::string &source = pages_[0].title;
  if (!source_.empty() && source_ != source)
    std::ranges::replace(wanted_, source_, source);
  source_ = source;
  constexpr uint32_t kHead = 20; // these lines are visible in any case
  size_t beside = pageNamed("ptx").value_or(1);
  for (uint32_t line = 1; isOther && line <= pages_[0].lines(); ++line)
    if (std::vector<uint32_t> code = links_->linked(0, line, beside); !code.empty()) {
      if (line > kHead)
        panes_[0].reveal = line, panes_[beside].reveal = code.front();
      return;
    }
}

std::optional<size_t> CodeModel::pageNamed(std::string_view wanted) const {
  for (size_t i = 0; i < pages_.size(); ++i)
    if (pages_[i].title == wanted)
      return i;
  return std::nullopt;
}

void CodeModel::makeOnDemand(Host &host) {
  awaited_ = onDemand_;
  host.makePage(onDemand_);
}

std::vector<size_t> CodeModel::openPages() const {
  std::vector<size_t> out;
  for (size_t i = 0; i < panes_.size(); ++i)
    if (panes_[i].open)
      out.push_back(i);
  std::ranges::stable_sort(out, {}, [&](size_t page) { return std::ranges::find(order, pages_[page].title); });
  return out;
}

void CodeModel::movePage(size_t page, int places) {
  if (!isOpen(page))
    return;
  std::vector<std::string> open;
  for (size_t each : openPages())
    open.push_back(pages_[each].title);
  moveInOrder(open, pages_[page].title, places);
  order = std::move(open);
}

void CodeModel::open(size_t page, bool open) {
  if (page >= panes_.size() || (!open && openPages().size() == 1))
    return;
  panes_[page].open = open;
  std::erase(wanted_, pages_[page].title);
  if (open)
    wanted_.push_back(pages_[page].title);
  if (open)
    front_ = page;
  else if (front_ == page)
    front_ = openPages().front();
  if (open && pointed().some() && !lit(page).empty())
    panes_[page].reveal = lit(page).front();
}

void CodeModel::openOnly(const std::vector<size_t> &pages) {
  for (size_t i = 0; i < panes_.size(); ++i)
    if (bool wanted = std::ranges::find(pages, i) != pages.end(); wanted != panes_[i].open && wanted)
      open(i, true);
  for (size_t i = 0; i < panes_.size(); ++i)
    if (std::ranges::find(pages, i) == pages.end())
      open(i, false);
  if (!pages.empty())
    bringToFront(pages.front());
}

void CodeModel::bringToFront(size_t page) {
  if (page >= pages_.size())
    return;
  if (!panes_[page].open)
    open(page, true);
  front_ = page;
}

void CodeModel::cycle(int step) {
  std::vector<size_t> all = openPages();
  auto at = std::ranges::find(all, front_);
  if (at == all.end())
    return;
  auto count = static_cast<int>(all.size());
  front_ = all[static_cast<size_t>((static_cast<int>(at - all.begin()) + step + count) % count)];
}

void CodeModel::hover(CodePlace place) {
  if (place == hovered_)
    return;
  hovered_ = place.page < pages_.size() && place.line <= pages_[place.page].lines() ? place : CodePlace{};
  light();
}

void CodeModel::pin(CodePlace place) {
  pinned_ = place.page < pages_.size() && place.line <= pages_[place.page].lines() ? place : CodePlace{};
  pinnedLast_ = pinned_.line;
  chosenArray = 0;
  light();
  if (!pinned_.some())
    return;
  for (size_t page : openPages())
    if (!panes_[page].lit.empty())
      reveal(page == pinned_.page ? pinned_ : CodePlace{page, panes_[page].lit.front()});
}

void CodeModel::extendPin(uint32_t line) {
  if (!pinned_.some() || line > pages_[pinned_.page].lines() || line == 0)
    return;
  if (line < pinned_.line)
    pinnedLast_ = std::max(pinnedLast_, pinned_.line), pinned_.line = line;
  else
    pinnedLast_ = line;
  light();
}

void CodeModel::movePin(int lines) {
  if (front_ >= pages_.size())
    return;
  CodePlace next{front_, inSight(front_).first};
  if (pinned_.some() && pinned_.page == front_) {
    auto last = static_cast<int64_t>(pages_[front_].lines());
    next.line = static_cast<uint32_t>(std::clamp<int64_t>(int64_t{pinned_.line} + lines, 1, last));
  }
  hovered_ = {};
  pin(next);
  reveal(next);
}

void CodeModel::light() {
  CodePlace from = pointed();
  for (size_t page = 0; page < panes_.size(); ++page) {
    std::vector<uint32_t> &lit = panes_[page].lit;
    lit.clear();
    if (!from.some())
      continue;
    uint32_t last = hovered_.some() ? from.line : pinnedLast_;
    for (uint32_t line = from.line; line <= last; ++line) {
      if (page == from.page)
        lit.push_back(line);
      if (links_) {
        std::vector<uint32_t> more = links_->linked(from.page, line, page);
        lit.insert(lit.end(), more.begin(), more.end());
      }
    }
    std::ranges::sort(lit);
    lit.erase(std::ranges::unique(lit).begin(), lit.end());
  }
}

const std::vector<uint32_t> &CodeModel::lit(size_t page) const {
  static const std::vector<uint32_t> nothing;
  return page < panes_.size() ? panes_[page].lit : nothing;
}

bool CodeModel::isLit(size_t page, uint32_t line) const { return std::ranges::binary_search(lit(page), line); }

bool CodeModel::anyLit(size_t page, const std::vector<uint32_t> &lines) const {
  return std::ranges::any_of(lines, [&](uint32_t line) { return isLit(page, line); });
}

void CodeModel::showNextLit(size_t page, int step) {
  const std::vector<uint32_t> &lines = lit(page);
  if (lines.empty())
    return;
  auto [first, last] = inSight(page);
  if (step > 0) {
    auto next = std::ranges::upper_bound(lines, last);
    reveal({page, next == lines.end() ? lines.front() : *next});
  } else {
    auto next = std::ranges::lower_bound(lines, first);
    reveal({page, next == lines.begin() ? lines.back() : *std::prev(next)});
  }
}

void CodeModel::reveal(CodePlace place) {
  if (place.page >= panes_.size() || !place.some())
    return;
  auto [first, last] = inSight(place.page);
  if (place.line < first || place.line > last || first == 0)
    panes_[place.page].reveal = place.line;
}

std::optional<uint32_t> CodeModel::takeReveal(size_t page) { return std::exchange(panes_[page].reveal, std::nullopt); }

std::pair<uint32_t, uint32_t> CodeModel::inSight(size_t page) const {
  const Drawn &drawn = panes_[page].drawn;
  if (!(drawn.lineHeight > 0))
    return {0, 0};
  auto first = static_cast<uint32_t>(std::ceil(drawn.scroll / drawn.lineHeight)) + 1;
  auto rows = static_cast<uint32_t>(std::max(1.0f, drawn.height / drawn.lineHeight - 1));
  return {first, std::min(first + rows - 1, static_cast<uint32_t>(pages_[page].lines()))};
}

const CodeMarker *CodeModel::markerAt(size_t page, uint32_t line) const {
  for (const CodeMarker &marker : markers)
    if (marker.line == line && page < pages_.size() && marker.page == pages_[page].title)
      return &marker;
  return nullptr;
}

size_t CodeModel::tellingColumn() const {
  auto largest = [&](size_t column) {
    double most = 0;
    for (size_t page : openPages())
      if (const auto &costs = pages_[page].costs)
        most = std::max(most, costs->largest(column));
    return most;
  };
  if (largest(0) > 1)
    return 0;
  const std::vector<core::CostColumn> &columns = costColumns();
  for (const char *wanted : {"cycles", "live"})
    if (auto at = std::ranges::find(columns, wanted, &core::CostColumn::id); at != columns.end())
      if (auto column = static_cast<size_t>(at - columns.begin()); largest(column) > 0)
        return column;
  return 0;
}

const std::vector<core::CostColumn> &CodeModel::costColumns() const {
  static const std::vector<core::CostColumn> none;
  for (const Page &page : pages_)
    if (page.costs && !page.costs->empty())
      return page.costs->columns;
  return none;
}

std::vector<const CodeRequest::Array *> CodeModel::litArrays() const {
  std::vector<const CodeRequest::Array *> out;
  for (const CodeRequest::Array &array : arrays_)
    if (isLit(array.page, array.line))
      out.push_back(&array);
  return out;
}

std::vector<CodeRequest::Memory> CodeModel::litMemories() const {
  std::vector<CodeRequest::Memory> out;
  for (const CodeRequest::Memory &memory : memories_) {
    if (!anyLit(memory.page, memory.lines))
      continue;
    auto same = std::ranges::find_if(
        out, [&](const CodeRequest::Memory &other) { return other.name == memory.name && other.size == memory.size; });
    if (same == out.end())
      out.push_back(memory);
    else
      same->ranges.insert(same->ranges.end(), memory.ranges.begin(), memory.ranges.end());
  }
  for (CodeRequest::Memory &memory : out) {
    std::ranges::sort(memory.ranges);
    std::vector<std::pair<int64_t, int64_t>> joined;
    for (auto [begin, end] : memory.ranges) {
      if (joined.empty() || joined.back().second < begin)
        joined.emplace_back(begin, end);
      joined.back().second = std::max(joined.back().second, end);
    }
    memory.ranges = std::move(joined);
  }
  return out;
}

std::vector<std::string> CodeModel::litRegions() const {
  std::vector<std::string> out;
  for (const CodeRequest::Region &region : regions_)
    if (anyLit(region.page, region.lines))
      out.push_back(region.name);
  return out;
}

std::vector<std::string> CodeModel::litPlaces() const {
  std::vector<std::string> out;
  if (std::optional<size_t> snippet = pageNamed("snippet"))
    for (uint32_t line : lit(*snippet))
      out.push_back(text(title, ":", line));
  return out;
}

std::vector<std::string> CodeModel::words() const {
  std::vector<std::string> out;
  CodePlace at = pointed();
  if (!at.some())
    return out;
  const Page &page = pages_[at.page];
  std::string costs = page.costs ? core::costWords(*page.costs, at.line) : "";
  for (std::string_view rest = costs; !rest.empty();) {
    size_t end = std::min(rest.find('\n'), rest.size());
    out.emplace_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  for (const CodeRequest::Memory &memory : litMemories()) {
    int64_t total = 0;
    for (auto [begin, end] : memory.ranges)
      total += end - begin;
    out.push_back(text(memory.name, ": ", total, " ", memory.unit, total == 1 ? "" : "s", " from ",
                       memory.ranges.front().first, " to ", memory.ranges.back().second - 1));
  }
  for (const std::string &region : litRegions())
    out.push_back(text("region `", region, "` of the trace"));
  bool alone = true;
  for (size_t other = 0; other < pages_.size(); ++other)
    alone &= other == at.page || lit(other).empty();
  if (alone && links_ && pages_.size() > 1)
    out.push_back("nothing in the other texts belongs to this line");
  return out;
}

std::string CodeModel::litText(size_t page) const {
  std::string out;
  for (uint32_t line : lit(page))
    out += text(pages_[page].line(line - 1), "\n");
  return out;
}

std::vector<std::string> CodeModel::litWords() const {
  std::vector<std::string> out;
  for (size_t page = 0; page < pages_.size(); ++page)
    if (!lit(page).empty())
      out.push_back(text("highlighted ", pages_[page].title, ": ", lineRanges(lit(page))));
  return out;
}

void CodeModel::drawPicture(bool dark, Requests &requests) {
  auto arrays = litArrays();
  chosenArray = arrays.empty() ? 0 : std::min(chosenArray, arrays.size() - 1);
  std::optional<ViewSpec> wanted;
  if (!arrays.empty()) {
    wanted = arrays[chosenArray]->view;
    wanted->theme = dark ? ColourTheme::Dark : ColourTheme::Light;
  }
  if (wanted == pictureOf_)
    return;
  pictureOf_ = wanted;
  if (!wanted) {
    picture.clear();
    pictureTitle.clear();
    return;
  }
  requests.post("code picture", [this, spec = *wanted] {
    Result<Scene> scene = viewScene(spec, {.boxes = false});
    std::string problem = scene || scene.error().empty() ? "" : scene.error().front().message;
    std::shared_ptr<const PreparedScene> ready =
        scene ? std::make_shared<const PreparedScene>(*std::move(scene)) : nullptr;
    return [this, ready, spec, problem] {
      if (spec != pictureOf_)
        return;
      pictureTitle = ready ? ready->scene.title : problem;
      if (ready)
        picture.show(ready);
      else
        picture.clear();
    };
  });
}

std::string lineRanges(const std::vector<uint32_t> &lines) {
  std::string out;
  size_t shown = 0;
  for (size_t i = 0; i < lines.size();) {
    size_t last = i;
    while (last + 1 < lines.size() && lines[last + 1] == lines[last] + 1)
      ++last;
    if (++shown > kRangesShown)
      return text(out, " and ", lines.size() - i, " more");
    out += text(out.empty() ? "" : ", ", lines[i]);
    if (last > i)
      out += text("-", lines[last]);
    i = last + 1;
  }
  return out;
}

} // namespace lanescope::viz
