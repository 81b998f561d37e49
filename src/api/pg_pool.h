// PgPool owns a few pipelined connections to PostgreSQL: thousands of requests share them, each
// statement in a transaction of its own. Some it keeps open, others it opens while those are busy.
// It replaces what is lost, with pauses, and has damaged sequences made anew when it has connected
// or a statement has met one. It repeats no statement of others.
//
// Requests' statements take turns by key, of 20 ms or one statement, and who took longer is passed
// over for as many turns, ten at most: so nobody waits behind many or long ones of another key.
// One connection is left to the server's own statements, which wait for no turn (with a single one
// they share it). Of the others a key has half; all but one while what it asks takes milliseconds:
// that its next statements will, too, nobody knows. Then, unless others wait, several of its
// statements are under way on each of its half.
//
// Thread rule: loop thread only; the loop and the clock outlive it. A statement that waits for a
// lock holds up those behind it on its connection, so the SQL must bound its waits.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "api/database_breaker.h"
#include "api/turn_queue.h"
#include "runtime/http_server.h"
#include "runtime/pg_connection.h"

namespace sluice {

struct PgPoolLimits {
  int kept = 1;                  // connections open all the time
  int max = 1;                   // the others close when they have been idle for a minute
  size_t pipelined_max = 8;      // statements of requests under way on one connection
  int64_t wait_ms_max = 30'000;  // of a request's statement for its turn: clients give up, too
  // Statements of one key that wait for their turn: half of what may be under way of all.
  size_t waiting_of_key_max = 10'000;
  PgConnection::Statements statements = PgConnection::Statements::quick;
};

// The client for whom a statement is.
struct Requester {
  // For the time that the handler runs.
  Requester(const HttpIncoming& incoming) : key(incoming.client), is_awaited(incoming.is_awaited) {}
  // For as long as the answer's parts are asked for.
  explicit Requester(std::string key_) : key(std::move(key_)) {}

  std::string key;  // whose turn it is; without keys all are one
  std::function<bool()> is_awaited = [] { return true; };  // whether anybody waits for the answer
};

class PgPool final {
 public:
  // Begins to connect. `servers` outlives it; they may be poolers.
  PgPool(Loop& loop, Clock& clock, PgServers& servers, PgPoolLimits limits,
         DatabaseBreakerLimits breaker = DatabaseBreakerLimits());
  ~PgPool();
  PgPool(const PgPool&) = delete;
  PgPool& operator=(const PgPool&) = delete;

  // Sends a request's statement when it is its turn. After a long wait it is not sent if nobody
  // waits for the answer any more. Errors: as PgConnection::query(); not_sent: no connection is
  // open, or could be opened where none is kept; it has waited for `wait_ms_max`; its key has
  // `waiting_of_key_max` waiting; statements_max are under way; or the breaker is open.
  Co<Result<PgResult>> query(Requester requester, std::string sql, PgParams params);

  // Sends a statement of the server itself at once, on the connection with the fewest statements
  // under way, preferably one without requests' statements. Errors: as above, except for those of
  // turns.
  Co<Result<PgResult>> query(std::string sql, PgParams params);

  // The same, but independent of the breaker, and no reason to open another connection: for
  // periodic looks at the database.
  Co<Result<PgResult>> query_unguarded(std::string sql, PgParams params);

  // Ends those of the key's waiting statements for whose answer nobody waits.
  void drop_unawaited(const std::string& key);

  const DatabaseBreaker& breaker() const { return breaker_; }
  bool is_connected() const;
  // Whether some connection has not finished its first attempt.
  bool is_starting() const { return starting_ > 0; }

  // Whether an error means that the statement never left this process, so nothing has changed.
  static constexpr std::string_view not_sent = "08003";
  // The error not_sent because nobody waits for the answer any more.
  static Error unawaited();

 private:
  struct Member;
  struct Waiting;
  Co<void> keep_open(Member& member);
  Co<void> until_lost_or_idle(Member& member);
  Co<Result<void>> connect(Member& member);
  Co<void> mend(std::shared_ptr<PgConnection> connection);
  void mend_where_open();
  Member* idlest();
  void open_another();
  Co<void> open_while_waited_for();
  bool has_closed() const;
  Error breakers_refusal() const;
  size_t under_way() const;

  bool has_place() const;
  void begin_turns();
  void go_on_with_turn(Member& member, const std::string& key);
  void give(Member& place, const std::shared_ptr<Waiting>& waiting);
  Member* place_for(const std::string& key);
  bool is_quick(const std::string& key) const;
  std::optional<Error> refusal(const std::string& key) const;
  Co<Result<Member*>> wait_for_turn(const Requester& requester);
  void hold(Member& member, const std::string& key);
  void release(Member& member, const std::string& key, int64_t sent_ns);
  void end_all_that_wait();
  Co<Result<PgResult>> watched(Co<Result<PgResult>> reply, DatabaseBreaker::Pass pass);
  void note(const Result<PgResult>& rows, DatabaseBreaker::Pass& pass);

  Loop& loop_;
  Clock& clock_;
  PgServers& servers_;
  const PgPoolLimits limits_;
  DatabaseBreaker breaker_;
  int starting_;
  bool is_mending_ = false;
  bool is_closing_ = false;
  bool is_opening_ = false;  // open_while_waited_for() runs
  std::vector<std::unique_ptr<Member>> members_;
  TurnQueue<std::weak_ptr<Waiting>> waiting_;  // gone: its request has ended
  // What is left of a key's turn, less what it owes, while it has statements that wait.
  std::map<std::string, int64_t> credit_ns_;
  CoGroup coroutines_;
};

}  // namespace sluice
