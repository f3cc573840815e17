#include "repl/lsp/Server.h"

#include "repl/lsp/Commands.h"
#include "repl/lsp/LspMessages.h"

#include "llvm/Support/LSP/Protocol.h"
#include "llvm/Support/LSP/Transport.h"

namespace lanescope::repl::lsp {

namespace {

using llvm::lsp::ErrorCode;
using llvm::lsp::LSPError;
using Reply = llvm::lsp::Callback<json::Value>;

/// The method that answers an invalid message with an error. It is a method so that the server sends all answers in the
/// same way.
constexpr llvm::StringLiteral kRefused = "lanescope/refused";
struct RefusedParams {
  std::string why;
  int64_t code = 0;
};
bool fromJSON(const json::Value &value, RefusedParams &out, json::Path path) {
  json::ObjectMapper map(value, path);
  return map && map.map("why", out.why) && map.mapOptional("code", out.code);
}

llvm::Error refusal(std::string why, ErrorCode code = ErrorCode::InvalidParams) {
  return llvm::make_error<LSPError>(std::move(why), code);
}

/// True for a request, a notification, or an answer to one of our requests (JSON-RPC 2.0, 4 and 5).
bool isMessage(const json::Value &value) {
  const json::Object *object = value.getAsObject();
  return object && object->getString("jsonrpc") == std::optional<llvm::StringRef>("2.0") &&
         (object->getString("method") || object->get("id"));
}

json::Value valueOr(const json::Object &message, llvm::StringRef name) {
  const json::Value *found = message.get(name);
  return found ? *found : json::Value(nullptr);
}

template <typename Answer> json::Value orNull(const std::optional<Answer> &answer, const auto &toMessage) {
  return answer ? toMessage(*answer) : json::Value(nullptr);
}

} // namespace

class Server::Impl {
public:
  Impl(ServerOptions options, llvm::raw_ostream &output)
      : transport_(stdin, output), handler_(transport_),
        commands_(options.workspace.arch, options.device, options.worker),
        workspace_(options.workspace,
                   [this](const Document &document, Workspace::Stage stage, const Diagnostics &diagnostics) {
                     publish(document, stage, diagnostics);
                   }) {
    handler_.method("initialize", this, &Impl::initialize);
    handler_.method("shutdown", this, &Impl::shutdown);
    handler_.method(kRefused, this, &Impl::refused);
    handler_.notification("textDocument/didOpen", this, &Impl::opened);
    handler_.notification("textDocument/didChange", this, &Impl::changed);
    handler_.notification("textDocument/didClose", this, &Impl::closed);
    handler_.method("textDocument/hover", this, &Impl::onHover);
    handler_.method("textDocument/completion", this, &Impl::onCompletion);
    handler_.method("textDocument/signatureHelp", this, &Impl::onSignature);
    handler_.method("textDocument/definition", this, &Impl::onDefinition);
    handler_.method("textDocument/references", this, &Impl::onReferences);
    handler_.method("textDocument/documentHighlight", this, &Impl::onReferences);
    handler_.method("textDocument/rename", this, &Impl::onRename);
    handler_.method("textDocument/documentSymbol", this, &Impl::onSymbols);
    handler_.method("textDocument/inlayHint", this, &Impl::onHints);
    handler_.method("textDocument/semanticTokens/full", this, &Impl::onTokens);
    handler_.method("textDocument/semanticTokens/range", this, &Impl::onTokensIn);
    handler_.method("textDocument/codeLens", this, &Impl::onLenses);
    handler_.method("workspace/executeCommand", this, &Impl::onCommand);
  }

  int run(MessageReader &input) {
    while (auto incoming = input.next()) {
      if (!incoming->message)
        refuse(nullptr, ErrorCode::ParseError, incoming->problem);
      else if (!isMessage(*incoming->message))
        refuse(nullptr, ErrorCode::InvalidRequest, "this is no message of JSON-RPC 2.0");
      else if (!take(*incoming->message->getAsObject()))
        return shutdown_ ? 0 : 1;
    }
    return 1; // the client disconnected without `exit`
  }

private:
  /// Handles a message. Returns false if the client asks the server to exit.
  bool take(const json::Object &message) {
    auto method = message.getString("method");
    const json::Value *id = message.get("id");
    if (!method)
      return handler_.onReply(*id, valueOr(message, "result"));
    if (!id)
      return handler_.onNotify(*method, valueOr(message, "params"));
    if (shutdown_)
      refuse(*id, ErrorCode::InvalidRequest, "the server is shut down");
    else if (!initialized_ && *method != "initialize")
      refuse(*id, ErrorCode::ServerNotInitialized, "`initialize` comes first");
    else
      handler_.onCall(*method, valueOr(message, "params"), *id);
    return true;
  }

