#include "doctor/trials.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <vector>

#include "db/database_url.h"
#include "doctor/checks.h"
#include "doctor/deadline.h"

namespace sluice {
namespace {

using Clock = std::chrono::steady_clock;

// As sluice.lock_class('doctor') has it: there may be no schema yet.
constexpr int lock_class_doctor = 731'021;
constexpr const char* channel_name = "sluice_doctor";

// More connections tell no more: a pooler hands the server that was used last to the next one.
constexpr int pooler_connections_max = 3;

// By index or few rows. The schema sys alone, and not all of pg_class: providers hide some of it.
constexpr const char* marks_sql = R"(
  select mark from (
    select 'role ' || rolname from pg_roles
    union all select 'function ' || proname from pg_proc where proname like 'aurora\_%'
    union all select 'setting ' || name from pg_settings where name like '%.%'
    union all select 'extension ' || name from pg_available_extensions
    union all select 'relation sys.' || relname from pg_class
      where relnamespace = (select oid from pg_namespace where nspname = 'sys')) m(mark)
  where mark = any ($1::text[]))";

std::string array_text(const std::vector<std::string>& plain_words) {
  std::string text = "{";
  for (const std::string& word : plain_words) {
    text += fmt::format("{}\"{}\"", text.size() > 1 ? "," : "", word);
  }
  return text + "}";
}

std::vector<std::string> read_marks(pqxx::connection& connection) try {
  pqxx::nontransaction session(connection);
  std::vector<std::string> marks;
  for (const pqxx::row& row : session.exec_params(marks_sql, array_text(provider_marks()))) {
    marks.push_back(row[0].as<std::string>());
  }
  return marks;
} catch (const pqxx::sql_error&) {
  return {};  // not quite PostgreSQL: version() tells, or the address
}

int server_pid(pqxx::connection& connection) {
  pqxx::nontransaction session(connection);
  return session.exec1("select pg_backend_pid()")[0].as<int>();
}

// A connection with an open transaction, which keeps a server of the pool.
struct Holder {
  std::unique_ptr<pqxx::connection> connection;
  std::unique_ptr<pqxx::work> transaction;
};

class Receiver final : public pqxx::notification_receiver {
 public:
  Receiver(pqxx::connection& connection, std::string awaited)
      : pqxx::notification_receiver(connection, channel_name), awaited_(std::move(awaited)) {}
  void operator()(const std::string& payload, int /*server_pid*/) override {
    has_come_ = has_come_ || payload == awaited_;
  }
  bool has_come() const { return has_come_; }

 private:
  std::string awaited_;
  bool has_come_ = false;
};

void try_notification(pqxx::connection& notifier, pqxx::connection& listener, int64_t wait_ms,
                      Trials& trials) {
  constexpr long look_us = 50'000;
  const std::string payload = std::to_string(listener.backendpid());
  Receiver receiver(listener, payload);
  const auto begun = Clock::now();
  const auto elapsed_ms = [&] {
    return std::chrono::duration<double, std::milli>(Clock::now() - begun).count();
  };
  try {
    pqxx::nontransaction session(notifier);
    session.exec_params("select pg_notify($1, $2)", channel_name, payload);
  } catch (const pqxx::sql_error& error) {
    constexpr std::string_view queue_is_full = "54000";
    if (error.sqlstate() != queue_is_full) throw;
    return;  // not tried; another check says who holds the queue up
  }
  trials.wait_ms = wait_ms;
  while (!receiver.has_come() && elapsed_ms() < static_cast<double>(wait_ms)) {
    listener.await_notification(0, look_us);
  }
  trials.was_notified = receiver.has_come();
  if (receiver.has_come()) trials.notified_ms = elapsed_ms();
}

bool are_locks_kept(pqxx::connection& connection, pqxx::connection& direct) {
  const std::string key = fmt::format("({}, {})", lock_class_doctor, direct.backendpid());
  pqxx::nontransaction keeper(direct);
  pqxx::nontransaction other(connection);
  const auto calls = [&key](pqxx::nontransaction& session, const char* function) {
    return session.exec1(fmt::format("select {}{}", function, key))[0].as<bool>();
  };
  const bool is_held =
      calls(keeper, "pg_try_advisory_lock") && !calls(other, "pg_try_advisory_xact_lock");
  return calls(keeper, "pg_advisory_unlock") && is_held &&
         calls(other, "pg_try_advisory_xact_lock");
}

// nullopt: this login may make no temporary sequence, or not now.
std::optional<bool> is_setval_kept(pqxx::connection& direct) try {
  {
    pqxx::nontransaction session(direct);
    session.exec0("create temporary sequence sluice_doctor");
  }
  {
    pqxx::work undone(direct);
    undone.exec1("select setval('pg_temp.sluice_doctor', 7)");
  }
  pqxx::nontransaction session(direct);
  const auto value = session.exec1("select last_value from pg_temp.sluice_doctor")[0].as<int>();
  session.exec0("drop sequence pg_temp.sluice_doctor");
  return value == 7;
} catch (const pqxx::sql_error& error) {
  if (error.sqlstate() == query_canceled) throw;
  return std::nullopt;
}

}  // namespace

ServerFacts server_facts(pqxx::connection& connection) {
  ServerFacts facts;
  const char* host = connection.hostname();
  const char* port = connection.port();
  facts.host = host == nullptr ? "" : host;
  facts.port = port == nullptr ? "" : port;
  {
    pqxx::nontransaction session(connection);
    const pqxx::row row = session.exec1(
        "select version(), current_setting('server_version_num')::int, pg_is_in_recovery(),"
        " current_setting('default_transaction_read_only')::boolean");
    facts.version = row[0].as<std::string>();
    facts.version_number = row[1].as<int>();
    facts.is_standby = row[2].as<bool>();
    facts.is_read_only = row[3].as<bool>();
  }
  facts.marks = read_marks(connection);
  return facts;
}

PoolerMode pooler_mode(pqxx::connection& connection, const std::string& url, int64_t timeout_ms) {
  if (!is_behind_pooler(connection)) return PoolerMode::none;
  std::vector<Holder> holders;
  const int own = server_pid(connection);
  while (holders.size() < pooler_connections_max) {
    Holder holder{connect(url), nullptr};
    const StatementDeadline deadline(*holder.connection, timeout_ms);
    try {
      holder.transaction = std::make_unique<pqxx::work>(*holder.connection);
      const auto pid = holder.transaction->exec1("select pg_backend_pid()")[0].as<int>();
      if (pid == own || server_pid(connection) != own) return PoolerMode::transaction;
    } catch (const pqxx::failure&) {
      // It takes no transaction, or has no server left while ours is idle: no session's mode.
      return PoolerMode::transaction;
    }
    holders.push_back(std::move(holder));
  }
  return PoolerMode::session;
}

Trials try_mechanisms(pqxx::connection& connection, pqxx::connection& direct, PoolerMode mode,
                      int64_t wait_ms) {
  Trials trials;
  if (mode == PoolerMode::transaction) return trials;
  trials.locks_are_kept = are_locks_kept(connection, direct);
  trials.setval_is_kept = is_setval_kept(direct);
  try_notification(connection, direct, wait_ms, trials);
  return trials;
}

}  // namespace sluice
