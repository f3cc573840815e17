// The widths of DejaVu Sans' characters, so that pages look the same on every machine. (Verdana's widths are nearly the
// same.)
#include "viz/scene/Page.h"

namespace lanescope::viz {
namespace {

// Advance widths of U+0020 to U+007E in 1/1000 of the font size, read from the font.
constexpr int kRegular[] = {318,  401, 460, 838, 636, 950, 780, 275, 390, 390, 500, 838, 318, 361, 318, 337,
                            636,  636, 636, 636, 636, 636, 636, 636, 636, 636, 337, 337, 838, 838, 838, 531,
                            1000, 684, 686, 698, 770, 632, 575, 775, 752, 295, 295, 656, 557, 863, 748, 787,
                            603,  787, 695, 635, 611, 732, 684, 989, 685, 611, 685, 390, 337, 390, 838, 500,
                            500,  613, 635, 550, 635, 615, 352, 635, 634, 278, 278, 579, 278, 974, 634, 612,
                            635,  635, 411, 521, 392, 634, 592, 818, 592, 592, 525, 636, 337, 636, 838};
constexpr int kBold[] = {348,  456, 521, 838, 696, 1002, 872, 306,  457, 457, 523, 838, 380, 415,  380, 365,
                         696,  696, 696, 696, 696, 696,  696, 696,  696, 696, 400, 400, 838, 838,  838, 580,
                         1000, 774, 762, 734, 830, 683,  683, 821,  837, 372, 372, 775, 637, 995,  837, 850,
                         733,  850, 770, 720, 682, 812,  774, 1103, 771, 724, 725, 457, 365, 457,  838, 500,
                         500,  675, 716, 593, 716, 678,  435, 716,  712, 343, 343, 665, 343, 1042, 712, 687,
                         716,  716, 493, 595, 478, 712,  652, 924,  645, 652, 582, 712, 365, 712,  838};
constexpr int kOther = 850; // for ×, …, → and the like; wide enough for most other characters

} // namespace

double textWidth(std::string_view text, double size, bool bold) {
  int64_t width = 0;
  for (unsigned char c : text) {
    if (c >= 0x20 && c < 0x7f)
      width += (bold ? kBold : kRegular)[c - 0x20];
    else if (c >= 0xc0) // first byte of a longer UTF-8 character
      width += kOther;
  }
  return static_cast<double>(width) * size / 1000;
}

std::vector<std::string> wrapText(std::string_view text, double size, double width) {
  std::vector<std::string> lines;
  std::string line;
  while (!text.empty()) {
    size_t end = text.find(' ');
    std::string_view word = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    std::string longer = line.empty() ? std::string(word) : line + " " + std::string(word);
    if (!line.empty() && textWidth(longer, size) > width) {
      lines.push_back(std::move(line));
      line = word;
    } else {
      line = std::move(longer);
    }
  }
  if (!line.empty())
    lines.push_back(std::move(line));
  return lines;
}

} // namespace lanescope::viz
