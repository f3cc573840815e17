#include "viz/gui/dump/DumpModel.h"

#include "layouts/support/Text.h"
#include "viz/scene/Palette.h"

#include <algorithm>

namespace lanescope::viz {

namespace {

struct Drawn {
  std::shared_ptr<const PreparedScene> scene;
  std::string problem;
};

Drawn drawnOf(Result<Scene> scene) {
  if (scene)
    return {std::make_shared<const PreparedScene>(*std::move(scene)), ""};
  return {nullptr, scene.error().empty() ? "" : scene.error().front().message};
}

} // namespace

void DumpModel::show(std::shared_ptr<const DumpPage> page, Requests &requests) {
  std::string name = page_ && row_ < page_->rows.size() ? page_->rows[row_].name : "";
  page_ = std::move(page);
  hovered_.reset();
  if (row_ >= page_->rows.size() || page_->rows[row_].name != name)
    row_ = page_->first;
  if (page_->rows.empty())
    side = Side::Page;
  choose(row_, requests);
}

void DumpModel::choose(size_t row, Requests &requests) {
  if (!page_ || row >= page_->rows.size())
    return redraw(requests);
  row_ = row;
  value_ = 0;
  const auto &values = page_->rows[row].values;
  // Results come last in `values`. They are the values that the operation produces.
  for (size_t i = values.size(); i-- > 0;)
    if (values[i].view && values[i].role.starts_with("result")) {
      value_ = i;
      return redraw(requests);
    }
  auto drawn = std::ranges::find_if(values, [](const DumpRowValue &value) { return value.view.has_value(); });
  if (drawn != values.end())
    value_ = static_cast<size_t>(drawn - values.begin());
  redraw(requests);
}

void DumpModel::chooseValue(size_t value, Requests &requests) {
  value_ = value;
  redraw(requests);
}

void DumpModel::showSide(Side wanted, Requests &requests) {
  side = wanted;
  redraw(requests);
}

const DumpRowValue *DumpModel::chosen() const {
  if (!page_ || row_ >= page_->rows.size() || value_ >= page_->rows[row_].values.size())
    return nullptr;
  return &page_->rows[row_].values[value_];
}

void DumpModel::redraw(Requests &requests) {
  if (!page_)
    return;
  std::optional<ViewSpec> view;
  if (const DumpRowValue *value = chosen())
    view = value->view;
  requests.post("dump", [this, page = page_, side = side, view, dark = dark] {
    ColourTheme theme = dark ? ColourTheme::Dark : ColourTheme::Light;
    Drawn drawn;
    if (side == Side::SharedMemory || side == Side::TensorMemory) {
      auto scene = memoryScene(*page, side == Side::TensorMemory, theme);
      drawn = scene ? drawnOf(*std::move(scene)) : Drawn{nullptr, "this kernel has none"};
    } else if (view) {
      ViewSpec spec = *view;
      spec.theme = theme;
      drawn = drawnOf(viewScene(spec, {.boxes = false}));
    } else {
      drawn.problem = "this value has no layout to draw";
    }
    return [this, page, drawn] {
      if (page != page_)
        return;
      problem = drawn.problem;
      if (drawn.scene)
        picture.show(drawn.scene);
      else
        picture.clear();
    };
  });
}

DumpModel::Link DumpModel::linkOf(size_t row) const {
  size_t of = hovered_.value_or(row_);
  if (!page_ || of >= page_->rows.size())
    return Link::None;
  if (row == of)
    return Link::Chosen;
  auto takes = [&](size_t user, size_t source) {
    return std::ranges::any_of(page_->rows[user].values,
                               [&](const DumpRowValue &value) { return value.source == source; });
  };
  if (takes(of, row))
    return Link::Source;
  return takes(row, of) ? Link::User : Link::None;
}

std::string DumpModel::valueWords() const {
  const DumpRowValue *value = chosen();
  if (!value)
    return "";
  std::string out = text(value->role, ": ", value->type, "\n");
  if (!value->storage.empty())
    out += text(value->storage, "\n");
  if (value->source)
    out += text("from #", *value->source + 1, " ", page_->rows[*value->source].name, "\n");
  for (const DumpRowValue::Reason &reason : value->why)
    out += text("why: ", reason.words, reason.line > 0 ? text(" (line ", reason.line, ")") : "", "\n");
  return out;
}

std::string DumpModel::whatIf(const std::string &layout) const {
  const DumpRowValue *value = chosen();
  if (!value || layout.empty())
    return "";
  size_t space = value->role.find(' ');
  std::string_view kind = std::string_view(value->role).substr(0, space),
                   number = std::string_view(value->role).substr(space + 1);
  return text("dump = dump.cast(", row_ + 1, ", ", layout, ", ", kind, "=", number, ")\ndump\nshow(dump)\n");
}

} // namespace lanescope::viz
