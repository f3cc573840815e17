#include "repl/session/PageLinkBuiltin.h"

#include "core/data/PageLink.h"
#include "layouts/support/Try.h"
#include "repl/session/Show.h"
#include "viz/host/ViewLink.h"

namespace lanescope::repl {

Builtin pageLinkBuiltin() {
  auto link = std::make_shared<std::string>(); // of the call that runs
  ShowSink sink;
  sink.picture = [link](const Shown &shown, const std::string &) {
    if (const auto *view = std::get_if<ShownView>(&shown))
      *link = viz::viewLink(viz::viewText(writtenSpec(*view)), core::kDefaultPage);
  };
  sink.value = [](const Value &) {};
  sink.terminal = [] { return viz::TerminalOptions{}; };
  Builtin out = showBuiltin(std::move(sink));
  out.name = "page_link";
  out.signature.replace(0, out.signature.find('('), out.name);
  out.doc = "The address of a web page that shows what `show` shows, to send to others (docs/browser.md).\n"
            "\n"
            "page_link(WGMMA, (64, 16))                    on the page of `./dev site`, on this machine\n"
            "page_link(WGMMA, (64, 16)).split(\"#\")[1]      what follows the address of any other page of it";
  out.call = [link, show = std::move(out.call)](Context &context, const BoundArguments &args) -> Result<Value> {
    link->clear();
    LANESCOPE_TRY(show(context, args));
    if (link->empty())
      return args.wrongType(0, "a layout or a map, which the page can show");
    return Value(*link);
  };
  return out;
}

} // namespace lanescope::repl
