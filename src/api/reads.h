// Reads sends statements whose answer may be some seconds old to a hot standby (--read-url), and to
// the primary where there is none or it cannot be trusted. While anybody reads it looks at both
// servers each second: the standby is trusted while it answers, is a standby with a schema that
// serves us, and is not too far behind. After a fault the primary has all reads for a while. What
// the standby fails to answer is asked of the primary, for reads change nothing.
//
// How far it is behind: which of the primary's transactions, as of each look, the standby has seen
// by now. No clock of a server counts, nor what the standby believes of itself. One that has seen
// more than the primary has since is of another timeline, that of a primary that is lost.
//
// Thread rule: loop thread only; the loop, the clock, the primary's pool and the servers outlive
// it.
#pragma once

#include <deque>
#include <list>
#include <memory>
#include <optional>
#include <string>

#include "api/pg_pool.h"
#include "db/served_schema.h"
#include "runtime/signal.h"

namespace sluice {

struct StandbyOptions {
  PgServers* servers = nullptr;  // null: there is none, all reads are the primary's
  int db_connections = 4;        // at most, for requests; besides, two for the server's own
  int64_t lag_ms_max = 30'000;   // further behind it is not trusted
};

class Reads final {
 public:
  Reads(Loop& loop, Clock& clock, PgPool& primary, const StandbyOptions& options,
        SchemaRange known_schemas);
  Reads(const Reads&) = delete;
  Reads& operator=(const Reads&) = delete;

  // A request's statement, when it is its turn. It must change nothing. Errors: as PgPool::query().
  Co<Result<PgResult>> query(Requester requester, std::string sql, PgParams params);

  // A statement of the server itself; where the standby does not count, as `primary` answers it.
  Co<Result<PgResult>> query(PgPool& primary, std::string sql, PgParams params);
  Co<Result<PgResult>> query_unguarded(PgPool& primary, std::string sql, PgParams params);

  // Notes that somebody asks: it looks each second for a while.
  void wake();

  bool has_standby() const { return standby_ != nullptr; }
  bool uses_standby() const;
  // Why it is not used, as what it does; empty: it is, or nobody has read for a while.
  const std::string& distrusted_because() const { return fault_; }
  // As of the last look; nullopt: not known.
  std::optional<double> lag_s() const { return lag_s_; }
  // Reads that each has answered, while there is a standby.
  int64_t answered_by_standby() const { return answered_by_standby_; }
  int64_t answered_by_primary() const { return answered_by_primary_; }

 private:
  // A statement at the standby. Who waits for it gives up when the standby is distrusted.
  struct Asked {
    const Requester* requester = nullptr;  // null: the server itself, or nobody waits any more
    std::optional<Result<PgResult>> rows;
    Signal decided;
  };
  class Listed;
  // What the primary had seen at a look.
  struct Sample {
    int64_t next_transaction;
    int64_t at_ns;
  };

  using Ask = Co<Result<PgResult>> (PgPool::*)(std::string sql, PgParams params);
  Co<Result<PgResult>> ask(Ask how, PgPool& primary, std::string sql, PgParams params);
  static Co<void> keep(std::shared_ptr<Asked> asked, Co<Result<PgResult>> reply);
  Co<std::optional<Result<PgResult>>> from_standby(std::shared_ptr<Asked> asked,
                                                   Co<Result<PgResult>> reply);
  bool is_to_repeat(const Error& error) const;
  Co<void> keep_looking();
  Co<void> look_at_primary();
  Co<void> look_at_standby();
  void judge(const PgResult& row);
  int64_t lag_ns(int64_t next_transaction);
  void forget_samples();
  void distrust(std::string fault);
  void trust();

  Clock& clock_;
  PgPool& primary_;
  std::unique_ptr<PgPool> standby_;  // null: there is none
  std::unique_ptr<PgPool> looks_;    // a connection of their own: no read holds them up
  int64_t lag_ns_max_;
  SchemaRange known_schemas_;
  std::deque<Sample> samples_;   // what the standby has not seen; ascending
  bool has_kept_up_ = false;     // it has seen some that were kept since the last rest
  int64_t seen_at_standby_ = 0;  // its next transaction at the last look
  bool is_ahead_ = false;        // of what the primary had after that
  bool has_warned_ = false;
  std::string fault_ = "has not been looked at yet";
  int64_t distrusted_until_ns_ = 0;
  int64_t looked_ns_ = 0;  // the last look that found nothing wrong; 0: none
  std::optional<double> lag_s_;
  int64_t asked_ns_ = 0;  // when somebody asked last
  bool resting_ = false;
  Signal woken_;
  std::shared_ptr<Asked> look_;  // the last one
  std::list<std::shared_ptr<Asked>> waited_for_;
  int64_t answered_by_standby_ = 0;
  int64_t answered_by_primary_ = 0;
  CoGroup coroutines_;
};

}  // namespace sluice
