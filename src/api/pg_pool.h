// PgPool owns a few pipelined connections to PostgreSQL: thousands of requests share them, each
// statement in a transaction of its own. Some it keeps open, others it opens while those are busy.
// It replaces what is lost, with pauses, warms each new one up, and has damaged sequences made anew
// when it has connected or a statement has met one. It repeats no statement of others.
//
// Thread rule: loop thread only; the loop and the clock outlive it. A statement that waits for a
// lock holds up those behind it on its connection, so the SQL must bound its waits.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "api/database_breaker.h"
#include "runtime/pg_connection.h"

namespace sluice {

struct PgPoolSize {
  int kept = 1;  // open all the time
  int max = 1;   // the others close when they have been idle for a minute
};

class PgPool final {
 public:
  // Begins to connect. `servers` outlives it; they may be poolers. `warm_up_sql`: the first
  // statement of each session, whatever becomes of it; empty: none.
  PgPool(Loop& loop, Clock& clock, PgServers& servers, PgPoolSize size,
         std::string warm_up_sql = "", DatabaseBreakerLimits breaker = DatabaseBreakerLimits());
  ~PgPool();
  PgPool(const PgPool&) = delete;
  PgPool& operator=(const PgPool&) = delete;

  // On the connection with the fewest statements under way. Errors: as PgConnection::query();
  // not_sent: no connection is open, or could be opened where none is kept; statements_max are
  // under way; or the breaker is open.
  Task<Result<PgResult>> query(std::string sql, PgParams params);

  // The same whatever the breaker says, and unknown to it; also no reason for another connection:
  // for looks at the database that are made anyway.
  Task<Result<PgResult>> query_unguarded(std::string sql, PgParams params);

  const DatabaseBreaker& breaker() const { return breaker_; }
  bool is_connected() const;
  // Some connection has not yet come to the end of its first attempt, warm-up included.
  bool is_starting() const { return starting_ > 0; }

  // Of an Error: the statement never left this process, so nothing has changed.
  static constexpr std::string_view not_sent = "08003";

 private:
  struct Member;
  Task<void> keep_open(Member& member);
  Task<void> until_lost_or_idle(Member& member);
  Task<Result<void>> connect(Member& member);
  Task<void> mend(std::shared_ptr<PgConnection> connection);
  void mend_where_open();
  Member* idlest();
  void open_another();
  Task<Result<PgResult>> query_when_open(std::string sql, PgParams params);
  Task<Result<PgResult>> watched(Task<Result<PgResult>> reply, DatabaseBreaker::Pass pass);

  Loop& loop_;
  Clock& clock_;
  PgServers& servers_;
  const std::string warm_up_sql_;
  DatabaseBreaker breaker_;
  int starting_;
  bool is_mending_ = false;
  std::vector<std::unique_ptr<Member>> members_;
  std::vector<std::shared_ptr<Signal>>
      waiting_;  // for the first connection of a pool that keeps none
  TaskGroup tasks_;
};

}  // namespace sluice
