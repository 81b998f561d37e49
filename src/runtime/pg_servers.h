// PgServers knows the servers that a conninfo names, and which to try first. libpq would read the
// conninfo for each session; but its asynchronous connect waits without limit for a server that
// does not answer, looks names up on the calling thread, and always begins with the first server.
// So PgConnection tries the servers one by one and reports what it found to all that share this.
//
// Thread rule: loop thread only; the clock and the resolver outlive it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "result.h"
#include "runtime/clock.h"
#include "runtime/co.h"
#include "runtime/outage_log.h"
#include "runtime/resolver.h"

namespace sluice {

// Empty fields are left to libpq.
struct PgServer {
  std::string host;      // a name, an address, or the directory of a socket
  std::string hostaddr;  // given: `host` is not looked up
  std::string port;

  bool has_name() const;  // a resolver must be asked
  bool operator==(const PgServer&) const = default;
};

class PgServers final {
 public:
  // `conninfo`: a URL or key=value pairs; empty: the PG* environment. `what`: the database's name
  // in log lines.
  PgServers(Clock& clock, Resolver& resolver, std::string conninfo,
            std::string what = "the database");

  const std::string& conninfo() const { return conninfo_; }
  // For one address of one server: the conninfo's connect_timeout, or bounds::connect_timeout_ms.
  int64_t connect_timeout_ms() const { return connect_timeout_ms_; }
  // Each once, the one to try first at the head; never empty.
  std::vector<PgServer> in_order() const;
  Resolver& resolver() const { return resolver_; }

  // How long a session waits for a sign of life while a statement is unanswered: a peer that is
  // wedged acknowledges all the same, so TCP notices nothing. Longer than a statement takes on a
  // sound server, for each bounds its work and its waits for locks; `slow` ones may take minutes.
  // It doubles, up to eight times, while one session after the other falls silent: a server that
  // stands still goes on with what it had from each of them.
  int64_t patience_ms(bool slow) const;
  // After so long a silence it is doubtful whether an answer will come.
  int64_t doubt_ms() const { return patience_ms_ / 6; }

  // Notes what a session found: the next one begins where the last succeeded, or past where it
  // failed. A connected one counts as open until its note_closed().
  // `end_if_idle` ends it if it has no statement under way and has heard nothing since a time.
  using EndIfIdle = std::function<void(int64_t since_ns)>;
  void note_connected(const PgServer& server, const void* session, EndIfIdle end_if_idle);
  void note_failed(const PgServer& server);
  void note_closed(const void* session) { open_.erase(session); }
  // No server could be had, or a session was lost (it is closed by then). The database is away only
  // while no session is open: one that ends alone, or one too many, is no outage.
  void note_away(std::string_view reason);
  // A session, opened then, has been given up, for it has heard nothing since a time. Others that
  // are idle are probably as dumb, and nothing is lost with them. It is logged once for all that
  // were open; the database is away if no new one can be had.
  void note_silent(int64_t opened_ns, int64_t since_ns);

 private:
  bool was_silent_lately() const;

  Clock& clock_;
  Resolver& resolver_;
  const std::string conninfo_;
  const std::string what_;
  std::vector<PgServer> servers_;
  size_t first_ = 0;
  int64_t connect_timeout_ms_;
  const int64_t patience_ms_;
  int64_t patience_times_ = 1;
  int64_t silent_at_ns_ = 0;               // when the last session was given up; 0: none was
  std::map<const void*, EndIfIdle> open_;  // by session
  OutageLog outage_;
};

}  // namespace sluice
