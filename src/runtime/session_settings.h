// What a session of ours says first: unqualified names of functions and operators mean PostgreSQL's
// own. Otherwise whoever may create in a schema of the session's path (before PostgreSQL 15
// everybody could in `public`) defines one that fits our arguments better than PostgreSQL's, and it
// runs with our rights (D-405). And two settings are PostgreSQL's own, whatever the login or the
// database has: with array_nulls `off` no outcome can be stored, and above READ COMMITTED no call
// can begin under a hard budget, and counters stand still.
#pragma once

namespace sluice {

// Its parameter: the session's process id as the client knows it. A pooler names one of its own,
// and hands the session on to others: there the setting stays as it is.
inline constexpr const char* session_settings_sql =
    "select pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', false), "
    "pg_catalog.set_config('array_nulls', 'on', false), "
    "pg_catalog.set_config('default_transaction_isolation', 'read committed', false) "
    "where pg_catalog.pg_backend_pid() operator(pg_catalog.=) $1::pg_catalog.int4";

}  // namespace sluice
