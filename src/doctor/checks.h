// The checks of `sluice doctor`. Each looks at one thing and returns what is wrong with it; none
// changes anything but check_sequences, and none calls a model.
//
// Blocking; they throw what libpqxx throws. Unless said otherwise they read what a member of
// sluice_reader may read.
#pragma once

#include <cstdint>
#include <optional>
#include <pqxx/pqxx>
#include <string>

#include "db/migrate.h"
#include "doctor/finding.h"
#include "worker/secrets.h"

namespace sluice {

// Whether a pooler stands before the server: LISTEN, session locks and migrations need it away.
bool is_behind_pooler(pqxx::connection& connection);
// `direct`: the connection that --direct-url names.
Findings check_pooler(pqxx::connection& connection, pqxx::connection& direct);

// Migrations and functions that differ from this binary's; needs no schema.
Findings check_schema_drift(pqxx::connection& connection, const SqlSet& set);
// Sluice's own roles, where the schema was made with them.
Findings check_roles(pqxx::connection& connection);
// Those that tenants are bound to, and settings.default_role. Administrators only.
Findings check_tenant_roles(pqxx::connection& connection);
// Logins that may connect only because everybody may, while that is so.
Findings check_strangers(pqxx::connection& connection);

// Finds sessions, replication slots and prepared transactions that keep dead rows alive. Only
// members of pg_read_all_stats see others' sessions, so not being one is a finding.
Findings check_snapshots(pqxx::connection& connection);
// Makes damaged unlogged sequences anew, as all of Sluice does that meets one. A finding: some are
// left. Nothing for roles that may not: what they read says so.
Findings check_sequences(pqxx::connection& connection);
Findings check_autovacuum(pqxx::connection& connection);
// How full the server's queue of notifications is, and whose transactions may keep it so. The look
// moves the queue's end, which can take seconds.
Findings check_notifications(pqxx::connection& connection);
Findings check_clock(pqxx::connection& connection);

// The database's clock beyond ours, in ms; nullopt when that is within what the way there explains.
// All three in ms since the epoch; the database answered between the other two.
std::optional<int64_t> clock_skew_ms(int64_t before_ms, int64_t database_ms, int64_t after_ms);

// The secrets that models refer to, as this process finds them and may send them. Administrators
// only.
Findings check_secrets(pqxx::connection& connection, const SecretBounds& bounds);
// Whether each backend's port takes a TCP connection; nothing is sent. Administrators only.
Findings check_backends(pqxx::connection& connection);

// Models nobody serves and served ones that nobody made, parked ones, open breakers, queues near
// their bound. Administrators only.
Findings check_queues(pqxx::connection& connection);
// Calls that failed, and tasks taken back from dead workers.
Findings check_failures(pqxx::connection& connection);

}  // namespace sluice
