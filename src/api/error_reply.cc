#include "api/error_reply.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <charconv>

#include "api/arguments.h"
#include "api/pg_pool.h"
#include "db/sql_message.h"
#include "json_text.h"
#include "runtime/pg_result.h"

namespace sluice {
namespace {

struct Rule {
  std::string_view sqlstate;  // or the beginning of some
  int status;
  std::string_view type;
  int retry_after_s = 0;  // 0: repeating it does not help
  // Instead of the database's own words where those may tell of its files, settings or addresses.
  std::string_view message = {};
};

// The first that fits.
constexpr Rule rules[] = {
    {"SL001", 404, "unknown_model"},
    {"SL002", 422, "too_many_tokens"},
    {"SL003", 503, "overloaded", 5},
    {"SL004", 400, "invalid_request"},
    {"SL005", 429, "tenant_limit", 5},
    {"SL006", 404, "not_found"},
    {"SL007", 413, "too_large"},
    {"SL008", 422, "idempotency_key_reused"},
    {"SL009", 403, "wrong_tenant"},
    {"SL011", 409, "conflict"},  // what a revert is about has changed since
    {"22", 400, "invalid_request"},
    {"23503", 409, "conflict"},  // unfinished tasks of a model that is to be deleted
    {"23", 400, "invalid_request"},
    {"54001", 400, "invalid_request", 0, "the JSON is too deep"},
    {"54", 400, "invalid_request", 0, "the request is too large for PostgreSQL"},
    {"08003", 503, "unavailable", 5},  // never sent: PgPool::not_sent
    {"08", 504, "outcome_unknown", 0, "the database's connection was lost: it may have been done"},
    {"25006", 503, "unavailable", 5,
     "the database takes no writes: it is a standby, or was made read-only"},
    {"40", 503, "unavailable", 1},     // deadlock, serialization
    {"55P03", 503, "unavailable", 1},  // waited too long for a lock
    {"53", 503, "unavailable", 10, "the database is full, or out of memory or connections"},
    {"57", 503, "unavailable", 5},  // the server is shutting down or starting
};

constexpr Rule full_of_notifications = {"54000", 503, "unavailable", 1,
                                        "the database server's queue of notifications is full"};

// More would be a text that the client sent us, of up to 64 MiB.
constexpr size_t message_bytes_max = 1000;
constexpr size_t hint_bytes_max = 2000;  // names what there is: 20 names of 50 characters
constexpr size_t param_bytes_max = 200;

// `text` as JSON, with an ellipsis for the rest of a long one.
std::string cut_json(std::string_view text, size_t bytes_max) {
  if (text.size() <= bytes_max) return json_string(text);
  return json_string(std::string(first_bytes(text, bytes_max)) + "…");
}

const Rule* rule_of(const Error& error) {
  if (is_notify_queue_full(error)) return &full_of_notifications;
  const auto* rule = std::find_if(std::begin(rules), std::end(rules), [&](const Rule& each) {
    return error.code.starts_with(each.sqlstate);
  });
  return rule == std::end(rules) ? nullptr : rule;
}

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
  if (error.code == "22P02") return "the body is not valid JSON";
  const std::string_view check = violated_check(error.message);
  return check.empty() ? error.message : "it must hold that " + fact_of(check);
}

// The key of `fields` that a violated check is about: one that it is named after, else one that its
// fact names.
std::string key_at_fault(std::string_view check, const HttpFields& fields) {
  for (const auto& [key, value] : fields) {
    if (concerns(check, key)) return key;
  }
  const std::string fact = fact_of(check);
  for (const auto& [key, value] : fields) {
    if (fact.find(key) != std::string::npos) return key;
  }
  return {};
}

}  // namespace

HttpReply json_reply(int status, std::string body) {
  HttpReply reply;
  reply.status = status;
  reply.body = std::move(body);
  return reply;
}

Co<HttpReply> reply_with(HttpReply reply) {
  co_return reply;
}

Error about_body(Error error, std::string body) {
  const HttpFields fields = json_fields(body);
  // A name in the body that there is not is the body's fault: the path is there. Not so a `model`:
  // tasks of one that there is not are not found, as a submit says.
  const bool names_tasks = error.param == "model";
  if (error.code == "SL001" && !names_tasks && !find_field(fields, error.param).empty()) {
    error.code = "SL004";
  }
  const std::string_view check = violated_check(error.message);
  if (!check.empty()) {
    error.param = key_at_fault(check, fields);
    const bool may_tell = error.param != "secret";
    if (!error.param.empty()) {
      error.message = fmt::format(
          "{} {}is refused: {}", error.param,
          may_tell ? std::string(find_field(fields, error.param)) + " " : "",
          fact_of(check, concerns(check, error.param) ? std::string_view(error.param) : ""));
    }
  } else if (error.code == "23502") {
    const bool is_given = !find_field(fields, error.param).empty();
    error.message = error.param + (is_given ? " cannot be null" : " is missing");
  }
  return error;
}

HttpReply bad_request(std::string_view message, std::string_view hint) {
  return bad_argument({}, message, hint);
}

HttpReply bad_json(std::string_view problem) {
  return bad_request(problem, "The body is one JSON object in UTF-8, sent whole.");
}

HttpReply bad_argument(std::string_view param, std::string_view message, std::string_view hint) {
  return error_reply(400, "invalid_request", message, {}, hint, param);
}

HttpReply overloaded_reply(std::string_view message, std::string_view hint) {
  HttpReply reply = error_reply(503, "overloaded", message, {}, hint);
  reply.headers.emplace_back("Retry-After", "5");
  return reply;
}

HttpReply unavailable_reply(std::string_view reason) {
  return error_reply(
      Error{Error::Action::retry_later, std::string(PgPool::not_sent), std::string(reason)});
}

HttpReply wrong_tenant() {
  return error_reply(403, "wrong_tenant", "not this key's tenant", "SL009", {}, "tenant");
}

HttpReply error_reply(int status, std::string_view type, std::string_view message,
                      std::string_view code, std::string_view hint, std::string_view param) {
  const auto or_null = [](std::string_view text, size_t bytes_max) {
    return text.empty() ? std::string("null") : cut_json(text, bytes_max);
  };
  return json_reply(status,
                    fmt::format("{{\"error\":{{\"type\":{},\"code\":{},\"message\":{},\"hint\":{},"
                                "\"param\":{}}}}}\n",
                                json_string(type), or_null(code, param_bytes_max),
                                cut_json(message, message_bytes_max), or_null(hint, hint_bytes_max),
                                or_null(param, param_bytes_max)));
}

HttpReply error_reply(const Error& error) {
  const Rule* rule = rule_of(error);
  if (rule == nullptr) {
    spdlog::error("a request failed with SQLSTATE {}: {}", error.code, error.message);
    return error_reply(500, "internal", "the server's own mistake; its log says more", error.code);
  }
  const bool is_ours = rule->message.empty();
  if (!is_ours) spdlog::debug("a request failed with SQLSTATE {}: {}", error.code, error.message);
  HttpReply reply = error_reply(rule->status, rule->type,
                                is_ours ? message_of(error) : std::string(rule->message),
                                error.code, is_ours ? error.hint : std::string(), error.param);
  const int seconds = retry_after_s(*rule, error.hint);
  if (seconds > 0) reply.headers.emplace_back("Retry-After", std::to_string(seconds));
  if (rule->status == 504) reply.headers.emplace_back("X-Should-Retry", "false");
  return reply;
}

}  // namespace sluice
