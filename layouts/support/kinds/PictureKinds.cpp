#include "layouts/support/kinds/Areas.h"

#include <array>

namespace lanescope {
namespace {

// clang-format off
constexpr auto kPicturesRows = std::to_array<KindEntry>({
    kind("bad-view", "the text of a view is wrong",
         "`lanescope show --help` lists the views."),
    kind("bad-shape", "the text of a shape is wrong",
         "Write `64x128`."),
    kind("bad-slice", "the shape has no such slice",
         "Write one index or range for each dimension.")
        .eval("show(WGMMA, (64, 16), slice=(1, 2, 3))",
              "the slice (1, 2, 3) fixes more dimensions than the shape (64, 16) has"),
    kind("bad-matrix", "a matrix has entries that are not its bits",
         "Entries are 0 and 1."),
    kind("bad-script", "a command of a window's script is wrong",
         "docs/window.md lists the commands."),
    kind("script", "the window does not show what a script expects",
         "The message has what the window shows."),
    kind("array-picture", "an array or an image, or that slice of it, cannot be drawn",
         "Choose a slice of two dimensions."),
    kind("png", "an image cannot be read",
         "Save it again as a plain RGB or RGBA image."),
    kind("empty-matrix", "a layout has no bits to draw",
         "A layout of one element has none."),
    kind("view-does-not-fit", "the layout has no such picture",
         "The message lists those that it has.")
        .eval("show(WGMMA, (64, 16), view='tmem')",
              "the `tmem` view draws a TMEM layout, and this is a register layout; use `grid` or `lanes`"),
    kind("no-operands", "the picture of operands needs an instruction or a tiled MMA, and this is neither",
         "Type an instruction.")
        .severities("note"),
    kind("colour-does-not-fit", "the picture has no such colouring",
         "The message lists those that it has.")
        .eval("show(tmem_half_lane_layout(64, 2), (64, 64), f16, color='bank')",
              "tensor memory has no banks; colour it by warp, lane, register or vector"),
    kind("classes-missing", "the picture is coloured by class, and no classes are given",
         "Give the class of each element."),
    kind("class-too-large", "a class is beyond the last",
         "Classes count from 0."),
    kind("owners-missing", "colouring by warp without the layout that holds the array",
         "Give the layout in registers."),
    kind("no-layout", "an operation has no layout to draw",
         "Choose another operation."),
    kind("no-tmem-layout", "no layout of tensor memory is chosen for the shape",
         "Give the layout."),
    kind("no-devices", "no array is split over devices, and the window needs one for this picture",
         "Run a kernel on several devices.")
        .severities("note"),
    kind("no-tensor-memory", "a picture of tensor memory is asked for, and the kernel declares nothing there",
         "Choose another picture.")
        .severities("error note"),
    kind("not-selectable", "the picture has no such places to select",
         "Select in another picture."),
    kind("no-such-place", "the layout has no such thread, byte or cell",
         "The message has the range."),
    kind("no-subject", "the value cannot be drawn in this form",
         "Open a layout first."),
    kind("shown-as-text", "`show` was given a text that looks like a layout and that no notation reads; it is no fault",
         "The note says what the text lacks to be a layout.")
        .severities("note"),
    kind("picture-too-large", "a picture is larger than can be drawn",
         "Draw a slice."),
    kind("several-pictures", "there are several pictures for a file that holds one",
         "Choose one with `--view`, or write HTML."),
    kind("unknown-format", "there is no such file format",
         "The message lists the endings."),
    kind("drawing-failed", "Cairo could not draw",
         "Draw a smaller picture.")
        .noTest("only for lack of memory"),
});
// clang-format on

} // namespace

KindArea pictureKinds() { return {"Pictures and the window", kPicturesRows}; }

} // namespace lanescope
