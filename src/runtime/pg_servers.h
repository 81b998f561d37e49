// PgServers knows the servers that a conninfo names, and which to try first. libpq would read the
// conninfo for each session; but its asynchronous connect waits without limit for a server that
// does not answer, looks names up on the calling thread, and always begins with the first server.
// So PgConnection tries the servers one by one and reports what it found to all that share this.
//
// Thread rule: loop thread only; the clock and the resolver outlive it.
#pragma once

#include <cstddef>
#include <cstdint>
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

  // Notes what a session found: the next one begins where the last succeeded, or past where it
  // failed. A connected one counts as open until its note_closed().
  void note_connected(const PgServer& server);
  void note_failed(const PgServer& server);
  void note_closed() { --open_sessions_; }
  // No server could be had, or a session was lost (it is closed by then). The database is away only
  // while no session is open: one that ends alone, or one too many, is no outage.
  void note_away(std::string_view reason);

 private:
  Resolver& resolver_;
  const std::string conninfo_;
  std::vector<PgServer> servers_;
  size_t first_ = 0;
  int64_t connect_timeout_ms_;
  int open_sessions_ = 0;
  OutageLog outage_;
};

}  // namespace sluice