  void refuse(json::Value id, ErrorCode code, std::string why) {
    handler_.onCall(kRefused, json::Object{{"why", toJson(why)}, {"code", static_cast<int64_t>(code)}}, std::move(id));
  }
  void refused(const RefusedParams &params, Reply reply) {
    reply(refusal(params.why, static_cast<ErrorCode>(params.code)));
  }

  // --- the protocol's session
  void initialize(const ClientParams &client, Reply reply) {
    client_ = client;
    initialized_ = true;
    reply(serverCapabilities());
  }
  void shutdown(const NoParams &, Reply reply) {
    shutdown_ = true;
    reply(nullptr);
  }

  // --- documents
  void opened(const OpenParams &params) { workspace_.open(params.uri, params.version, params.text); }
  void changed(const ChangeParams &params) { workspace_.change(params.uri, params.version, params.changes); }
  void closed(const DocumentParams &params) {
    workspace_.close(params.uri);
    diagnostics_(json::Object{{"uri", toJson(params.uri)}, {"diagnostics", json::Array{}}});
  }

  /// The workspace's thread calls this. For syntax errors, the server's own thread calls it.
  void publish(const Document &document, Workspace::Stage stage, const Diagnostics &diagnostics) {
    using Stage = Workspace::Stage;
    if (stage == Stage::CheckBegins)
      return progress(document, true);
    if (stage != Stage::CheckLeft)
      diagnostics_(json::Object{{"uri", toJson(document.uri)},
                                {"version", document.version},
                                {"diagnostics", toJson(*document.snippet, document.uri, diagnostics)}});
    if (stage == Stage::Checked || stage == Stage::CheckLeft)
      progress(document, false);
    if (stage == Stage::Compiled) {
      if (client_.hintRefresh)
        refreshHints_(nullptr, ++requests_);
      if (client_.lensRefresh)
        refreshLenses_(nullptr, ++requests_);
      if (client_.tokenRefresh)
        refreshTokens_(nullptr, ++requests_);
    }
  }

  /// Tells the client that the emulator starts or stops (LSP 3.17, "Work Done Progress").
  void progress(const Document &document, bool begins) {
    if (!client_.progress)
      return;
    if (begins)
      createProgress_(json::Object{{"token", ++progress_}}, ++requests_);
    json::Object value{{"kind", begins ? "begin" : "end"}};
    if (begins)
      value["title"] = toJson(text("checking ", document.text().name()));
    progressed_(json::Object{{"token", static_cast<int64_t>(progress_)}, {"value", std::move(value)}});
  }

  // --- requests about documents
  /// The document; null if there is none, after replying with an error.
  std::shared_ptr<const Document> documentOf(const std::string &uri, Reply &reply) {
    auto document = workspace_.find(uri);
    if (!document)
      reply(refusal(text("`", uri, "` is not open")));
    return document;
  }
  void onHover(const PlaceParams &params, Reply reply) {
    if (auto document = documentOf(params.uri, reply))
      reply(orNull(hover(*document, offsetIn(*document, params.place)),
                   [&](const HoverAnswer &answer) { return toJson(*document, answer); }));
  }
  void onCompletion(const PlaceParams &params, Reply reply) {
    if (auto document = documentOf(params.uri, reply)) {
      uint32_t cursor = offsetIn(*document, params.place);
      reply(toJson(*document, cursor, completion(*document, cursor)));
    }
  }
  void onSignature(const PlaceParams &params, Reply reply) {
    if (auto document = documentOf(params.uri, reply))
      reply(orNull(signature(*document, offsetIn(*document, params.place)),
                   [](const SignatureAnswer &answer) { return toJson(answer); }));
  }
  void onDefinition(const PlaceParams &params, Reply reply) {
    if (auto document = documentOf(params.uri, reply))
      reply(orNull(definition(*document, offsetIn(*document, params.place)), [&](TextRange range) -> json::Value {
        return json::Object{{"uri", toJson(document->uri)}, {"range", toJson(*document, range)}};
      }));
  }
  void onReferences(const PlaceParams &params, Reply reply) {
    if (auto document = documentOf(params.uri, reply))
      reply(locations(*document, references(*document, offsetIn(*document, params.place))));
  }
  void onRename(const RenameParams &params, Reply reply) {
    auto document = documentOf(params.uri, reply);
    if (!document)
      return;
    auto uses = renaming(*document, offsetIn(*document, params.place), params.name);
    if (!uses)
      return reply(refusal(uses.error().front().message, ErrorCode::RequestFailed));
    reply(renamed(*document, *uses, params.name));
  }
  void onSymbols(const DocumentParams &params, Reply reply) {
    if (auto document = documentOf(params.uri, reply))
      reply(toJson(*document, symbols(*document)));
  }
  void onHints(const RangeParams &params, Reply reply) {
    if (auto document = documentOf(params.uri, reply)) {
      TextRange within{offsetIn(*document, params.range.begin), offsetIn(*document, params.range.end)};
      reply(toJson(*document, inlayHints(*document, within)));
    }
  }
  void onTokens(const DocumentParams &params, Reply reply) {
    if (auto document = documentOf(params.uri, reply))
      reply(toJson(*document, semanticTokens(*document, {0, static_cast<uint32_t>(document->text().text().size())})));
  }
  void onTokensIn(const RangeParams &params, Reply reply) {
    if (auto document = documentOf(params.uri, reply)) {
      TextRange within{offsetIn(*document, params.range.begin), offsetIn(*document, params.range.end)};
      reply(toJson(*document, semanticTokens(*document, within)));
    }
  }
  void onLenses(const DocumentParams &params, Reply reply) {
    if (auto document = documentOf(params.uri, reply))
      reply(toJson(*document, lenses(*document)));
  }
  static uint32_t offsetIn(const Document &document, Place place) { return Positions(document.text()).offset(place); }

