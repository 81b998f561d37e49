#include "api/bulk_handlers.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>

#include "api/answer_value.h"
#include "api/arguments.h"
#include "api/error_reply.h"
#include "json_object.h"

namespace sluice {
namespace {

// A client waits so long for one answer; then it is told that there is more.
constexpr int64_t forget_ns_max = 25 * ns_per_s;

// $1: the key's tenant, if it has one; $2: the body; $3: where to go on.
std::string step_sql(std::string_view action) {
  return fmt::format("select sluice.bulk_step('{}', $1, $2::jsonb, $3::jsonb)", action);
}

// Why nothing is to be done with `body`.
std::optional<HttpReply> bulk_problem(std::string& body) {
  const std::string problem = json_object_problem(body);
  if (!problem.empty()) return bad_json(problem);
  const HttpFields fields = json_fields(body);
  // Of two, SQL would take the last one, which may be none.
  std::set<std::string_view> names;
  for (const auto& [name, value] : fields) {
    if (!names.insert(name).second) {
      return bad_argument(name, fmt::format("{} is given twice", in_quotes(name)),
                          "Give each condition once.");
    }
  }
  // Beside the key's tenant SQL would take no condition for one.
  const bool has_condition = std::any_of(fields.begin(), fields.end(), [](const auto& field) {
    return field.second != "null" && field.second != "false" &&
           field.second.find_first_not_of("{} \t\r\n") != std::string::npos;
  });
  if (!has_condition) {
    return bad_argument("everything", "there is no condition",
                        R"(Give one, such as {"model": "m"}, or {"everything": true}.)");
  }
  return std::nullopt;
}

struct BulkCount {
  int64_t done = 0;
  bool has_more = false;
};

// Goes on step by step, each a transaction of its own, until nothing is left or, after one, it is
// `deadline_ns`. Error: the answer.
Co<tl::expected<BulkCount, HttpReply>> make_steps(Services& services, ApiRequest request,
                                                  const std::string& sql, int64_t deadline_ns) {
  std::string body = std::move(request.http.body);
  if (auto problem = bulk_problem(body)) {
    co_return tl::unexpected(std::move(*problem));
  }
  BulkTurns::Place place(services.bulk, request.http);
  if (!place.is_taken()) co_return tl::unexpected(services.bulk.refusal());
  BulkCount count;
  std::optional<std::string> next;
  do {
    PgParams params = {request.caller.tenant, body, next};
    std::string statement =
        fmt::format("select (s ->> 'done')::bigint, s ->> 'next' from ({}) step (s)",
                    in_name_of(request.caller.key_id, sql, params));
    Co<Result<PgResult>> step = place.query(std::move(statement), std::move(params));
    const Result<PgResult> rows = co_await std::move(step);
    if (!rows) {
      Error error = about_body(rows.error(), std::move(body));
      if (count.done > 0) {
        error.hint = fmt::format("{} were done before it; send it again for the rest.", count.done);
      }
      co_return tl::unexpected(error_reply(error));
    }
    count.done += rows->int64(0, 0);
    count.has_more = !rows->is_null(0, 1);
    if (count.has_more) next = std::string(rows->text(0, 1));
  } while (count.has_more && services.clock.now_ns() < deadline_ns);
  co_return count;
}

// A request that goes on until all is done: its client says how long it waits.
Co<HttpReply> answer_in_bulk(Services& services, ApiRequest request, const std::string& sql,
                             std::string_view counted) {
  auto steps = make_steps(services, std::move(request), sql, std::numeric_limits<int64_t>::max());
  auto count = co_await std::move(steps);
  if (!count) co_return std::move(count.error());
  co_return json_reply(200, fmt::format("{{\"{}\":{}}}\n", counted, count->done));
}

}  // namespace

Co<HttpReply> cancel_tasks(Services& services, ApiRequest request) {
  static const std::string sql = step_sql("cancel");
  return answer_in_bulk(services, std::move(request), sql, "cancelled");
}

Co<HttpReply> redrive_tasks(Services& services, ApiRequest request) {
  static const std::string sql = step_sql("redrive");
  return answer_in_bulk(services, std::move(request), sql, "redriven");
}

Co<HttpReply> forget_tasks(Services& services, ApiRequest request) {
  static const std::string sql = step_sql("forget");
  const int64_t deadline_ns = services.clock.now_ns() + forget_ns_max;
  auto steps = make_steps(services, std::move(request), sql, deadline_ns);
  auto count = co_await std::move(steps);
  if (!count) co_return std::move(count.error());
  co_return json_reply(
      200, fmt::format("{{\"forgotten\":{},\"has_more\":{}}}\n", count->done, count->has_more));
}

}  // namespace sluice
