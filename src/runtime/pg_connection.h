// PgConnection owns one connection to PostgreSQL, driven by the event loop in libpq's asynchronous
// pipeline mode. It is passive: it never decides what to run, does not reconnect (make a new one),
// and knows no SQL but what each session says first (session_settings.h).
//
// Thread rule: loop thread only. The loop and the clock outlive it. Queries still awaited when it
// closes or is destroyed end with Error::reconnect; it must not be destroyed while connect() is
// awaited: close() first and let that return. Errors: Result values, never exceptions; see
// classify_sqlstate(). Nothing here logs SQL, parameters or rows. Beware: libpq keeps its send
// buffer at the size of the largest query ever sent. How much is queued unsent is bounded by the
// callers, who own the texts.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "result.h"
#include "runtime/clock.h"
#include "runtime/co.h"
#include "runtime/fd_watch.h"
#include "runtime/loop.h"
#include "runtime/pg_result.h"
#include "runtime/pg_servers.h"
#include "runtime/signal.h"

struct pg_conn;

namespace sluice {

// The value of a parameter: a text; nullopt, which is NULL; or one in PostgreSQL's binary form.
struct PgParam {
  PgParam(std::string text) : value(std::move(text)) {}
  PgParam(const char* text) : value(text) {}
  PgParam(std::optional<std::string> text) : value(std::move(text)) {}
  PgParam(std::nullopt_t) {}
  static PgParam binary(std::string bytes) {
    PgParam param = std::move(bytes);
    param.is_binary = true;
    return param;
  }

  std::optional<std::string> value;
  bool is_binary = false;
};
using PgParams = std::vector<PgParam>;

class PgConnection final {
 public:
  enum class State {
    fresh,       // before connect(). Next: connecting, closed.
    connecting,  // to one server after the other, each with its time-out. Next: open, closed.
    open,        // queries go out, replies and notifications come in. Next: closed.
    closed,      // by us or by a loss. Final.
  };

  // When the server sends the rows of a query. The Co waits for the commit in any case.
  enum class Rows {
    with_commit,
    at_once,  // they are read while the commit waits for the disk; a wake-up more
  };

  // What it is asked for: how long it may leave that unanswered (PgServers::patience_ms).
  enum class Statements { quick, slow };

  // `servers` outlives it.
  PgConnection(Loop& loop, Clock& clock, PgServers& servers,
               Statements statements = Statements::quick);
  ~PgConnection();
  PgConnection(const PgConnection&) = delete;
  PgConnection& operator=(const PgConnection&) = delete;

  // Tries each address of each server once. Requires: not called before. On an error it is closed.
  Co<Result<void>> connect();

  // Sends at once; the Co only waits for the reply, and may be dropped to ignore it. Many may be
  // under way: they run in the order of the calls, each in a transaction of its own (a Sync follows
  // each), so a failed one leaves the next alone. At most 65,535 parameters. After Error::reconnect
  // it is unknown whether the statement was committed.
  Co<Result<PgResult>> query(std::string sql, PgParams params, Rows rows = Rows::with_commit);

  // Has the server parse this text now; from then on a query of the very same text runs what was
  // prepared. Only of use on a direct connection, for a transaction pooler may run each query in
  // another session. An error: such queries go on as before. A statement that the server has lost
  // later ends the connection, for so may what else belongs to the session.
  Co<Result<void>> prepare(std::string sql);
  // It ended so. The next one to the same server had better prepare nothing.
  bool has_lost_statements() const { return has_lost_statements_; }

  // Ends it now, without calling on_lost. Harmless when closed.
  void close();

  bool is_open() const { return state_ == State::open; }
  size_t queries_pending() const { return pending_.size(); }
  // How long the oldest query has been waiting for its reply; 0: none is.
  int64_t unanswered_ms() const;
  // It has waited for a sign of life for so long that it may be dumb: it will be given up.
  bool is_doubtful() const { return silent_ns() > servers_.doubt_ms() * ns_per_ms; }
  // The process id that the server named at the start. Requires: open.
  int server_pid() const;

  // Called from within the socket's callback (on_lost also from within query() or a timer); they
  // may close() this, not destroy it.
  std::function<void(std::string_view channel, std::string_view payload)> on_notify;
  std::function<void()> on_lost;

 private:
  // The reply to one query, shared by this connection, which fills it, and the Co that waits for
  // it.
  struct Reply {
    int64_t sent_ns = 0;
    bool is_prepared = false;  // what was sent is the name of a statement
    std::optional<Result<PgResult>> result;
    Signal arrived;
  };
  enum class Sent { yes, refused, lost };
  struct Finish {
    void operator()(pg_conn* connection) const;
  };

  static Co<Result<PgResult>> await_reply(std::shared_ptr<Reply> reply);
  Co<Result<void>> note_prepared(std::string sql, std::string name, Co<Result<PgResult>> reply);

  using Attempt = tl::expected<void, std::string>;  // or why it failed

  Co<Attempt> try_server(PgServer server);
  Co<Result<Resolver::Addresses>> addresses_of(PgServer server);
  Co<Attempt> try_address(PgServer server);
  void start(const PgServer& server);
  Attempt abandon(std::string reason);
  void enter_pipeline_mode();
  void expect(std::shared_ptr<Reply> reply, Sent sent);
  // `text`: the statement, or the name under which it is prepared.
  Sent send(const std::string& text, bool is_name, const PgParams& params, Rows rows);
  Sent sync(bool queued);
  void on_socket(bool readable, bool writable);
  void read_replies();
  void read_notifications();
  void watch_socket();
  void lose();
  int64_t silent_ns() const;
  int64_t patience_ns() const;
  void watch_silence();
  void on_silence(int64_t due_ns);
  void end_if_idle(int64_t since_ns);
  void finish(const Error& error_of_pending);

  Loop& loop_;
  Clock& clock_;
  PgServers& servers_;
  const Statements statements_;
  State state_ = State::fresh;
  std::unique_ptr<pg_conn, Finish> connection_;
  std::optional<FdWatch>
      watch_;  // after connection_: goes first, or a reused descriptor brings alien events
  std::deque<std::shared_ptr<Reply>> pending_;                // in the order sent
  std::map<std::string, std::string, std::less<>> prepared_;  // text -> name
  bool has_lost_statements_ = false;
  int64_t opened_ns_ = 0;
  int64_t heard_ns_ = 0;  // the last sign of life: something came, or what was unsent went
  Clock::TimerId silence_timer_ = 0;  // 0: none is set
  Signal progress_;  // connecting: the socket is ready, a name is resolved, or close() was called
};

}  // namespace sluice
