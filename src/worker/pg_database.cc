#include "worker/pg_database.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <charconv>

#include "bounds.h"
#include "db/mend.h"
#include "runtime/pg_array.h"

namespace sluice {

namespace {

using Reply = Co<Result<PgResult>>;

// Turns a reply into a value. A coroutine of its own, so that the call that made the reply has sent
// its statement before anybody waits.
template <class T>
Co<Result<T>> read(Reply reply, T (*value_of)(const PgResult&)) {
  const Result<PgResult> result = co_await std::move(reply);
  if (!result) co_return tl::unexpected(result.error());
  co_return value_of(*result);
}

int64_t int64_of(const PgResult& result) {
  return result.rows() == 0 || result.is_null(0, 0) ? 0 : result.int64(0, 0);
}

bool bool_of(const PgResult& result) {
  return result.rows() > 0 && !result.is_null(0, 0) && result.boolean(0, 0);
}

Co<Result<void>> read_nothing(Reply reply) {
  Result<PgResult> result = co_await std::move(reply);
  if (!result) co_return tl::unexpected(result.error());
  co_return Result<void>();
}

template <class T>
Co<Result<T>> at_once(Result<T> result) {
  co_return result;
}

std::optional<std::string> optional_text(const PgResult& result, int row, int column) {
  if (result.is_null(row, column)) return std::nullopt;
  return std::string(result.text(row, column));
}

std::optional<int64_t> optional_int64(const PgResult& result, int row, int column) {
  if (result.is_null(row, column)) return std::nullopt;
  return result.int64(row, column);
}

// Of no key: a row of nulls.
std::vector<TaskKey> keys_of(const PgResult& result) {
  std::vector<TaskKey> keys;
  for (int row = 0; row < result.rows(); ++row) {
    if (result.is_null(row, 0)) continue;
    keys.push_back(TaskKey{result.int64(row, 0), result.int64(row, 1)});
  }
  return keys;
}

constexpr std::string_view claimed_columns =
    "task_id, fence, model, send_within_ms, api is not null, prompt, request, max_output_tokens, "
    "traceparent, timeout_ms, attempt, priority, queued_ms, request_bytes";

// The database's clock. As a column it is read after the function in FROM has run.
constexpr std::string_view clock_column =
    "(extract(epoch from clock_timestamp()) * 1000000)::bigint";

// The statements of a worker while tasks come and go. A direct session has them prepared, which
// saves a claim its parsing: 0.1 ms of 0.17 when no task is ready.
const std::string claim_sql = fmt::format(
    "select {}, {} from sluice.claim_within($1::bigint, $2::text[], $3::int[], $4::int)",
    claimed_columns, clock_column);
const std::string claim_urgent_sql =
    fmt::format("select {}, {} from sluice.claim_urgent($1::bigint, $2::text[], $3::int)",
                claimed_columns, clock_column);
// The same with settings, for permits that are good for longer and models that do not share errors:
// they come first, for the claim needs them.
const std::string special_claim_sql = fmt::format(
    "select {}, {} from (select set_config('sluice.send_within_ms', $5, true) ||"
    " set_config('sluice.claims_apart', $6, true)) s(settings)"
    " cross join lateral sluice.claim_within($1::bigint, $2::text[], $3::int[],"
    " case when s.settings is not null then $4::int end)",
    claimed_columns, clock_column);
const std::string special_claim_urgent_sql = fmt::format(
    "select {}, {} from (select set_config('sluice.send_within_ms', $4, true) ||"
    " set_config('sluice.claims_apart', $5, true)) s(settings)"
    " cross join lateral sluice.claim_urgent($1::bigint, $2::text[],"
    " case when s.settings is not null then $3::int end)",
    claimed_columns, clock_column);
const std::string requests_sql =
    fmt::format("select {} from sluice.requests($1::bigint, $2::bigint[])", claimed_columns);
const std::string wake_sql = "select sluice.wake()";
const std::string sweep_sql = "select sluice.sweep()";
constexpr std::string_view outcomes_array =
    "array(select row(o.*)::sluice.outcome from unnest($2::bigint[], $3::int[], $4::text[],"
    " $5::text[], $6::text[], $7::text[], $8::text[], $9::int[], $10::bigint[], $11::int[],"
    " $12::int[], $13::boolean[]) o)";
const std::string complete_sql = fmt::format(
    "select task_id, fence, applied from sluice.complete($1::bigint, {})", outcomes_array);
const std::string complete_with_usage_sql = fmt::format(
    "select task_id, fence, applied from sluice.complete_with_usage($1::bigint, {}, array("
    "select row(u.*)::sluice.usage from unnest($14::int[], $15::int[], $16::int[]) u))",
    outcomes_array);
const std::string heartbeat_sql = fmt::format(
    "select h.task_id, h.fence, {} from (select) one left join sluice.heartbeat($1::bigint) h on"
    " true",
    clock_column);
const std::string recover_sql = "select sluice.recover($1::bigint)";
const std::string take_sleeper_locks_sql =
    "select locks, complete, work, wake_in_ms from sluice.take_sleeper_locks($1::bigint, "
    "$2::int[])";
const std::string drop_sleeper_locks_sql = "select sluice.drop_sleeper_locks($1::int[])";
const std::string check_notifications_sql = "select sluice.check_notifications()";

std::vector<ClaimedTask> tasks_of(const PgResult& result) {
  std::vector<ClaimedTask> tasks;
  tasks.reserve(static_cast<size_t>(result.rows()));
  for (int row = 0; row < result.rows(); ++row) {
    ClaimedTask& task = tasks.emplace_back();
    task.key = TaskKey{result.int64(row, 0), result.int64(row, 1)};
    task.model = result.text(row, 2);
    task.send_within_ms = optional_int64(result, row, 3);
    task.has_body = result.boolean(row, 4);
    task.question.prompt = optional_text(result, row, 5);
    task.question.request = optional_text(result, row, 6);
    task.question.max_output_tokens = optional_int64(result, row, 7);
    task.traceparent = optional_text(result, row, 8);
    task.timeout_ms = optional_int64(result, row, 9).value_or(0);
    task.attempt = static_cast<int>(result.int64(row, 10));
    task.priority = static_cast<int>(result.int64(row, 11));
    task.queued_ms = optional_int64(result, row, 12);
    task.request_bytes = result.int64(row, 13);
  }
  return tasks;
}

std::vector<Applied> applied_of(const PgResult& result) {
  std::vector<Applied> applied;
  for (int row = 0; row < result.rows(); ++row) {
    applied.push_back(
        Applied{TaskKey{result.int64(row, 0), result.int64(row, 1)}, result.boolean(row, 2)});
  }
  return applied;
}

Configuration configuration_of(const PgResult& result) {
  Configuration configuration;
  for (int row = 0; row < result.rows(); ++row) {
    configuration.heartbeat_timeout_ms = result.int64(row, 0);
    configuration.events = result.boolean(row, 14);
    configuration.idle_look_ms = result.int64(row, 17);
    if (result.is_null(row, 1)) continue;  // no model: the settings alone
    Model model;
    model.name = result.text(row, 1);
    model.api = result.text(row, 2);
    model.url = result.text(row, 3);
    model.upstream_name = result.text(row, 4);
    model.batch_max = static_cast<int>(result.int64(row, 5));
    model.id = static_cast<int>(result.int64(row, 6));
    model.secret = optional_text(result, row, 7);
    model.batch_wait_ms = result.int64(row, 8);
    if (!result.is_null(row, 9)) model.max_in_flight = static_cast<int>(result.int64(row, 9));
    model.min_in_flight = static_cast<int>(result.int64(row, 10));
    model.hedge_after_ms = optional_int64(result, row, 11);
    model.hedge_max = static_cast<int>(result.int64(row, 12));
    model.hedge_budget = static_cast<double>(result.int64(row, 13)) / 1e6;
    for (const std::string_view path : {"/solve", "/single", "/batch"}) {
      if (result.text(row, 15).find(path) != std::string_view::npos) model.paths.emplace_back(path);
    }
    if (!result.is_null(row, 16)) configuration.parked.emplace(model.name, result.text(row, 16));
    configuration.models.push_back(std::move(model));
  }
  return configuration;
}

SleepCheck sleep_check_of(const PgResult& result) {
  SleepCheck check;
  check.locks = int_array(result.text(0, 0));
  check.complete = result.boolean(0, 1);
  check.work = !result.is_null(0, 2) && result.boolean(0, 2);
  check.wake_in_ms = optional_int64(result, 0, 3);
  return check;
}

Rest rest_of(const PgResult& result) {
  Rest rest;
  rest.asleep = result.boolean(0, 0);
  rest.wake_in_ms = result.int64(0, 1);
  return rest;
}

// Moved in: a list in braces would copy all answers of a batch.
template <class... Params>
PgParams params_of(Params&&... values) {
  PgParams params;
  params.reserve(sizeof...(values));
  (params.emplace_back(std::forward<Params>(values)), ...);
  return params;
}

// The columns of sluice.outcome and sluice.usage, one array each.
struct OutcomeColumns {
  PgArray task_id, fence, http_status, retry_after_ms, input_tokens, output_tokens, billed;
  PgTextArray kind, answer, response, error, error_code;
  PgArray cached_tokens, cache_write_tokens, reasoning_tokens;
  bool has_usage = false;  // whether any of the last three is known: mostly none is

