// Console judges requests below /console and answers those to /console/session: signing in, out,
// and who is signed in. It owns no session (console_session.h); the page is console_page.h's, the
// API Front's.
//
// Thread rule: loop thread only; the ring outlives it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "api/console_page.h"
#include "api/console_session.h"
#include "api/key_ring.h"
#include "runtime/http_server.h"

namespace sluice {

class Console final {
 public:
  // `url_scheme`: http or https, that we speak ourselves.
  Console(KeyRing& keys, bool without_keys, std::string url_scheme)
      : keys_(keys), without_keys_(without_keys), url_scheme_(std::move(url_scheme)) {}

  // Why a request below /console is not let in, before it is known whose it is.
  std::optional<HttpReply> refusal(const HttpIncoming& incoming, ConsolePlace place) const;

  // The key that a cookie of the request names; nullopt: none does. It may be forged, or over.
  static std::optional<std::string> key_named_in(const HttpIncoming& incoming);
  // The session that the request's cookie proves, as far as its key is known.
  std::optional<ConsoleSession> session_of(const HttpIncoming& incoming) const;

  // Requires: `incoming` was let in, and is to /console/session.
  Co<HttpReply> answer(HttpIncoming incoming);

  // Of an answer of the API: its headers, and whether the page should ask for a new cookie.
  void finish(HttpReply& reply, const std::optional<ConsoleSession>& session) const;

 private:
  Co<HttpReply> sign_in(HttpIncoming incoming);
  HttpReply sign_out(const HttpIncoming& incoming) const;
  HttpReply show(const HttpIncoming& incoming) const;

  KeyRing& keys_;
  bool without_keys_;
  std::string url_scheme_;
};

}  // namespace sluice
