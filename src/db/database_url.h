// Turns a user's database address into what libpq takes, and connects to it, blocking. It never
// prints a password, nor a piece of a malformed URL that may be one. The command line decides from
// which flag or variable the address comes.
#pragma once

#include <memory>
#include <pqxx/connection>  // callers that use the connection include <pqxx/pqxx>
#include <string>

namespace sluice {

// Seconds until an attempt to connect is given up, unless the URL or PGCONNECT_TIMEOUT says
// otherwise.
inline constexpr int connect_timeout_s = 10;

// `url` (postgresql://…, key=value pairs, or empty for PG* and libpq's defaults) as key=value
// pairs, with UTF8, an application name, a connect time-out and, where it names several servers,
// the wish for one that can be written to. For PgConnection and pqxx alike. Throws
// CommandError(bad_configuration), which says what is wrong, if it is malformed.
std::string conninfo_of(const std::string& url);

// The same for programs that live long and write: also where it names one server, that must take
// writes, unless the URL says otherwise. A name that leads to a standby for a moment, as a cluster
// endpoint may in a failover, would leave them with a session there for good.
std::string primary_conninfo_of(const std::string& url);

// The same for reads from a standby: where `url` names several servers, one that is a standby.
std::string standby_conninfo_of(const std::string& url);

// Whether `url` holds a password, or is malformed and may.
bool may_hold_password(const std::string& url);

// Sets libpq's environment variables (PGHOST, PGPASSWORD …) of this process to what `url` says, for
// a program that runs in our place: as an argument a password would show in everybody's ps.
void export_database(const std::string& url);

// That the database of `url` cannot be reached, for `reason` as libpq says it, and what to do.
std::string unreachable_text(const std::string& url, std::string reason);

// Connects. Throws CommandError: database_unreachable, or bad_configuration as conninfo_of().
std::unique_ptr<pqxx::connection> connect(const std::string& url);

}  // namespace sluice
