#include "doctor/examine.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "db/database_url.h"
#include "db/migrate.h"
#include "doctor/checks.h"
#include "doctor/deadline.h"
#include "doctor/trials.h"

namespace sluice {
namespace {

class Examiner final {
 public:
  Examiner(pqxx::connection& connection, const ExamineRequest& request)
      : connection_(connection), request_(request), direct_(connect(request.direct_url)) {}

  Examination run() && {
    look_at_server();
    if (!why_not(provider_of(found_.server)).empty()) return std::move(found_);
    add("clock", [this] { return check_clock(connection_); });
    add("snapshots", [this] { return check_snapshots(connection_); });
    add("notifications", [this] { return check_notifications(connection_); });
    add("connections", [this] { return check_capacity(connection_); });
    add("roles", [this] { return check_roles(connection_); });
    const bool fits =
        add("schema", [this] { return check_schema_drift(connection_, embedded_sql()); });
    // The other checks speak this binary's schema, and read what a standby cannot.
    if (!fits || found_.server.is_standby) return std::move(found_);
    add("disk", [this] { return check_disk(connection_); });
    int mended = 0;
    const bool intact = add("sequences", [&] { return check_sequences(connection_, &mended); });
    tell_mended(mended);
    if (intact) look_at_installation();
    return std::move(found_);
  }

 private:
  void look_at_server() {
    add("provider", [this] {
      found_.server = server_facts(*direct_);
      return Findings{};
    });
    add("pooler", [this] {
      found_.pooler = pooler_mode(connection_, request_.database_url, request_.check_timeout_ms);
      found_.direct = request_.direct_url == request_.database_url
                          ? found_.pooler
                          : pooler_mode(*direct_, request_.direct_url, request_.check_timeout_ms);
      return judge_pooler(found_.direct, pooler_at(found_.server.host, found_.server.port));
    });
    Trials trials;
    const bool is_postgresql =
        why_not(provider_of(found_.server)).empty() && !found_.server.is_standby;
    add("wakeups", [&] {
      if (is_postgresql) {
        trials = try_mechanisms(connection_, *direct_, found_.direct,
                                std::min(notification_wait_ms, request_.check_timeout_ms));
      }
      return Findings{};
    });
    found_.mechanisms = mechanisms_of(found_.server, found_.direct, trials);
    for (Finding& finding : judge_mechanisms(found_.server, found_.mechanisms)) {
      found_.findings.push_back(std::move(finding));
    }
  }

  // No finding: nothing is left to do. But it says that a standby was promoted, or a backup
  // restored.
  void tell_mended(int mended) {
    if (mended == 0) return;
    for (Mechanism& mechanism : found_.mechanisms) {
      if (mechanism.name != "unlogged sequences") continue;
      mechanism.why += fmt::format("; {} damaged ones were made anew just now", mended);
    }
  }

  void look_at_installation() {
    add("autovacuum", [this] { return check_autovacuum(connection_); });
    add("bloat", [this] { return check_tables(connection_); });
    add("partitions", [this] { return check_partitions(connection_); });
    add("roles", [this] { return check_tenant_roles(connection_); });
    add("connect", [this] { return check_strangers(connection_); });
    add("names", [this] { return check_public_schema(connection_); });
    add("references", [this] { return check_references(connection_); });
    add("versions", [this] { return check_versions(connection_); });
    add("secrets", [this] { return check_secrets(connection_, request_.secrets); });
    ModelByEndpoint endpoints;
    add("backends", [&] {
      endpoints = backend_endpoints(connection_);
      return Findings{};
    });
    for (Finding& finding : check_backends(endpoints, request_.check_timeout_ms)) {
      found_.findings.push_back(std::move(finding));
    }
    add("queues", [this] { return check_queues(connection_, found_.findings); });
    add("budgets", [this] { return check_budgets(connection_); });
    add("errors", [this] { return check_failures(connection_); });
  }

  // Runs one check within its time. Returns whether it found nothing, and came to its end.
  template <typename Check>
  bool add(const char* name, const Check& check) {
    Findings findings = within_time(name, check);
    const bool is_sound = findings.empty();
    for (Finding& finding : findings) found_.findings.push_back(std::move(finding));
    return is_sound;
  }

  template <typename Check>
  Findings within_time(const char* name, const Check& check) {
    // A request to cancel may come late, and hit the check after the one that it was for.
    for (bool is_again : {false, true}) {
      const StatementDeadline working(connection_, request_.check_timeout_ms);
      const StatementDeadline direct(*direct_, request_.check_timeout_ms);
      try {
        return check();
      } catch (const pqxx::sql_error& error) {
        if (error.sqlstate() != query_canceled) throw;
        if (working.has_fired() || direct.has_fired() || is_again) break;
      }
    }
    return {{name,
             fmt::format("this check took longer than {} ms, and was given up",
                         request_.check_timeout_ms),
             "see pg_stat_activity and pg_locks for what it waits for; sluice doctor "
             "--check-timeout 1m waits longer"}};
  }

  pqxx::connection& connection_;
  const ExamineRequest& request_;
  std::unique_ptr<pqxx::connection> direct_;
  Examination found_;
};

}  // namespace

Examination examine(pqxx::connection& connection, const ExamineRequest& request) {
  return Examiner(connection, request).run();
}

}  // namespace sluice