  // Of all of them; then add() each.
  void reserve(const std::vector<EndedCall>& batch) {
    size_t answer_bytes = 0;
    size_t response_bytes = 0;
    for (const EndedCall& ended : batch) {
      const auto* solved = std::get_if<Solved>(&ended.outcome);
      if (solved == nullptr) continue;
      answer_bytes += solved->answer ? solved->answer->size() : 0;
      response_bytes += solved->response.size();
    }
    answer.reserve(batch.size(), answer_bytes);
    response.reserve(batch.size(), response_bytes);
  }

  void add(const EndedCall& ended) {
    task_id.add(ended.key.task_id);
    fence.add(ended.key.fence);
    std::visit([this](const auto& outcome) { add(outcome); }, ended.outcome);
    add_usage(std::get_if<Solved>(&ended.outcome));
  }

  void add_usage(const Solved* solved) {
    static const Solved none;
    if (solved == nullptr) solved = &none;
    cached_tokens.add(solved->cached_tokens);
    cache_write_tokens.add(solved->cache_write_tokens);
    reasoning_tokens.add(solved->reasoning_tokens);
    has_usage = has_usage || solved->cached_tokens || solved->cache_write_tokens ||
                solved->reasoning_tokens;
  }

  void add(const Solved& solved) {
    Text finish;
    if (!solved.finish.empty()) finish = solved.finish;
    add_texts("solved", solved.answer, solved.response, std::nullopt, finish);
    add_numbers(solved.http_status, std::nullopt, solved.input_tokens, solved.output_tokens, true);
  }
  void add(const Failed& failed) {
    add_texts("failed", std::nullopt, std::nullopt, failed.error, failed.error_code);
    add_numbers(failed.http_status, std::nullopt, std::nullopt, std::nullopt, failed.billed);
  }
  void add(const Retry& retry) {
    add_texts("retry", std::nullopt, std::nullopt, retry.error, retry.error_code);
    add_numbers(retry.http_status, retry.retry_after_ms, std::nullopt, std::nullopt, retry.billed);
  }
  // sluice.is_spared() knows these two by their codes.
  void add(const Unsent& unsent) {
    add_texts("returned", std::nullopt, std::nullopt, unsent.error, unsent_code);
    add_numbers(std::nullopt, std::nullopt, std::nullopt, std::nullopt, false);
  }
  void add(const Refused& refused) {
    add_texts("throttled", std::nullopt, std::nullopt, refused.error, refused.error_code);
    add_numbers(refused.http_status, std::nullopt, std::nullopt, std::nullopt, false);
  }
  void add(const Throttled& throttled) {
    add_texts("throttled", std::nullopt, std::nullopt, throttled.error, throttled.error_code);
    add_numbers(throttled.http_status, throttled.retry_after_ms, std::nullopt, std::nullopt, false);
  }
  // sluice.throttle() closes the model for good for these two codes.
  void add(const Parked& parked) {
    const bool is_bill = parked.cause == Parked::Cause::billing;
    add_texts("throttled", std::nullopt, std::nullopt, parked.error,
              is_bill ? "billing" : "credential");
    add_numbers(parked.http_status, std::nullopt, std::nullopt, std::nullopt, false);
  }
  void add(const Returned&) { add_bare("returned"); }
  void add(const BatchFailed& batch) {
    add_texts("returned", std::nullopt, std::nullopt, batch.error, batch.error_code);
    add_numbers(batch.http_status, std::nullopt, std::nullopt, std::nullopt, batch.billed);
  }
  void add(const Cancelled&) { add_bare("cancelled"); }