  // --- commands
  void onCommand(const CommandParams &params, Reply reply) {
    bool run = params.command == kRunCommand;
    if ((!run && params.command != kShowLayoutsCommand) || params.arguments.empty() ||
        (!run && params.arguments.size() < 2))
      return reply(refusal(text("`", params.command, "` is no command with these arguments")));
    auto document = documentOf(params.arguments[0], reply);
    if (!document)
      return;
    if (!run) {
      std::string words = layoutsText(*document, params.arguments[1]);
      show(text(params.arguments[1], ".layouts.txt"), words);
      return reply(json::Object{{"text", toJson(words)}});
    }
    // A std::function can only hold a callable that can be copied.
    auto shared = std::make_shared<Reply>(std::move(reply));
    commands_.run(document, [this, shared, document](RunOutcome outcome) {
      show(text(document->text().name(), ".output.txt"), outcome.output);
      (*shared)(json::Object{{"ok", outcome.ok}, {"text", toJson(outcome.output)}});
    });
  }

  /// Shows the text in an editor window if the client can open one, otherwise as a message.
  void show(const std::string &name, const std::string &words) {
    auto path = client_.showDocument ? commands_.keep(name, words) : Result<std::filesystem::path>();
    auto uri = path && client_.showDocument ? llvm::lsp::URIForFile::fromFile(path->string())
                                            : llvm::Expected<llvm::lsp::URIForFile>(refusal("no file"));
    if (uri)
      return showDocument_(json::Object{{"uri", toJson(uri->uri().str())}, {"takeFocus", true}}, ++requests_);
    llvm::consumeError(uri.takeError());
    constexpr int kInformation = 3;
    message_(json::Object{{"type", kInformation}, {"message", toJson(words)}});
  }

  llvm::lsp::JSONTransport transport_;
  llvm::lsp::MessageHandler handler_;
  using Notification = llvm::lsp::OutgoingNotification<json::Value>;
  using Request = llvm::lsp::OutgoingRequest<json::Value>;
  Request request(llvm::StringLiteral method) {
    return handler_.outgoingRequest<json::Value, Ignored>(method, [](json::Value, llvm::Expected<Ignored> answer) {
      if (!answer)
        llvm::consumeError(answer.takeError()); // the client refused to show the document
    });
  }
  struct Ignored {
    friend bool fromJSON(const json::Value &, Ignored &, json::Path) { return true; }
  };
  Notification diagnostics_ = handler_.outgoingNotification<json::Value>("textDocument/publishDiagnostics");
  Notification progressed_ = handler_.outgoingNotification<json::Value>("$/progress");
  Notification message_ = handler_.outgoingNotification<json::Value>("window/showMessage");
  Request createProgress_ = request("window/workDoneProgress/create");
  Request showDocument_ = request("window/showDocument");
  Request refreshHints_ = request("workspace/inlayHint/refresh");
  Request refreshLenses_ = request("workspace/codeLens/refresh");
  Request refreshTokens_ = request("workspace/semanticTokens/refresh");
  std::atomic<int64_t> requests_ = 0, progress_ = 0;
  ClientParams client_;
  bool initialized_ = false, shutdown_ = false;
  Commands commands_; // `commands_` and `workspace_` come last, since their threads use the other members
  Workspace workspace_;
};

Server::Server(ServerOptions options, llvm::raw_ostream &output)
    : impl_(std::make_unique<Impl>(std::move(options), output)) {}
Server::~Server() = default;

int Server::run(MessageReader input) { return impl_->run(input); }

} // namespace lanescope::repl::lsp
