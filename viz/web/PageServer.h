// Serves the web page and a few files to a browser on this machine. The answers are those of ServedPage; PageServer
// brings them to a port.
//
//   ServedPage page(folder, {"matmul.json.gz"});
//   page.answer({.method = "GET", .path = "/" + page.token() + "/index.html", .host = "localhost:8123"})
//
// Others on the machine, and pages in the same browser, know the port but not the token. A request without it is
// refused, and so is one for another host (a name that leads to this machine: DNS rebinding) or from another origin. No
// path is looked up in the file system: what can be asked for is a table that is made at the start.
#pragma once

#include <expected>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace httplib {
class Server;
}

namespace lanescope::viz {

/// 32 random hexadecimal digits from the system.
std::string randomToken();

class ServedPage {
public:
  struct Request {
    std::string method = "GET", path, host, origin;
  };
  struct Answer {
    int status = 200;
    std::string type, body; // a media type; the file, or one line about the error
  };

  /// `folder`: the files of the page. `files`: files to open on it. `hosts`: names besides those of the loopback by
  /// which the server may be addressed.
  ServedPage(std::filesystem::path folder, std::vector<std::filesystem::path> files,
             std::vector<std::string> hosts = {}, std::string token = randomToken());

  const std::string &token() const { return token_; }
  /// The part of the address after the host: "/TOKEN/traces.html?files", or index.html if no file is a trace.
  std::string start() const;
  Answer answer(const Request &request) const;

private:
  bool knowsHost(std::string_view host) const;
  std::string fileList() const;

  std::string token_;
  std::vector<std::string> hosts_;
  std::vector<std::filesystem::path> files_;
  std::map<std::string, std::filesystem::path, std::less<>> served_; // from the part of the path after the token
};

class PageServer {
public:
  /// Takes the port; 0: any free one. `address` is a numeric address. The error is a sentence: the port is not free, or
  /// the machine has no such address.
  static std::expected<std::unique_ptr<PageServer>, std::string> listenOn(const std::string &address, int port,
                                                                          ServedPage page);
  ~PageServer();
  /// "http://127.0.0.1:8123/TOKEN/index.html?files"
  std::string address() const;
  /// Serves until stop() is called on another thread or by a signal handler's thread.
  void run();
  void stop();

private:
  PageServer(std::string host, ServedPage page);

  std::string host_; // for the address; with brackets around IPv6
  int port_ = 0;
  ServedPage page_;
  std::unique_ptr<httplib::Server> server_;
};

} // namespace lanescope::viz
