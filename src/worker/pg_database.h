// Database over PostgreSQL connections: one that works, one that listens, perhaps another one that
// stores outcomes, and while there is a long round, or large requests or outcomes, one for each of
// these. The only place in the worker that knows SQL. It owns the connections and replaces them
// when asked to connect again; it does not decide when.
//
// Thread rule: loop thread only; the loop, the clock and the servers outlive it.
#pragma once

#include <memory>

#include "db/served_schema.h"
#include "runtime/pg_connection.h"
#include "worker/database.h"

namespace sluice {

struct PgDatabaseOptions {
  PgServers& work;            // may be poolers in transaction mode
  PgServers& listen;          // direct; else the worker polls
  bool stores_apart = false;  // outcomes have a session of their own
  SchemaRange known_schemas = {};
  std::vector<std::string> schema_versions = {};  // of payloads that the worker serves; empty: all
};

class PgDatabase final : public Database {
 public:
  PgDatabase(Loop& loop, Clock& clock, PgDatabaseOptions options);

  Co<Result<void>> connect() override;
  bool is_connected() const override { return work_ && work_->is_open() && storing().is_open(); }
  bool is_doubtful() const override {
    return is_connected() && (work_->is_doubtful() || storing().is_doubtful());
  }
  bool stores_apart() const override { return options_.stores_apart; }
  Co<Result<int64_t>> mend_sequences() override;
  Co<Result<int64_t>> register_worker(std::string name, int slots,
                                      std::vector<std::string> models) override;
  Co<Result<Configuration>> configuration(std::vector<std::string> models) override;
  Co<Result<std::vector<TaskKey>>> heartbeat(int64_t worker) override;
  Co<Result<int64_t>> recover(int64_t worker) override;
  Co<Result<Rest>> fall_asleep(int64_t worker) override;
  Co<Result<int64_t>> sweep() override;
  Co<Result<int64_t>> retain() override;
  Co<Result<int64_t>> advance_jobs() override;
  Co<Result<bool>> keep_history() override;
  void end_rounds() override;
  Co<Result<int64_t>> wake() override;
  Co<Result<std::vector<ClaimedTask>>> claim(int64_t worker, std::vector<std::string> models,
                                             std::vector<int> shares, int max_tasks,
                                             std::optional<int64_t> send_within_ms,
                                             bool is_apart) override;
  Co<Result<std::vector<ClaimedTask>>> claim_urgent(int64_t worker, std::vector<std::string> models,
                                                    int max_tasks,
                                                    std::optional<int64_t> send_within_ms,
                                                    bool is_apart) override;
  Co<Result<std::vector<TaskKey>>> hedge(int64_t worker,
                                         const std::vector<TaskKey>& calls) override;
  Co<Result<std::vector<TaskKey>>> held_leases(int64_t worker) override;
  Co<Result<std::vector<ClaimedTask>>> requests(int64_t worker, std::vector<int64_t> ids) override;
  Co<void> open_for_large_requests() override;
  Co<Result<std::vector<ClaimedTask>>> large_request(int64_t worker, int64_t id) override;
  void end_large_requests() override;
  Co<Result<std::vector<Applied>>> complete(int64_t worker,
                                            const std::vector<EndedCall>& ended) override;
  Co<void> open_for_large_outcomes() override;
  Co<Result<std::vector<Applied>>> complete_large(int64_t worker,
                                                  const std::vector<EndedCall>& ended) override;
  void end_large_outcomes() override;
  Co<Result<int64_t>> announce(const std::vector<int64_t>& ids) override;
  Co<Result<int64_t>> note_clock_jump(int64_t jump_us, int64_t sound_us) override;
  Co<Result<void>> drain_buckets(const std::vector<ModelLimits>& limits) override;
  Co<Result<bool>> unfinished(int64_t worker) override;
  Co<Result<int64_t>> unregister_worker(int64_t worker) override;

  Co<Result<void>> listen() override;
  bool is_listening() const override { return listen_ && listen_->is_open(); }
  ListenMode listen_mode() const override;
  void check_listening() override;
  Co<Result<bool>> become_watcher(int64_t worker) override;
  Co<Result<void>> resign_watcher(int64_t worker, bool work_remains) override;
  Co<Result<SleepCheck>> take_sleeper_locks(int64_t worker, std::vector<int> held) override;
  Co<Result<void>> drop_sleeper_locks(std::vector<int> locks) override;

  void close() override;

 private:
  using Reply = Co<Result<PgResult>>;
  Co<Result<std::vector<TaskKey>>> read_clocked_keys(Reply reply, int64_t sent_ns);
  Co<Result<std::vector<ClaimedTask>>> read_clocked_tasks(Reply reply, int64_t sent_ns);

  // For what is large.
  struct LargeSession {
    const char* what;
    PgConnection::Statements statements;
    std::unique_ptr<PgConnection> connection = nullptr;  // null, or closed: none has come lately
    int64_t not_before_ns = 0;                           // there could be none
  };

  PgConnection& storing() const { return store_ ? *store_ : *work_; }
  std::unique_ptr<PgConnection> open(PgServers& servers);
  Co<Result<void>> open_for_a_while(std::unique_ptr<PgConnection>& session,
                                    PgConnection::Statements statements);
  Co<void> open_for_large(LargeSession& session);
  static PgConnection& either(const LargeSession& session, PgConnection& usual);
  static void end(LargeSession& session);
  static Co<Result<std::vector<Applied>>> complete_by(PgConnection& session, int64_t worker,
                                                      const std::vector<EndedCall>& ended);
  Co<Result<PgResult>> ask_for_round(std::string sql);
  Co<Result<void>> check_schema();
  Co<Result<bool>> is_direct(PgConnection& connection);
  Co<void> prepare(PgConnection& connection, std::vector<std::string> statements);
  Co<void> prepare_statements();
  Co<Result<void>> subscribe();
  Co<void> note_scarcity(Reply checked);

  Loop& loop_;
  Clock& clock_;
  PgDatabaseOptions options_;
  std::unique_ptr<PgConnection> work_;
  std::unique_ptr<PgConnection> store_;  // null: work_ stores
  std::unique_ptr<PgConnection> listen_;
  std::unique_ptr<PgConnection> rounds_;  // null: no long round is under way
  LargeSession large_requests_{"large requests, so claims wait for them",
                               PgConnection::Statements::slow};
  LargeSession large_outcomes_{"large results, so others' wait for them",
                               PgConnection::Statements::quick};
  bool is_pooled_ = false;  // listen_ goes through a pooler: neither LISTEN nor session locks work
  bool prepares_ = true;    // until a session that seemed direct has lost a statement
  bool is_scarce_ = false;  // notifications are
  CoGroup coroutines_;
};

}  // namespace sluice
