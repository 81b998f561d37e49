// The checks of `sluice doctor`, which examine.h runs. Each looks at one thing and returns what is
// wrong with it; none changes anything but check_sequences, and none calls a model. What can be
// judged without a server is in storage.h and mechanisms.h.
//
// Blocking; they throw what libpqxx throws. Unless said otherwise they read what a member of
// sluice_reader may read.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <pqxx/pqxx>
#include <string>

#include "db/migrate.h"
#include "doctor/finding.h"
#include "worker/secrets.h"

namespace sluice {

// ---- schema.cc ----

// Migrations and functions that differ from this binary's; needs no schema.
Findings check_schema_drift(pqxx::connection& connection, const SqlSet& set);
// Sluice's own roles, where the schema was made with them.
Findings check_roles(pqxx::connection& connection);
// Those that tenants are bound to, and settings.default_role. Administrators only.
Findings check_tenant_roles(pqxx::connection& connection);
// Logins that may connect only because everybody may, while that is so.
Findings check_strangers(pqxx::connection& connection);
// Whether everybody may create in schema public, whose names sessions behind a pooler find.
Findings check_public_schema(pqxx::connection& connection);
// Foreign keys to tables from which retention deletes: it fails at rows that are referred to.
Findings check_references(pqxx::connection& connection);
// Makes damaged unlogged sequences anew, as all of Sluice does that meets one. A finding: some are
// left. Nothing for roles that may not: what they read says so. `mended`, if given, gets how many
// were made anew.
Findings check_sequences(pqxx::connection& connection, int* mended = nullptr);

// ---- server.cc ----

// Whether a pooler stands before the server: LISTEN, session locks and migrations need it away.
// mechanisms.h judges it.
bool is_behind_pooler(pqxx::connection& connection);
// Finds sessions, replication slots and prepared transactions that keep dead rows alive. Only
// members of pg_read_all_stats see others' sessions, so not being one is a finding.
Findings check_snapshots(pqxx::connection& connection);
// Autovacuum that is off: in the server, or for one of Sluice's tables (not for its TOAST table).
Findings check_autovacuum(pqxx::connection& connection);
// How full the server's queue of notifications is, and whose transactions may keep it so. The look
// moves the queue's end, which can take seconds.
Findings check_notifications(pqxx::connection& connection);
Findings check_clock(pqxx::connection& connection);
// The database's clock beyond ours, in ms; nullopt when that is within what the way there explains.
// All three in ms since the epoch; the database answered between the other two.
std::optional<int64_t> clock_skew_ms(int64_t before_ms, int64_t database_ms, int64_t after_ms);

// ---- storage_facts.cc ----

// Whether sessions still get a connection, and whether vacuum still freezes old rows.
Findings check_capacity(pqxx::connection& connection);
// Room for WAL, what keeps WAL there, and its archive. The disk itself is only seen on this
// machine, over a Unix socket, by members of pg_read_all_settings. Not on a standby.
Findings check_disk(pqxx::connection& connection);
// Sluice's tables with many dead rows, or with files that are mostly empty.
Findings check_tables(pqxx::connection& connection);
// Partitions of task and result that are missing, run out, or are too many.
Findings check_partitions(pqxx::connection& connection);
// Live workers of another version than this binary's. Those of other programs have none.
Findings check_versions(pqxx::connection& connection);

// ---- backends.cc ----

// The secrets that models refer to, as this process finds them and may send them. Administrators
// only.
Findings check_secrets(pqxx::connection& connection, const SecretBounds& bounds);
// One model for each host:port that models name. Administrators only.
using ModelByEndpoint = std::map<std::string, std::string>;
ModelByEndpoint backend_endpoints(pqxx::connection& connection);
// Whether each backend's port takes a TCP connection; nothing is sent. Takes about `timeout_ms` at
// most, and says how many were not tried in that time.
Findings check_backends(const ModelByEndpoint& model_by_endpoint, int64_t timeout_ms);

// ---- work.cc ----

// Models nobody serves and served ones that nobody made, parked ones, open breakers, queues near
// their bound; without those parked for a secret that `told` tells of. Administrators only.
Findings check_queues(pqxx::connection& connection, const Findings& told);
// Budgets that have nothing left for a task. Administrators only.
Findings check_budgets(pqxx::connection& connection);
// Calls that failed, and tasks taken back from dead workers.
Findings check_failures(pqxx::connection& connection);

}  // namespace sluice
