// PgPool owns a few pipelined connections to PostgreSQL and keeps them open: thousands of requests
// share them, each statement in a transaction of its own. It replaces what is lost, with pauses,
// and warms each new one up; it repeats no statement and knows no SQL.
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

class PgPool final {
 public:
  // Begins to connect. `conninfo`: see conninfo_of(); may lead through a pooler. `warm_up_sql`: the
  // first statement of each session, whatever becomes of it; empty: none.
  PgPool(Loop& loop, Clock& clock, const std::string& conninfo, int connections,
         std::string warm_up_sql = "", DatabaseBreakerLimits breaker = DatabaseBreakerLimits());
  ~PgPool();
  PgPool(const PgPool&) = delete;
  PgPool& operator=(const PgPool&) = delete;

  // On the connection with the fewest statements under way. Errors: as PgConnection::query();
  // not_sent: no connection is open, statements_max are under way, or the breaker is open.
  Task<Result<PgResult>> query(std::string sql, PgParams params);

  // The same whatever the breaker says, and unknown to it: for looks at the database's health.
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
  Task<Result<void>> connect(Member& member);
  Task<Result<PgResult>> watched(Task<Result<PgResult>> reply, DatabaseBreaker::Pass pass);

  Loop& loop_;
  Clock& clock_;
  const std::string conninfo_;
  const std::string warm_up_sql_;
  DatabaseBreaker breaker_;
  int starting_;
  std::vector<std::unique_ptr<Member>> members_;
  TaskGroup tasks_;
};

}  // namespace sluice
