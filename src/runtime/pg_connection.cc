#include "runtime/pg_connection.h"

#include <fmt/format.h>
#include <libpq-fe.h>
#include <spdlog/spdlog.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <system_error>
#include <utility>

#include "runtime/session_settings.h"

namespace sluice {
namespace {

// A dead peer is noticed after about 25 s of silence, also with a query unanswered
// (tcp_user_timeout covers unsent data).
constexpr const char* keepalive_idle_s = "10";
constexpr const char* keepalive_interval_s = "5";
constexpr const char* keepalive_count = "3";
constexpr const char* tcp_user_timeout_ms = "25000";

// A timer that is so late: the process was stopped, or its machine.
constexpr int64_t standstill_ns = ns_per_s;

// What a Unix socket takes at once, where net.core.wmem_max allows it. After each send libpq moves
// all that is still unsent: of 60 MB that took 0.6 s of the loop with the usual 208 KiB, and takes
// 0.04 with this. A socket of TCP grows by itself, unless its size is set.
constexpr int unix_send_buffer_bytes = 4 << 20;

int socket_option(int fd, int option) {
  int value = 0;
  socklen_t size = sizeof value;
  getsockopt(fd, SOL_SOCKET, option, &value, &size);
  return value;
}

void widen_unix_socket(int fd) {
  if (socket_option(fd, SO_DOMAIN) != AF_UNIX) return;
  if (socket_option(fd, SO_SNDBUF) >= unix_send_buffer_bytes) return;
  setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &unix_send_buffer_bytes, sizeof unix_send_buffer_bytes);
}

struct FreeNotification {
  void operator()(PGnotify* notification) const { PQfreemem(notification); }
};
using PgNotification = std::unique_ptr<PGnotify, FreeNotification>;

struct ClearResult {
  void operator()(PGresult* result) const { PQclear(result); }
};
using OwnedResult = std::unique_ptr<PGresult, ClearResult>;

std::string one_line(std::string_view text) {
  std::string line(text);
  std::replace(line.begin(), line.end(), '\n', ' ');
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

constexpr const char* closed_while_connecting = "closed while connecting";

// libpq's last error without its advice, which it indents.
std::string problem_of(const PGconn* connection) {
  std::string text = PQerrorMessage(connection);
  for (size_t advice; (advice = text.find("\n\t")) != std::string::npos;) {
    text.erase(advice, std::min(text.find('\n', advice + 1), text.size()) - advice);
  }
  return one_line(text);
}

Error not_open() {
  return {Error::Action::reconnect, "08003", "the database connection is not open"};
}

std::string_view field(const PGresult* result, int code) {
  const char* value = PQresultErrorField(result, code);
  return value == nullptr ? std::string_view() : std::string_view(value);
}

Error statement_error(const PGresult* result) {
  const std::string_view sqlstate = field(result, PG_DIAG_SQLSTATE);
  // By the place in the server, for its words depend on lc_messages.
  if (sqlstate == "54000" && field(result, PG_DIAG_SOURCE_FUNCTION) == "PreCommit_Notify") {
    return notify_queue_full();
  }
  // 55P03 from this place is lock_timeout; from elsewhere it is an error that our functions raise.
  if (sqlstate == "55P03" && field(result, PG_DIAG_SOURCE_FUNCTION) == "ProcessInterrupts") {
    return {Error::Action::retry_later, std::string(sqlstate),
            "an open transaction has locked what this needs", "Try again when it has ended."};
  }
  Error error{classify_sqlstate(sqlstate), std::string(sqlstate), {}};
  // Class 22 quotes the offending value, which may be a prompt. Details and contexts are never
  // taken, for the same reason.
  error.message = sqlstate.starts_with("22") ? "the server refuses a value"
                                             : one_line(field(result, PG_DIAG_MESSAGE_PRIMARY));
  // Those of the server's own may quote; of class 23 and 55P03 it gives none, so they are ours.
  if (sqlstate.starts_with("SL") || sqlstate.starts_with("23") || sqlstate == "55P03") {
    error.hint = one_line(field(result, PG_DIAG_MESSAGE_HINT));
    error.param = field(result, PG_DIAG_COLUMN_NAME);
  }
  return error;
}

// The hash of its text (FNV-1a) is a statement's name. So even if sessions are shared after all, as
// behind a pooler, a name stands for the right statement or for none.
std::string name_of(std::string_view sql) {
  uint64_t hash = 0xcbf29ce484222325;
  for (const char byte : sql) hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3;
  return fmt::format("sluice_{:016x}", hash);
}

// It does not exist, or is of a time when its function returned something else.
bool is_lost_statement(std::string_view sqlstate) {
  return sqlstate == "26000" || sqlstate == "0A000";
}

bool is_success(ExecStatusType status) {
  return status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK || status == PGRES_EMPTY_QUERY;
}

void log_notice(void*, const PGresult* notice) {
  spdlog::debug("postgres notice, SQLSTATE {}", field(notice, PG_DIAG_SQLSTATE));
}

}  // namespace

void PgConnection::Finish::operator()(pg_conn* connection) const {
  PQfinish(connection);
}

PgConnection::PgConnection(Loop& loop, Clock& clock, PgServers& servers, Statements statements)
    : loop_(loop), clock_(clock), servers_(servers), statements_(statements) {}

PgConnection::~PgConnection() {
  assert(state_ != State::connecting && "close() first, and let connect() return");
  close();
}

Co<Result<void>> PgConnection::connect() {
  assert(state_ == State::fresh && "connect() is called once");
  state_ = State::connecting;
  std::string reasons;
  for (const PgServer& server : servers_.in_order()) {
    Attempt attempt = co_await try_server(server);
    if (attempt) {
      servers_.note_connected(server, this, [this](int64_t since_ns) { end_if_idle(since_ns); });
      // Nobody awaits the reply: all that is sent later runs after it.
      static_cast<void>(query(session_settings_sql, {std::to_string(server_pid())}));
      co_return Result<void>();
    }
    reasons.append(reasons.empty() ? "" : "; ").append(attempt.error());
    if (state_ == State::closed) break;
    servers_.note_failed(server);
  }
  if (state_ != State::closed) servers_.note_away(reasons);
  Error error{Error::Action::reconnect, {}, std::move(reasons)};
  finish(error);
  co_return tl::unexpected(std::move(error));
}

Co<PgConnection::Attempt> PgConnection::try_server(PgServer server) {
  if (!server.has_name()) co_return co_await try_address(server);
  Result<Resolver::Addresses> addresses = co_await addresses_of(server);
  if (!addresses) co_return tl::unexpected(addresses.error().message);
  std::string reasons;
  for (const std::string& address : *addresses) {
    server.hostaddr = address;
    Attempt attempt = co_await try_address(server);
    if (attempt) co_return attempt;
    // libpq names the address alone.
    if (address != server.host) attempt.error().insert(0, server.host + ": ");
    reasons.append(reasons.empty() ? "" : "; ").append(attempt.error());
    if (state_ == State::closed) break;
  }
  co_return tl::unexpected(std::move(reasons));
}

// The look-up runs beside us, so that close() need not wait for it.
Co<Result<Resolver::Addresses>> PgConnection::addresses_of(PgServer server) {
  const int64_t deadline_ns = clock_.now_ns() + servers_.connect_timeout_ms() * ns_per_ms;
  std::optional<Result<Resolver::Addresses>> addresses;
  const auto look_up = [&]() -> Co<void> {
    addresses = co_await servers_.resolver().resolve(server.host, deadline_ns);
    progress_.raise();
  };
  CoGroup look_ups;
  look_ups.spawn(look_up());
  while (!addresses && state_ != State::closed) co_await progress_.wait();
  if (state_ == State::closed) co_return tl::unexpected(Error{{}, {}, closed_while_connecting});
  co_return std::move(*addresses);
}

Co<PgConnection::Attempt> PgConnection::try_address(PgServer server) {
  const int64_t deadline_ns = clock_.now_ns() + servers_.connect_timeout_ms() * ns_per_ms;
  const std::string& place = server.hostaddr.empty() ? server.host : server.hostaddr;
  start(server);
  PostgresPollingStatusType polling = PGRES_POLLING_WRITING;
  if (PQstatus(connection_.get()) == CONNECTION_BAD) polling = PGRES_POLLING_FAILED;
  try {
    while (polling == PGRES_POLLING_READING || polling == PGRES_POLLING_WRITING) {
      // PQconnectPoll may open another socket, even one of the same number: watch anew each time.
      watch_.emplace(loop_, PQsocket(connection_.get()), [this](bool, bool) { progress_.raise(); });
      watch_->want(polling == PGRES_POLLING_READING, polling == PGRES_POLLING_WRITING);
      const bool in_time = co_await progress_.wait_until(clock_, deadline_ns);
      watch_.reset();
      if (state_ == State::closed) co_return tl::unexpected(std::string(closed_while_connecting));
      if (!in_time) {
        co_return abandon("no answer in time" + (place.empty() ? "" : " from " + place));
      }
      polling = PQconnectPoll(connection_.get());
    }
    if (polling != PGRES_POLLING_OK) co_return abandon(problem_of(connection_.get()));
    enter_pipeline_mode();
  } catch (const std::system_error&) {
    co_return abandon(cannot_watch_text);
  }
  co_return Attempt();
}

// To one address: libpq has no list to go through, and nothing to look up.
void PgConnection::start(const PgServer& server) {
  // Keys before `dbname` (the whole conninfo) are defaults that it may override; keys after it are
  // ours. Empty ones do not count.
  const std::array keys{"keepalives_idle",
                        "keepalives_interval",
                        "keepalives_count",
                        "tcp_user_timeout",
                        "fallback_application_name",
                        "dbname",
                        "client_encoding",
                        "host",
                        "hostaddr",
                        "port",
                        static_cast<const char*>(nullptr)};
  const std::array values{keepalive_idle_s,
                          keepalive_interval_s,
                          keepalive_count,
                          tcp_user_timeout_ms,
                          "sluice",
                          servers_.conninfo().c_str(),
                          "UTF8",
                          server.host.c_str(),
                          server.hostaddr.c_str(),
                          server.port.c_str(),
                          static_cast<const char*>(nullptr)};
  connection_.reset(PQconnectStartParams(keys.data(), values.data(), /*expand_dbname=*/1));
  if (connection_ == nullptr) throw std::bad_alloc();
  PQsetNoticeReceiver(connection_.get(), &log_notice, nullptr);
}

PgConnection::Attempt PgConnection::abandon(std::string reason) {
  connection_.reset();
  return tl::unexpected(std::move(reason));
}

void PgConnection::enter_pipeline_mode() {
  PQsetnonblocking(connection_.get(), 1);
  PQenterPipelineMode(connection_.get());
  widen_unix_socket(PQsocket(connection_.get()));
  watch_.emplace(loop_, PQsocket(connection_.get()),
                 [this](bool readable, bool writable) { on_socket(readable, writable); });
  watch_->want(true, false);
  opened_ns_ = heard_ns_ = clock_.now_ns();
  state_ = State::open;
}

Co<Result<PgResult>> PgConnection::query(std::string sql, PgParams params, Rows rows) {
  auto reply = std::make_shared<Reply>();
  reply->sent_ns = clock_.now_ns();
  const auto refuse = [&](Error error) {
    reply->result = tl::unexpected(std::move(error));
    reply->arrived.raise();
  };
  const auto has_nul = [](const PgParam& param) {
    return param.value && !param.is_binary && param.value->find('\0') != std::string::npos;
  };
  if (state_ != State::open) {
    refuse(not_open());
  } else if (std::any_of(params.begin(), params.end(), has_nul)) {
    // In text format it would end the value there, silently.
    refuse({Error::Action::refuse, "22021", "a text holds the character NUL"});
  } else {
    const auto prepared = prepared_.find(sql);
    reply->is_prepared = prepared != prepared_.end();
    expect(reply,
           send(reply->is_prepared ? prepared->second : sql, reply->is_prepared, params, rows));
  }
  return await_reply(std::move(reply));
}

Co<Result<void>> PgConnection::prepare(std::string sql) {
  auto reply = std::make_shared<Reply>();
  reply->sent_ns = clock_.now_ns();
  std::string name = name_of(sql);
  if (state_ != State::open) {
    reply->result = tl::unexpected(not_open());
    reply->arrived.raise();
  } else {
    const int queued = PQsendPrepare(connection_.get(), name.c_str(), sql.c_str(), 0, nullptr);
    expect(reply, sync(queued == 1));
  }
  return note_prepared(std::move(sql), std::move(name), await_reply(std::move(reply)));
}

Co<Result<void>> PgConnection::note_prepared(std::string sql, std::string name,
                                             Co<Result<PgResult>> reply) {
  const Result<PgResult> prepared = co_await std::move(reply);
  if (!prepared) co_return tl::unexpected(prepared.error());
  prepared_.emplace(std::move(sql), std::move(name));
  co_return Result<void>();
}

void PgConnection::expect(std::shared_ptr<Reply> reply, Sent sent) {
  if (sent == Sent::refused) {
    reply->result =
        tl::unexpected(Error{Error::Action::refuse, "54000", problem_of(connection_.get())});
    reply->arrived.raise();
    return;
  }
  pending_.push_back(std::move(reply));
  if (sent != Sent::yes) return lose();
  watch_socket();
  watch_silence();
}

int64_t PgConnection::unanswered_ms() const {
  return pending_.empty() ? 0 : (clock_.now_ns() - pending_.front()->sent_ns) / ns_per_ms;
}

int PgConnection::server_pid() const {
  return PQbackendPID(connection_.get());
}

Co<Result<PgResult>> PgConnection::await_reply(std::shared_ptr<Reply> reply) {
  co_await reply->arrived.wait();
  co_return std::move(*reply->result);
}

PgConnection::Sent PgConnection::send(const std::string& text, bool is_name, const PgParams& params,
                                      Rows rows) {
  std::vector<const char*> values;
  std::vector<int> lengths, formats;
  for (const auto& [value, is_binary] : params) {
    values.push_back(value ? value->c_str() : nullptr);
    lengths.push_back(value ? static_cast<int>(value->size()) : 0);  // read of binary ones
    formats.push_back(is_binary ? 1 : 0);
  }
  PGconn* connection = connection_.get();
  const auto count = static_cast<int>(values.size());
  const int queued =
      is_name ? PQsendQueryPrepared(connection, text.c_str(), count, values.data(), lengths.data(),
                                    formats.data(), /*resultFormat=*/0)
              : PQsendQueryParams(connection, text.c_str(), count, nullptr, values.data(),
                                  lengths.data(), formats.data(), /*resultFormat=*/0);
  if (queued == 1 && rows == Rows::at_once) PQsendFlushRequest(connection);
  return sync(queued == 1);
}

// A query queued without its Sync would take the next one into its transaction.
PgConnection::Sent PgConnection::sync(bool queued) {
  PGconn* connection = connection_.get();
  if (!queued) return PQstatus(connection) == CONNECTION_OK ? Sent::refused : Sent::lost;
  return PQpipelineSync(connection) == 1 ? Sent::yes : Sent::lost;
}

void PgConnection::on_socket(bool readable, bool) {
  heard_ns_ = clock_.now_ns();
  if (readable) {
    if (PQconsumeInput(connection_.get()) == 0) return lose();
    read_replies();
    read_notifications();
    if (state_ == State::open && PQstatus(connection_.get()) == CONNECTION_BAD) return lose();
  }
  if (state_ == State::open) watch_socket();
}

// Each query brings: its result or error, a null, and the answer to its Sync, which completes it.
void PgConnection::read_replies() {
  bool after_null = false;
  while (!pending_.empty() && PQisBusy(connection_.get()) == 0) {
    OwnedResult result(PQgetResult(connection_.get()));
    if (result == nullptr) {
      if (std::exchange(after_null, true)) return;  // two in a row: nothing more has come
      continue;
    }
    after_null = false;
    const ExecStatusType status = PQresultStatus(result.get());
    Reply& reply = *pending_.front();
    if (status == PGRES_PIPELINE_SYNC) {
      if (!reply.result) {
        reply.result = tl::unexpected(Error{Error::Action::bug, {}, "a query without a result"});
      }
      reply.arrived.raise();
      pending_.pop_front();
    } else if (is_success(status)) {
      reply.result.emplace(PgResult(result.release()));
    } else {
      Error error = statement_error(result.get());
      has_lost_statements_ = reply.is_prepared && is_lost_statement(error.code);
      if (has_lost_statements_) return lose();
      reply.result = tl::unexpected(std::move(error));
    }
  }
}

void PgConnection::read_notifications() {
  while (state_ == State::open) {
    const PgNotification notification(PQnotifies(connection_.get()));
    if (notification == nullptr) return;
    if (on_notify) on_notify(notification->relname, notification->extra);
  }
}

// Reads always: a server whose replies nobody takes stops reading our queries.
void PgConnection::watch_socket() {
  const bool unsent = PQflush(connection_.get()) == 1;
  watch_->want(true, unsent);
}

void PgConnection::lose() {
  const std::string reason = problem_of(connection_.get());
  finish({Error::Action::reconnect, "08006", "database connection lost: " + reason});
  servers_.note_away(reason);
  if (on_lost) on_lost();
}

int64_t PgConnection::silent_ns() const {
  return pending_.empty() ? 0 : clock_.now_ns() - std::max(pending_.front()->sent_ns, heard_ns_);
}

int64_t PgConnection::patience_ns() const {
  return servers_.patience_ms(statements_ == Statements::slow) * ns_per_ms;
}

void PgConnection::watch_silence() {
  if (silence_timer_ != 0 || pending_.empty()) return;
  const int64_t due_ns = clock_.now_ns() - silent_ns() + patience_ns();
  silence_timer_ = clock_.call_at(due_ns, [this, due_ns] {
    silence_timer_ = 0;
    on_silence(due_ns);
  });
}

// Statements that were answered meanwhile have set no timer of their own.
void PgConnection::on_silence(int64_t due_ns) {
  // It was this process that stood still: what came meanwhile has yet to be read.
  if (clock_.now_ns() - due_ns > standstill_ns) heard_ns_ = clock_.now_ns();
  if (silent_ns() < patience_ns()) return watch_silence();
  const int64_t since_ns = clock_.now_ns() - silent_ns();
  finish({Error::Action::reconnect, "08006", "database connection lost: no answer in time"});
  servers_.note_silent(opened_ns_, since_ns);
  if (on_lost) on_lost();
}

void PgConnection::end_if_idle(int64_t since_ns) {
  if (state_ != State::open || !pending_.empty() || heard_ns_ > since_ns) return;
  close();
  if (on_lost) on_lost();
}

void PgConnection::close() {
  finish({Error::Action::reconnect, "08003", "the database connection was closed"});
  progress_.raise();
}

void PgConnection::finish(const Error& error_of_pending) {
  if (state_ == State::open) servers_.note_closed(this);
  state_ = State::closed;
  clock_.cancel(std::exchange(silence_timer_, 0));
  watch_.reset();
  connection_.reset();
  for (const auto& reply : std::exchange(pending_, {})) {
    reply->result = tl::unexpected(error_of_pending);
    reply->arrived.raise();
  }
}

}  // namespace sluice
