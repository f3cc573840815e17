#include "viz/web/PageServer.h"

#include "core/data/Files.h"
#include "layouts/support/Text.h"

#include <httplib.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <sys/random.h>
#include <sys/socket.h>
#include <system_error>
#include <utility>

namespace lanescope::viz {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr std::string_view kLoopback[] = {"localhost", "127.0.0.1", "[::1]"};

std::string_view typeOf(const fs::path &file) {
  static const std::map<std::string, std::string_view, std::less<>> kTypes = {
      {".html", "text/html; charset=utf-8"},
      {".css", "text/css"},
      {".js", "text/javascript"},
      {".json", "application/json"},
      {".svg", "image/svg+xml"},
      {".wasm", "application/wasm"},
      {".gz", "application/gzip"},
      {".webmanifest", "application/manifest+json"}};
  auto found = kTypes.find(file.extension().string());
  return found == kTypes.end() ? "text/plain; charset=utf-8" : found->second;
}

bool isTrace(const fs::path &file) { return file.extension() == ".json" || file.extension() == ".gz"; }

/// Compares without stopping at the first difference, so that the time says nothing about the token.
bool sameToken(std::string_view a, std::string_view b) {
  unsigned char differs = a.size() != b.size();
  for (size_t i = 0; i < std::min(a.size(), b.size()); ++i)
    differs |= static_cast<unsigned char>(a[i] ^ b[i]);
  return differs == 0;
}

/// Changes with each save.
std::string stampOf(const fs::path &file) {
  std::error_code ignored;
  auto time = fs::last_write_time(file, ignored).time_since_epoch().count();
  return ignored ? "" : text(time, "-", fs::file_size(file, ignored));
}

} // namespace

std::string randomToken() {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::array<unsigned char, 16> bytes{};
  for (size_t got = 0; got < bytes.size();)
    got += static_cast<size_t>(std::max<ssize_t>(getrandom(bytes.data() + got, bytes.size() - got, 0), 0));
  std::string out;
  for (unsigned char byte : bytes)
    out += {kDigits[byte >> 4], kDigits[byte & 15]};
  return out;
}

ServedPage::ServedPage(fs::path folder, std::vector<fs::path> files, std::vector<std::string> hosts, std::string token)
    : token_(std::move(token)), hosts_(std::move(hosts)), files_(std::move(files)) {
  std::error_code ignored;
  for (fs::recursive_directory_iterator at(folder, ignored), end; at != end; at.increment(ignored))
    if (at->is_regular_file(ignored))
      served_[at->path().lexically_relative(folder).generic_string()] = at->path();
  served_[""] = folder / "index.html";
  for (size_t n = 0; n < files_.size(); ++n)
    served_[text("files/", n)] = files_[n];
}

std::string ServedPage::start() const {
  bool trace = std::ranges::any_of(files_, isTrace);
  return text("/", token_, "/", trace ? "traces.html" : "", files_.empty() ? "" : "?files");
}

bool ServedPage::knowsHost(std::string_view host) const {
  // Without the port, because a tunnel may have another one.
  size_t colon = host.rfind(':');
  std::string_view name =
      colon != std::string_view::npos && host.find(']', colon) == std::string_view::npos ? host.substr(0, colon) : host;
  return std::ranges::find(kLoopback, name) != std::end(kLoopback) || std::ranges::find(hosts_, name) != hosts_.end();
}

std::string ServedPage::fileList() const {
  json out = json::array();
  for (size_t n = 0; n < files_.size(); ++n)
    out.push_back({{"name", files_[n].filename().string()},
                   {"address", text("files/", n)},
                   {"kind", isTrace(files_[n]) ? "trace" : "layout"},
                   {"stamp", stampOf(files_[n])}});
  return out.dump(-1, ' ', false, json::error_handler_t::replace);
}

ServedPage::Answer ServedPage::answer(const Request &request) const {
  auto refused = [](int status, std::string why) { return Answer{status, "text/plain; charset=utf-8", why + "\n"}; };
  if (!knowsHost(request.host))
    return refused(403, "This server answers to localhost; `lanescope serve --host NAME` adds a name.");
  if (!request.origin.empty() && request.origin != "http://" + request.host)
    return refused(403, "This server answers only its own page.");
  if (request.method != "GET" && request.method != "HEAD")
    return refused(405, "This server only gives files.");
  std::string_view path = request.path;
  size_t slash = path.find('/', 1);
  if (!path.starts_with('/') || slash == std::string_view::npos || !sameToken(path.substr(1, slash - 1), token_))
    return refused(403, "The address lacks the token that `lanescope serve` has printed.");
  std::string_view asked = path.substr(slash + 1);
  if (asked == "files.json")
    return {200, "application/json", fileList()};
  auto found = served_.find(asked);
  if (found == served_.end())
    return refused(404, "There is no such file on this page.");
  auto bytes = core::readFile(found->second, core::FileRole::Trace);
  if (!bytes)
    return refused(404, bytes.error()[0].message);
  return {200, std::string(typeOf(found->second)), {reinterpret_cast<const char *>(bytes->data()), bytes->size()}};
}

PageServer::PageServer(std::string host, ServedPage page)
    : host_(std::move(host)), page_(std::move(page)), server_(std::make_unique<httplib::Server>()) {}
PageServer::~PageServer() = default;

std::expected<std::unique_ptr<PageServer>, std::string> PageServer::listenOn(const std::string &address, int port,
                                                                             ServedPage page) {
  bool six = address.find(':') != std::string::npos;
  std::unique_ptr<PageServer> made(new PageServer(six ? "[" + address + "]" : address, std::move(page)));
  httplib::Server &server = *made->server_;
  server.set_default_headers({{"X-Content-Type-Options", "nosniff"},
                              {"Referrer-Policy", "no-referrer"},
                              {"Cross-Origin-Resource-Policy", "same-origin"},
                              {"X-Frame-Options", "DENY"},
                              {"Cache-Control", "no-cache"}});
  server.set_socket_options([](int socket) { // the library's own options let two servers share a port
    int yes = 1;
    setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  });
  server.set_payload_max_length(0);
  server.set_keep_alive_max_count(1); // a connection that waits for more would occupy one of a few threads
  server.set_pre_routing_handler([page = &made->page_](const httplib::Request &asked, httplib::Response &answer) {
    ServedPage::Answer given =
        page->answer({asked.method, asked.path, asked.get_header_value("Host"), asked.get_header_value("Origin")});
    answer.status = given.status;
    answer.set_content(given.body, given.type);
    return httplib::Server::HandlerResponse::Handled;
  });
  made->port_ = port == 0 ? server.bind_to_any_port(address) : server.bind_to_port(address, port) ? port : -1;
  if (made->port_ <= 0)
    return std::unexpected(text(port == 0 ? text("`", address, "` has no free port, or is no address of this machine")
                                          : text("port ", port, " of `", address, "` is not free"),
                                "; without `--address` and `--port`, a free port of this machine is taken"));
  return made;
}

std::string PageServer::address() const { return text("http://", host_, ":", port_, page_.start()); }
void PageServer::run() { server_->listen_after_bind(); }
void PageServer::stop() { server_->stop(); }

} // namespace lanescope::viz