  void add_bare(std::string_view kind_name) {
    add_texts(kind_name, std::nullopt, std::nullopt, std::nullopt, std::nullopt);
    add_numbers(std::nullopt, std::nullopt, std::nullopt, std::nullopt, std::nullopt);
  }

  using Text = std::optional<std::string_view>;
  void add_texts(std::string_view kind_name, Text answer_text, Text response_text,
                 Text error_message, Text code) {
    kind.add(kind_name);
    answer.add(answer_text);
    response.add(response_text);
    error.add(error_message);
    error_code.add(code);
  }
  using Number = std::optional<int64_t>;
  void add_numbers(Number status, Number retry_ms, Number input, Number output,
                   std::optional<bool> is_billed) {
    http_status.add(status);
    retry_after_ms.add(retry_ms);
    input_tokens.add(input);
    output_tokens.add(output);
    billed.add(is_billed);
  }
};

// Of a claim that needs any; returns whether it does.
bool add_settings(std::optional<int64_t> send_within_ms, bool is_apart, PgParams& params) {
  if (!send_within_ms && !is_apart) return false;
  params.emplace_back(send_within_ms ? std::to_string(*send_within_ms) : "");
  params.emplace_back(is_apart ? "on" : "");
  return true;
}

// The id that a notification names; 0 when it names none.
int64_t number(std::string_view payload) {
  int64_t id = 0;
  std::from_chars(payload.data(), payload.data() + payload.size(), id);
  return id;
}

}  // namespace

PgDatabase::PgDatabase(Loop& loop, Clock& clock, PgDatabaseOptions options)
    : loop_(loop), clock_(clock), options_(options) {}

std::unique_ptr<PgConnection> PgDatabase::open(PgServers& servers) {
  auto connection = std::make_unique<PgConnection>(loop_, clock_, servers);
  connection->on_lost = [this, lost = connection.get()] {
    if (lost->has_lost_statements() && std::exchange(prepares_, false)) {
      spdlog::warn(
          "PostgreSQL has lost what this worker's session had prepared: prepared statements are"
          " used no more. Is there a pooler in between?");
    }
    on_lost();
  };
  connection->on_notify = [this](std::string_view channel, std::string_view payload) {
    if (channel == "sluice_work") on_work(number(payload));
    if (channel == "sluice_config") on_configuration();
    if (channel == "sluice_abort") on_abort(number(payload));
  };
  return connection;
}

// The first row has the clock in column 2.
Co<Result<std::vector<TaskKey>>> PgDatabase::read_clocked_keys(Reply reply, int64_t sent_ns) {
  Result<PgResult> result = co_await std::move(reply);
  if (!result) co_return tl::unexpected(result.error());
  if (result->rows() > 0) on_clock(result->int64(0, 2), sent_ns);
  co_return keys_of(*result);
}

// Behind claimed_columns.
Co<Result<std::vector<ClaimedTask>>> PgDatabase::read_clocked_tasks(Reply reply, int64_t sent_ns) {
  Result<PgResult> result = co_await std::move(reply);
  if (!result) co_return tl::unexpected(result.error());
  if (result->rows() > 0) on_clock(result->int64(0, 14), sent_ns);
  co_return tasks_of(*result);
}

Co<Result<void>> PgDatabase::connect() {
  if (store_) store_->close();  // what it was storing goes through the new one
  end(large_requests_);
  end(large_outcomes_);
  work_ = open(options_.work);
  Result<void> connected = co_await work_->connect();
  if (connected) connected = co_await check_schema();
  if (connected && options_.stores_apart) {
    store_ = open(options_.work);
    connected = co_await store_->connect();
  }
  if (connected) co_await prepare_statements();
  co_return connected;
}

Co<void> PgDatabase::prepare_statements() {
  const Result<bool> direct = co_await is_direct(*work_);  // store_ is the same: it has its URL
  if (!direct || !*direct) co_return;
  std::vector<std::string> of_work = {claim_sql, claim_urgent_sql, requests_sql, wake_sql,
                                      sweep_sql, heartbeat_sql,    recover_sql};
  std::vector<std::string> of_store = {complete_sql, complete_with_usage_sql};
  co_await prepare(*work_, std::move(of_work));
  co_await prepare(storing(), std::move(of_store));
}

// A pooler names process ids of its own.
Co<Result<bool>> PgDatabase::is_direct(PgConnection& connection) {
  Reply reply = connection.query("select pg_backend_pid()", PgParams());
  Result<int64_t> pid = co_await read(std::move(reply), int64_of);
  if (!pid) co_return tl::unexpected(pid.error());
  co_return *pid == connection.server_pid();
}

// Requires a direct session: a pooler may run each query in another one. A statement that could not
// be prepared is parsed each time.
Co<void> PgDatabase::prepare(PgConnection& connection, std::vector<std::string> statements) {
  if (!prepares_) co_return;
  std::vector<Co<Result<void>>> prepared;
  for (std::string& sql : statements) prepared.push_back(connection.prepare(std::move(sql)));
  for (Co<Result<void>>& each : prepared) co_await std::move(each);
}

Co<Result<void>> PgDatabase::check_schema() {
  Reply reply = work_->query(schema_facts_sql, PgParams());
  const Result<PgResult> row = co_await std::move(reply);
  SchemaFacts facts;
  if (row && row->rows() > 0) {
    facts.version = static_cast<int>(row->int64(0, 0));
    if (!row->is_null(0, 1)) facts.serves_from = static_cast<int>(row->int64(0, 1));
  } else if (!row && row.error().code != "42P01") {  // there is no such table
    co_return tl::unexpected(row.error());
  }
  std::string mismatch = schema_mismatch(facts, options_.known_schemas);
  if (mismatch.empty()) co_return Result<void>();
  work_->close();
  co_return tl::unexpected(Error{Error::Action::refuse, "schema", std::move(mismatch)});
}

Co<Result<int64_t>> PgDatabase::mend_sequences() {
  return read(work_->query(mend_sequences_sql, PgParams()), int64_of);
}

Co<Result<int64_t>> PgDatabase::register_worker(std::string name, int slots,
                                                std::vector<std::string> models) {
  PgParams params = {std::move(name), std::to_string(slots), std::nullopt, SLUICE_VERSION,
                     pg_array(spoken_apis())};
  if (!models.empty()) params[2] = pg_array(models);
  std::string registration =
      "sluice.worker_speaks(sluice.register_worker($1, $2::int, $3::text[], $4), $5::text[])";
  if (!options_.schema_versions.empty()) {
    params.emplace_back(pg_array(options_.schema_versions));
    registration = "sluice.serve_versions(" + registration + ", $6::text[])";
  }
  return read(work_->query("select " + registration, std::move(params)), int64_of);
}

Co<Result<Configuration>> PgDatabase::configuration(std::vector<std::string> models) {
  PgParams params = {std::nullopt};
  if (!models.empty()) params[0] = pg_array(models);
  return read(
      work_->query(
          "select (extract(epoch from s.heartbeat_timeout) * 1000)::bigint, m.name, m.api, m.url,"
          " coalesce(m.upstream_model, m.name), m.batch_max, m.id, m.secret,"
          " (extract(epoch from m.batch_wait) * 1000)::bigint, m.max_in_flight, m.min_in_flight,"
          " ceil(extract(epoch from m.hedge_after) * 1000)::bigint, m.hedge_max,"
          " (m.hedge_budget * 1000000)::bigint, s.events, m.paths,"
          " case when m.closed_until = 'infinity' then sluice.parked_for(m.closed_reason) end,"
          " (extract(epoch from least(s.idle_look, interval '10 years')) * 1000)::bigint"
          " from sluice.configuration($1::text[]) c cross join lateral (select (c.settings).*) s"
          " cross join lateral (select (c.model).*) m",
          std::move(params)),
      configuration_of);
}

Co<Result<std::vector<TaskKey>>> PgDatabase::heartbeat(int64_t worker) {
  return read_clocked_keys(work_->query(heartbeat_sql, {std::to_string(worker)}), clock_.now_ns());
}

Co<Result<int64_t>> PgDatabase::recover(int64_t worker) {
  return read(work_->query(recover_sql, {std::to_string(worker)}), int64_of);
}

Co<Result<Rest>> PgDatabase::fall_asleep(int64_t worker) {
  return read(work_->query("select asleep, wake_in_ms from sluice.fall_asleep($1::bigint)",
                           {std::to_string(worker)}),
              rest_of);
}

Co<Result<int64_t>> PgDatabase::sweep() {
  return read(work_->query(sweep_sql, PgParams()), int64_of);
}

Co<Result<int64_t>> PgDatabase::retain() {
  return read(ask_for_round("select dropped + erased from sluice.retain()"), int64_of);
}

Co<Result<int64_t>> PgDatabase::advance_jobs() {
  return read(work_->query("select coalesce(sluice.advance_jobs(), -1)", PgParams()), int64_of);
}

Co<Result<bool>> PgDatabase::keep_history() {
  return read(ask_for_round("select not is_done from sluice.keep_history()"), bool_of);
}

// Nobody is told when it is lost: the next statement opens another one.
Co<Result<void>> PgDatabase::open_for_a_while(std::unique_ptr<PgConnection>& session,
                                              PgConnection::Statements statements) {
  if (session && session->is_open()) co_return Result<void>();
  session = std::make_unique<PgConnection>(loop_, clock_, options_.work, statements);
  co_return co_await session->connect();
}

Co<Result<PgResult>> PgDatabase::ask_for_round(std::string sql) {
  Result<void> opened = co_await open_for_a_while(rounds_, PgConnection::Statements::slow);
  if (!opened) co_return tl::unexpected(opened.error());
  co_return co_await rounds_->query(std::move(sql), PgParams());
}

void PgDatabase::end_rounds() {
  rounds_.reset();
}

Co<Result<int64_t>> PgDatabase::wake() {
  return read(work_->query(wake_sql, PgParams()), int64_of);
}

Co<Result<std::vector<ClaimedTask>>> PgDatabase::claim(int64_t worker,
                                                       std::vector<std::string> models,
                                                       std::vector<int> shares, int max_tasks,
                                                       std::optional<int64_t> send_within_ms,
                                                       bool is_apart) {
  PgParams params = {std::to_string(worker), pg_array(models), pg_array(shares),
                     std::to_string(max_tasks)};
  const bool is_special = add_settings(send_within_ms, is_apart, params);
  return read_clocked_tasks(work_->query(is_special ? special_claim_sql : claim_sql,
                                         std::move(params), PgConnection::Rows::at_once),
                            clock_.now_ns());
}

Co<Result<std::vector<ClaimedTask>>> PgDatabase::claim_urgent(int64_t worker,
                                                              std::vector<std::string> models,
                                                              int max_tasks,
                                                              std::optional<int64_t> send_within_ms,
                                                              bool is_apart) {
  PgParams params = {std::to_string(worker), pg_array(models), std::to_string(max_tasks)};
  const bool is_special = add_settings(send_within_ms, is_apart, params);
  return read_clocked_tasks(
      work_->query(is_special ? special_claim_urgent_sql : claim_urgent_sql, std::move(params)),
      clock_.now_ns());
}

Co<Result<std::vector<TaskKey>>> PgDatabase::hedge(int64_t worker,
                                                   const std::vector<TaskKey>& calls) {
  PgArray ids, fences;
  for (const TaskKey& key : calls) {
    ids.add(key.task_id);
    fences.add(key.fence);
  }
  return read_clocked_keys(
      work_->query(fmt::format("select task_id, fence, {} from"
                               " sluice.hedge_many($1::bigint, $2::bigint[], $3::int[])",
                               clock_column),
                   {std::to_string(worker), ids.text(), fences.text()}),
      clock_.now_ns());
}

Co<Result<std::vector<TaskKey>>> PgDatabase::held_leases(int64_t worker) {
  return read(work_->query("select task_id, fence from sluice.held_leases($1::bigint)",
                           {std::to_string(worker)}),
              keys_of);
}

Co<Result<std::vector<ClaimedTask>>> PgDatabase::requests(int64_t worker,
                                                          std::vector<int64_t> ids) {
  return read(work_->query(requests_sql, {std::to_string(worker), pg_array(ids)}), tasks_of);
}

Co<void> PgDatabase::open_for_large(LargeSession& session) {
  if (clock_.now_ns() < session.not_before_ns) co_return;
  const Result<void> opened = co_await open_for_a_while(session.connection, session.statements);
  if (opened || !is_connected()) co_return;
  spdlog::warn("no session for {}: {}", session.what, opened.error().message);
  session.not_before_ns = clock_.now_ns() + bounds::large_session_retry_ms * ns_per_ms;
}

PgConnection& PgDatabase::either(const LargeSession& session, PgConnection& usual) {
  return session.connection && session.connection->is_open() ? *session.connection : usual;
}

void PgDatabase::end(LargeSession& session) {
  if (session.connection) session.connection->close();
}

Co<void> PgDatabase::open_for_large_requests() {
  return open_for_large(large_requests_);
}

Co<Result<std::vector<ClaimedTask>>> PgDatabase::large_request(int64_t worker, int64_t id) {
  return read(either(large_requests_, *work_)
                  .query(requests_sql, {std::to_string(worker), pg_array(std::vector(1, id))}),
              tasks_of);
}

void PgDatabase::end_large_requests() {
  end(large_requests_);
}

Co<Result<std::vector<Applied>>> PgDatabase::complete(int64_t worker,
                                                      const std::vector<EndedCall>& ended) {
  return complete_by(storing(), worker, ended);
}

Co<void> PgDatabase::open_for_large_outcomes() {
  return open_for_large(large_outcomes_);
}

Co<Result<std::vector<Applied>>> PgDatabase::complete_large(int64_t worker,
                                                            const std::vector<EndedCall>& ended) {
  return complete_by(either(large_outcomes_, storing()), worker, ended);
}

void PgDatabase::end_large_outcomes() {
  end(large_outcomes_);
}

Co<Result<std::vector<Applied>>> PgDatabase::complete_by(PgConnection& session, int64_t worker,
                                                         const std::vector<EndedCall>& ended) {
  OutcomeColumns columns;
  columns.reserve(ended);
  for (const EndedCall& call : ended) columns.add(call);
  PgParams params = params_of(
      std::to_string(worker), columns.task_id.text(), columns.fence.text(), columns.kind.param(),
      columns.answer.param(), columns.response.param(), columns.error.param(),
      columns.error_code.param(), columns.http_status.text(), columns.retry_after_ms.text(),
      columns.input_tokens.text(), columns.output_tokens.text(), columns.billed.text());
  if (!columns.has_usage) return read(session.query(complete_sql, std::move(params)), applied_of);
  params.emplace_back(columns.cached_tokens.text());
  params.emplace_back(columns.cache_write_tokens.text());
  params.emplace_back(columns.reasoning_tokens.text());
  return read(session.query(complete_with_usage_sql, std::move(params)), applied_of);
}

Co<Result<int64_t>> PgDatabase::announce(const std::vector<int64_t>& ids) {
  return read(work_->query("select sluice.announce($1::bigint[])", {pg_array(ids)}), int64_of);
}

Co<Result<int64_t>> PgDatabase::note_clock_jump(int64_t jump_us, int64_t sound_us) {
  return read(
      work_->query("select (extract(epoch from sluice.note_clock_jump("
                   "$1::bigint * interval '1 microsecond', 'epoch'::timestamptz + $2::bigint *"
                   " interval '1 microsecond')) * 1000000)::bigint",
                   {std::to_string(jump_us), std::to_string(sound_us)}),
      int64_of);
}

Co<Result<void>> PgDatabase::drain_buckets(const std::vector<ModelLimits>& limits) {
  PgTextArray models;
  PgArray requests, tokens;
  for (const ModelLimits& each : limits) {
    models.add(each.model);
    requests.add(each.left.requests);
    tokens.add(each.left.tokens);
  }
  return read_nothing(
      work_->query("select sluice.drain_bucket(model, requests, tokens)"
                   " from unnest($1::text[], $2::int[], $3::bigint[]) l(model, requests, tokens)",
                   {models.param(), requests.text(), tokens.text()}));
}

Co<Result<bool>> PgDatabase::unfinished(int64_t worker) {
  return read(work_->query("select sluice.unfinished($1::bigint)", {std::to_string(worker)}),
              bool_of);
}

Co<Result<int64_t>> PgDatabase::unregister_worker(int64_t worker) {
  return read(work_->query("select sluice.unregister_worker($1::bigint)", {std::to_string(worker)}),
              int64_of);
}

Co<Result<void>> PgDatabase::listen() {
  listen_ = open(options_.listen);
  Result<void> connected = co_await listen_->connect();
  if (!connected) co_return connected;
  const Result<bool> direct = co_await is_direct(*listen_);
  if (!direct) co_return tl::unexpected(direct.error());
  is_pooled_ = !*direct;
  if (is_pooled_) co_return Result<void>();
  std::vector<std::string> statements = {take_sleeper_locks_sql, drop_sleeper_locks_sql,
                                         check_notifications_sql};
  co_await prepare(*listen_, std::move(statements));
  co_return co_await subscribe();
}

Co<Result<void>> PgDatabase::subscribe() {
  Reply work = listen_->query("listen sluice_work", PgParams());
  Reply configuration = listen_->query("listen sluice_config", PgParams());
  Reply abortion = listen_->query("listen sluice_abort", PgParams());
  Result<PgResult> first = co_await std::move(work);
  Result<PgResult> second = co_await std::move(configuration);
  Result<PgResult> third = co_await std::move(abortion);
  if (!first) co_return tl::unexpected(first.error());
  if (!second) co_return tl::unexpected(second.error());
  if (!third) co_return tl::unexpected(third.error());
  co_return Result<void>();
}

ListenMode PgDatabase::listen_mode() const {
  if (!is_listening()) return ListenMode::lost;
  // A check that removes gigabytes takes seconds: that is no reason to doubt the session.
  const bool is_mute = listen_->unanswered_ms() > bounds::listen_silence_ms_min;
  if (is_mute && !is_scarce_) return ListenMode::lost;
  if (is_pooled_) return ListenMode::poll;
  return is_scarce_ ? ListenMode::scarce : ListenMode::listen;
}

void PgDatabase::check_listening() {
  if (!is_listening()) return;
  if (listen_->unanswered_ms() > bounds::listen_silence_ms_max) {
    listen_->close();
    on_lost();
  } else if (listen_->queries_pending() == 0) {
    coroutines_.spawn(note_scarcity(listen_->query(check_notifications_sql, PgParams())));
  }
}

// An error says nothing new: the session is lost, or the next check finds what was in its way.
Co<void> PgDatabase::note_scarcity(Reply checked) {
  const Result<PgResult> scarce = co_await std::move(checked);
  if (!scarce || scarce->boolean(0, 0) == is_scarce_) co_return;
  is_scarce_ = !is_scarce_;
  on_scarce();
}

Co<Result<bool>> PgDatabase::become_watcher(int64_t worker) {
  if (is_pooled_) return at_once(Result<bool>(true));  // everybody for himself
  return read(listen_->query("select sluice.become_watcher($1::bigint)", {std::to_string(worker)}),
              bool_of);
}

Co<Result<void>> PgDatabase::resign_watcher(int64_t worker, bool work_remains) {
  if (is_pooled_) return at_once(Result<void>());
  return read_nothing(listen_->query("select sluice.resign_watcher($1::bigint, $2::boolean)",
                                     {std::to_string(worker), work_remains ? "t" : "f"}));
}

Co<Result<SleepCheck>> PgDatabase::take_sleeper_locks(int64_t worker, std::vector<int> held) {
  if (is_pooled_) {  // as if all 64 were held already: it takes none and only looks
    return read(
        listen_->query(
            "select '{}'::int[], complete, work, wake_in_ms"
            " from sluice.take_sleeper_locks($1::bigint, array(select generate_series(0, 63)))",
            {std::to_string(worker)}),
        sleep_check_of);
  }
  return read(listen_->query(take_sleeper_locks_sql, {std::to_string(worker), pg_array(held)}),
              sleep_check_of);
}

Co<Result<void>> PgDatabase::drop_sleeper_locks(std::vector<int> locks) {
  return read_nothing(listen_->query(drop_sleeper_locks_sql, {pg_array(locks)}));
}

void PgDatabase::close() {
  if (work_) work_->close();
  if (store_) store_->close();
  if (listen_) listen_->close();
  if (rounds_) rounds_->close();
  end(large_requests_);
  end(large_outcomes_);
}

}  // namespace sluice
