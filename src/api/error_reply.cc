#include "api/error_reply.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <charconv>

#include "api/pg_pool.h"
#include "db/sql_message.h"
#include "json_text.h"

namespace sluice {
namespace {

struct Rule {
  std::string_view sqlstate;  // or the beginning of some
  int status;
  std::string_view type;
  int retry_after_s = 0;  // 0: repeating it does not help
};

// The first that fits.
constexpr Rule rules[] = {
    {"SL001", 404, "unknown_model"},   {"SL002", 422, "too_many_tokens"},
    {"SL003", 503, "overloaded", 5},   {"SL004", 400, "invalid_request"},
    {"SL005", 429, "tenant_limit", 5}, {"SL006", 404, "not_found"},
    {"SL007", 413, "too_large"},       {"SL008", 422, "idempotency_key_reused"},
    {"SL009", 403, "wrong_tenant"},    {"22", 400, "invalid_request"},
    {"23", 400, "invalid_request"},    {"54", 400, "invalid_request"},  // JSON that is too deep
    {"08003", 503, "unavailable", 5},  // never sent: PgPool::not_sent
    {"08", 504, "outcome_unknown"},    // lost on the way: it may have been done
    {"40", 503, "unavailable", 1},     // deadlock, serialization
    {"55P03", 503, "unavailable", 1},  // waited too long for a lock
    {"53", 503, "unavailable", 10},    // disk full, out of memory
    {"57", 503, "unavailable", 5},     // the server is shutting down or starting
};

// The hint of SL003 says "in about 7 s" where the drain rate is known.
int retry_after_s(const Rule& rule, std::string_view hint) {
  constexpr std::string_view phrase = "in about ";
  const size_t at = hint.find(phrase);
  if (rule.retry_after_s == 0 || at == std::string_view::npos) return rule.retry_after_s;
  int seconds = rule.retry_after_s;
  std::from_chars(hint.data() + at + phrase.size(), hint.data() + hint.size(), seconds);
  return std::clamp(seconds, 1, 60);
}

// "rpm is positive" for a violated constraint of that name.
std::string message_of(const Error& error) {
  const std::string_view check = violated_check(error.message);
  return check.empty() ? error.message : "it must hold that " + sentence_of(check);
}

}  // namespace

HttpReply json_reply(int status, std::string body) {
  HttpReply reply;
  reply.status = status;
  reply.body = std::move(body);
  return reply;
}

Task<HttpReply> reply_with(HttpReply reply) {
  co_return reply;
}

HttpReply error_reply(int status, std::string_view type, std::string_view message,
                      std::string_view code, std::string_view hint) {
  const auto or_null = [](std::string_view text) {
    return text.empty() ? std::string("null") : json_string(text);
  };
  return json_reply(
      status, fmt::format("{{\"error\":{{\"type\":{},\"code\":{},\"message\":{},\"hint\":{},"
                          "\"param\":null}}}}\n",
                          json_string(type), or_null(code), json_string(message), or_null(hint)));
}

HttpReply error_reply(const Error& error) {
  const auto* rule = std::find_if(std::begin(rules), std::end(rules), [&](const Rule& each) {
    return error.code.starts_with(each.sqlstate);
  });
  if (rule == std::end(rules)) {
    spdlog::error("a request failed with SQLSTATE {}: {}", error.code, error.message);
    return error_reply(500, "internal", "the server's own mistake; its log says more", error.code);
  }
  HttpReply reply =
      error_reply(rule->status, rule->type, message_of(error), error.code, error.hint);
  const int seconds = retry_after_s(*rule, error.hint);
  if (seconds > 0) reply.headers.emplace_back("Retry-After", std::to_string(seconds));
  if (rule->status == 504) reply.headers.emplace_back("X-Should-Retry", "false");
  return reply;
}

}  // namespace sluice
