// How an error becomes an answer: the one table from SQLSTATE to HTTP status (docs/http.md shows
// it), and the shape of error bodies, which is OpenAI's. Pure.
#pragma once

#include <string>
#include <string_view>

#include "result.h"
#include "runtime/http_server.h"

namespace sluice {

// {"error":{"type","code","message","hint","param"}}. `type`: a word for programs; `code`: the
// SQLSTATE, if any; `message`: for people; `param`: the argument or key at fault, if it is one's.
// A text longer than 1000 bytes, 2000 (`hint`) or 200 (`param`) is cut: it repeats what was sent.
HttpReply error_reply(int status, std::string_view type, std::string_view message,
                      std::string_view code = {}, std::string_view hint = {},
                      std::string_view param = {});

// 400.
HttpReply bad_request(std::string_view message, std::string_view hint = {});
// 400, of a body: what json_object_problem() says.
HttpReply bad_json(std::string_view problem);

// 400: `param`, an argument, cannot be what it is.
HttpReply bad_argument(std::string_view param, std::string_view message,
                       std::string_view hint = {});

// 503: the database cannot be asked. The reading of keys is the probe (KeyRing::not_ready_because):
// while it has no answer nothing else would have one.
HttpReply unavailable_reply(std::string_view reason);

// 503, `overloaded`: this key has too much under way; Retry-After says when to ask again.
HttpReply overloaded_reply(std::string_view message, std::string_view hint = {});

// 403: what is asked for is another tenant's.
HttpReply wrong_tenant();

// `error` of a statement that was given the JSON object `body`: what its key at fault may be. A
// value that may hold a credential is not repeated.
Error about_body(Error error, std::string body);

// The reply to an error of the database: its message if the caller can act on it, else only that
// something failed here.
HttpReply error_reply(const Error& error);

// `body` with `status`, as JSON.
HttpReply json_reply(int status, std::string body);

// `reply` as a handler's Co.
Co<HttpReply> reply_with(HttpReply reply);

}  // namespace sluice
