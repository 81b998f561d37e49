#include "db/migrate.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <pqxx/pqxx>
#include <thread>

#include "command_error.h"
#include "db/mend.h"
#include "db/roles.h"
#include "hex.h"
#include "sha256.h"

namespace sluice {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int server_version_min = 150'000;  // unlogged sequences

// Continues the lock classes of sql/functions/1_base/locks.sql, which exist only after a migration.
constexpr int lock_class_migrate = 731'009;
constexpr auto lock_look_interval = std::chrono::milliseconds(100);

// A statement waits this long for a table's lock, so that nobody waits longer behind it; then the
// transaction is tried again after a pause. Below deadlock_timeout (1 s): of two that wait for each
// other this one gives up, not a worker.
constexpr const char* lock_timeout = "500ms";
constexpr int transaction_attempts_max = 60;
constexpr auto transaction_pause = std::chrono::milliseconds(500);

// Roles belong to the whole server: another database's migration may make them meanwhile.
constexpr int rights_attempts_max = 5;

// How many of the newest migrations this binary can do without: the lower end of the range it
// knows.
constexpr int optional_migrations = 0;

// The schema version of the release before this one: its binaries, and those built since, work with
// this schema, too. Each release sets it (CONTRIBUTING.md, "What a release may change"). Before
// 0.1.0: the first version whose binaries ask.
constexpr int serves_from = 91;
// The migration that makes the column for it.
constexpr int declaring_version = 91;

// The migrations up to this version are a baseline: of before the first release, a file for each
// subject. It replaces the 22 files that this is the digest of, and ends where they did.
constexpr int baseline_version = 22;
constexpr std::string_view replaced_by_baseline =
    "8de31adb801490ff6d56bff5fdbbfad1451aa72cb4973e0575fea8b8bcfa1cfb";

// From the second migration on, everything is made by, and belongs to, the schema's owner.
constexpr const char* become_owner =
    "do $$ begin perform set_config('role', pg_get_userbyid(nspowner), true)\n"
    "  from pg_namespace where nspname = 'sluice'; end $$;\n";

int version_of(const SqlFile& file) {
  return std::stoi(std::string(file.name));
}

int newest_version(const SqlSet& set) {
  return set.migrations.empty() ? 0 : version_of(set.migrations.back());
}

// Of files' names and texts.
template <typename Files>
std::string digest_of(const Files& files) {
  std::string names;
  for (const auto& file : files) names += fmt::format("{} {}\n", file.name, file.sha256);
  return hex(sha256(names));
}

// The same SQL where the user owns everything. The first migration makes the roles before it
// becomes their owner: of it the rest remains. Elsewhere roles are named by whole statements alone,
// GRANT and REVOKE at the beginning of a line, and these are left out.
std::string without_roles(std::string_view text) {
  constexpr std::string_view from_here_as_owner = "set local role sluice_owner;\n";
  const std::vector<std::string> roles = role_names(default_role_prefix);
  std::string out;
  const size_t start = text.find(from_here_as_owner);
  if (start != std::string_view::npos) {
    out = "create schema sluice;\n";
    text.remove_prefix(start + from_here_as_owner.size());
  }
  while (!text.empty()) {
    const bool is_grant = text.starts_with("grant ") || text.starts_with("revoke ");
    const size_t end = std::min(text.find(is_grant ? ";" : "\n", 0), text.size() - 1) + 1;
    const std::string_view piece = text.substr(0, end);
    const bool names_role =
        is_grant && std::any_of(roles.begin(), roles.end(), [&](const std::string& role) {
          return piece.find(role) != std::string_view::npos;
        });
    if (!names_role) out += piece;
    text.remove_prefix(end);
  }
  return out;
}

std::string text_for(const SqlFile& file, std::string_view role_prefix) {
  return role_prefix.empty() ? without_roles(file.text) : with_role_prefix(file.text, role_prefix);
}

std::string migration_transaction(const SqlSet& set, const SqlFile& file,
                                  std::string_view role_prefix) {
  const bool first = &file == &set.migrations.front();
  const bool marked = first && !role_prefix.empty() && role_prefix != default_role_prefix;
  const bool declares = version_of(file) >= declaring_version;
  return fmt::format(
      "set local lock_timeout = '{}';\n{}{}\n{}"
      "insert into sluice.migration (version, name, sha256{}) select {}, '{}', '{}'{}\n"
      "where coalesce(current_setting('sluice.step', true), '') <> 'again';\n",
      lock_timeout, first ? "" : become_owner, text_for(file, role_prefix),
      marked ? role_prefix_mark(role_prefix) : "", declares ? ", serves_from" : "",
      version_of(file), file.name, file.sha256, declares ? fmt::format(", {}", serves_from) : "");
}

std::string functions_transaction(const SqlSet& set, std::string_view role_prefix) {
  std::string sql = fmt::format("set local lock_timeout = '{}';\n{}", lock_timeout, become_owner);
  for (const SqlFile& file : set.functions) sql.append(text_for(file, role_prefix)).append("\n");
  sql += fmt::format(
      "update sluice.migration set serves_from = {}\n"
      "where version = (select max(version) from sluice.migration);\n",
      serves_from);
  return sql + fmt::format(
                   "insert into sluice.function_set (sha256, sluice_version) values ('{}', '{}')\n"
                   "on conflict (one) do update set sha256 = excluded.sha256,\n"
                   "  sluice_version = excluded.sluice_version, applied_at = clock_timestamp();\n",
                   digest_of(set.functions), SLUICE_VERSION);
}

void check_server(pqxx::connection& connection) {
  if (connection.server_version() < server_version_min) {
    throw CommandError(ExitCode::bad_configuration,
                       fmt::format("the server is PostgreSQL {}; sluice needs 15 or newer",
                                   connection.server_version() / 10'000));
  }
  pqxx::nontransaction session(connection);
  const auto row = session.exec1("select current_setting('server_encoding'), current_database()");
  const auto encoding = row[0].as<std::string>();
  if (encoding == "UTF8") return;
  throw CommandError(
      ExitCode::bad_configuration,
      fmt::format("the database {} has encoding {}; sluice needs UTF8: create database NAME "
                  "encoding 'UTF8' locale 'C.UTF-8' template template0",
                  row[1].as<std::string>(), encoding));
}

struct AppliedMigration {
  int version;
  std::string name, sha256, applied_at;
  std::optional<int> serves_from = std::nullopt;
};

// The rows of a database that ran what the baseline replaces stay as they are, and count as those
// of the baseline. Only all of them do: who ran a part of them lacks what the others made.
std::vector<AppliedMigration> with_baseline(std::vector<AppliedMigration> applied,
                                            const SqlSet& set) {
  const auto later = std::find_if(
      applied.begin(), applied.end(),
      [](const AppliedMigration& migration) { return migration.version > baseline_version; });
  if (digest_of(std::span(applied.begin(), later)) != replaced_by_baseline) return applied;
  const std::string applied_at = std::prev(later)->applied_at;
  std::vector<AppliedMigration> counted;
  for (const SqlFile& file : set.migrations) {
    if (version_of(file) > baseline_version) break;
    counted.push_back(
        {version_of(file), std::string(file.name), std::string(file.sha256), applied_at});
  }
  counted.insert(counted.end(), later, applied.end());
  return counted;
}

// Empty if the database has no schema of ours yet.
std::vector<AppliedMigration> applied_migrations(pqxx::connection& connection, const SqlSet& set) {
  pqxx::nontransaction session(connection);
  std::vector<AppliedMigration> applied;
  if (session.exec1("select to_regclass('sluice.migration')")[0].is_null()) return applied;
  const auto rows = session.exec(
      "select version, name, sha256, to_char(applied_at at time zone 'UTC', "
      "'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"'), (to_jsonb(m) ->> 'serves_from')::int"
      " from sluice.migration m order by version");
  for (const auto& row : rows) {
    applied.push_back({row[0].as<int>(), row[1].as<std::string>(), row[2].as<std::string>(),
                       row[3].as<std::string>()});
    if (!row[4].is_null()) applied.back().serves_from = row[4].as<int>();
  }
  return with_baseline(std::move(applied), set);
}

SchemaFacts facts_of(const std::vector<AppliedMigration>& applied) {
  if (applied.empty()) return {};
  return {applied.back().version, applied.back().serves_from};
}

// Whether release `left` came after `right`: 0.10.0 after 0.9.1.
bool is_newer_release(std::string_view left, std::string_view right) {
  const auto take_number = [](std::string_view& text) {
    int number = 0;
    const char* const end = text.data() + text.size();
    const char* const rest = std::from_chars(text.data(), end, number).ptr;
    text.remove_prefix(static_cast<size_t>(rest - text.data()));
    if (text.starts_with('.')) text.remove_prefix(1);
    return number;
  };
  for (int part = 0; part < 3; ++part) {
    const int of_left = take_number(left);
    const int of_right = take_number(right);
    if (of_left != of_right) return of_left > of_right;
  }
  return false;
}

struct FunctionsState {
  bool are_current = false;
  bool are_newer = false;  // another release's: this binary leaves them as they are
};

FunctionsState functions_state(pqxx::connection& connection, const SqlSet& set) {
  pqxx::nontransaction session(connection);
  if (session.exec1("select to_regclass('sluice.function_set')")[0].is_null()) {
    return {.are_current = set.functions.empty()};
  }
  const auto rows = session.exec("select sha256, sluice_version from sluice.function_set");
  if (rows.empty()) return {};
  return {.are_current = rows[0][0].as<std::string>() == digest_of(set.functions),
          .are_newer = is_newer_release(rows[0][1].as<std::string>(), SLUICE_VERSION)};
}

bool functions_are_settled(pqxx::connection& connection, const SqlSet& set) {
  const FunctionsState state = functions_state(connection, set);
  return state.are_current || state.are_newer;
}

const SqlFile* find_migration(const SqlSet& set, int version) {
  for (const SqlFile& file : set.migrations) {
    if (version_of(file) == version) return &file;
  }
  return nullptr;
}

[[noreturn]] void throw_mismatch(const std::string& message) {
  throw CommandError(ExitCode::schema_mismatch, message);
}

// The migrations applied in the database must be the first of this binary's, text for text. Those
// of a newer schema that serves this binary may follow.
void check_history(const std::vector<AppliedMigration>& applied, const SqlSet& set) {
  for (const AppliedMigration& migration : applied) {
    if (migration.version > newest_version(set)) {
      const std::string mismatch = schema_mismatch(facts_of(applied), known_schemas(set));
      if (mismatch.empty()) return;
      throw_mismatch(mismatch);
    }
    const SqlFile* file = find_migration(set, migration.version);
    if (applied.back().version < baseline_version &&
        (file == nullptr || file->name != migration.name)) {
      throw_mismatch(fmt::format(
          "the database's schema is at version {}, of before 0.1.0; this binary upgrades from {} "
          "on: run the migrate of a build that still has 0022_arrivals.sql first, or begin with an "
          "empty database",
          applied.back().version, baseline_version));
    }
    if (file == nullptr || file->sha256 != migration.sha256) {
      throw_mismatch(fmt::format(
          "migration {} ran in the database with another text than this binary has (sha256 {:.12}, "
          "here {:.12}): a migration that ran must not be edited; use the sluice that ran it",
          migration.name, migration.sha256, file == nullptr ? "none" : file->sha256));
    }
  }
}

bool has(const std::vector<AppliedMigration>& applied, const SqlFile& file) {
  return std::any_of(applied.begin(), applied.end(), [&](const AppliedMigration& migration) {
    return migration.version == version_of(file);
  });
}

// One migrator at a time in this database, for as long as this object lives.
class MigrationLock final {
 public:
  MigrationLock(pqxx::connection& connection, int wait_ms_max) : connection_(connection) {
    const auto deadline = Clock::now() + std::chrono::milliseconds(wait_ms_max);
    while (!call("pg_try_advisory_lock")) {
      if (Clock::now() >= deadline) {
        throw CommandError(ExitCode::failure,
                           fmt::format("another process has been migrating this database for more "
                                       "than {} s: look for it in pg_stat_activity, then try again",
                                       wait_ms_max / 1000));
      }
      std::this_thread::sleep_for(lock_look_interval);
    }
  }
  ~MigrationLock() {
    try {
      call("pg_advisory_unlock");
    } catch (const std::exception&) {
      // The session is gone, and the lock with it.
    }
  }
  MigrationLock(const MigrationLock&) = delete;
  MigrationLock& operator=(const MigrationLock&) = delete;

 private:
  bool call(const char* function) {
    pqxx::nontransaction session(connection_);
    return session.exec1(fmt::format("select {}({}, 0)", function, lock_class_migrate))[0]
        .as<bool>();
  }

  pqxx::connection& connection_;
};

// The transactions that have locked tables of the schema for longer than lock_timeout, the oldest
// first: one of them is waited for. A prepared one has no session.
constexpr const char* lock_holders_sql = R"(
  select coalesce(string_agg(held.by, '; ' order by held.since, held.by),
    'a transaction that has ended since')
  from (
    select case when l.pid is null then 'a transaction in pg_prepared_xacts'
      else format('session %s of %s (%s)', l.pid, a.usename, a.application_name) end as by,
      min(a.xact_start) as since
    from pg_locks l join pg_class c on c.oid = l.relation
    join pg_namespace n on n.oid = c.relnamespace
    left join pg_stat_activity a on a.pid = l.pid
    where l.granted and n.nspname = 'sluice' and l.pid is distinct from pg_backend_pid()
      and coalesce(a.xact_start < clock_timestamp() - $1::interval, true)
      and l.database = (select d.oid from pg_database d where d.datname = current_database())
    group by by order by since, by limit 5) held)";

std::string lock_holders(pqxx::connection& connection) {
  return pqxx::nontransaction(connection)
      .exec_params1(lock_holders_sql, lock_timeout)[0]
      .as<std::string>();
}

void give_up_if(bool hopeless, std::string_view name, std::string_view why) {
  if (hopeless) throw CommandError(ExitCode::failure, fmt::format("{}: {}", name, why));
}

// A migration that would lock too much at once does a part of its work, sets sluice.step to `again`
// for its transaction, and is run until it does not: only then is it noted as applied.
void run_transaction(pqxx::connection& connection, std::string_view name, const std::string& sql,
                     const std::function<void(std::string_view)>& on_wait) {
  for (int attempt = 1;; ++attempt) {
    try {
      pqxx::work transaction(connection);
      const auto noted = transaction.exec(sql).affected_rows();
      transaction.commit();
      if (noted > 0) return;
      attempt = 0;
      continue;
    } catch (const pqxx::deadlock_detected& error) {  // no sql_error
      give_up_if(attempt == transaction_attempts_max, name, error.what());
    } catch (const pqxx::sql_error& error) {
      give_up_if(error.sqlstate() != "55P03", name, error.what());
      const std::string holders = lock_holders(connection);
      give_up_if(attempt == transaction_attempts_max, name,
                 fmt::format("a lock was not to be had; its tables are in use by {}", holders));
      if (attempt == 1) on_wait(holders);
    }
    std::this_thread::sleep_for(transaction_pause);
  }
}

// Of the schema as it is, else as it is wanted.
std::string role_prefix_for(pqxx::connection& connection,
                            const std::optional<std::string>& wanted) {
  const std::optional<std::string> found = role_prefix_of(connection);
  if (!found) return wanted.value_or(std::string(default_role_prefix));
  // A schema without roles stays so, whatever is said.
  if (!wanted || *wanted == *found || found->empty()) return *found;
  throw CommandError(ExitCode::bad_configuration,
                     fmt::format("this database's schema sluice was made with roles, and belongs "
                                 "to {0}_owner: say --role-prefix {0}, or nothing",
                                 *found));
}

// The statements that give the user the rights still missing, in the order to run them. From
// PostgreSQL 16 on the maker of a role is a member that may not act as it.
constexpr const char* missing_rights_sql = R"(
  with owner as (
    select coalesce((select pg_get_userbyid(nspowner) from pg_namespace where nspname = 'sluice'),
                    coalesce(split_part(nullif($1::text, ''), ' ', 1), current_user)) as name,
      not exists (select from pg_namespace where nspname = 'sluice') as is_new,
      case when current_setting('server_version_num')::int >= 160000 then 'set' else 'member' end as privilege)
  select format('grant create on database %I to %I;', current_database(), current_user) from owner
  where is_new and not has_database_privilege(current_database(), 'create')
  union all
  select format('create role %I nologin;', r)
  from unnest(string_to_array($1::text, ' ')) r
  where to_regrole(r) is null
  union all
  select format('grant %I to %I;', name, current_user) from owner
  where not coalesce(pg_has_role(to_regrole(quote_ident(name)), privilege), false))";

std::vector<std::string> missing_rights(pqxx::connection& connection,
                                        std::string_view role_prefix) {
  pqxx::nontransaction session(connection);
  std::vector<std::string> statements;
  for (const pqxx::row& row : session.exec_params(
           missing_rights_sql, fmt::format("{}", fmt::join(role_names(role_prefix), " ")))) {
    statements.push_back(row[0].as<std::string>());
  }
  return statements;
}

[[noreturn]] void throw_missing_rights(const std::vector<std::string>& statements,
                                       std::string_view role_prefix) {
  throw CommandError(
      ExitCode::bad_configuration,
      fmt::format("this user lacks rights; let an administrator run: {} then run sluice migrate "
                  "again{}",
                  fmt::join(statements, " "),
                  role_prefix.empty()
                      ? ""
                      : fmt::format(". Members of {}_owner own the Sluice of each database that "
                                    "was made with it; for one with roles of its own: sluice "
                                    "migrate --role-prefix NAME; for one that only this user owns: "
                                    "sluice migrate --without-roles",
                                    role_prefix)));
}

bool is_current(pqxx::connection& connection, const SqlSet& set, std::string_view role_prefix) {
  try {
    const auto applied = applied_migrations(connection, set);
    check_history(applied, set);
    if (facts_of(applied).version > newest_version(set)) return true;
    return applied.size() == set.migrations.size() && functions_are_settled(connection, set);
  } catch (const pqxx::insufficient_privilege&) {
    throw_missing_rights(missing_rights(connection, role_prefix), role_prefix);
  }
}

// Runs all of them, or none where the user may not run one or another migration ran it meanwhile.
void run_statements(pqxx::connection& connection, const std::vector<std::string>& statements) {
  try {
    pqxx::work transaction(connection);
    for (const std::string& statement : statements) transaction.exec(statement);
    transaction.commit();
  } catch (const pqxx::insufficient_privilege&) {
  } catch (const pqxx::unique_violation&) {
  } catch (const pqxx::sql_error& error) {
    if (error.sqlstate() != "42710") throw;  // duplicate_object
  }
}

// Takes what rights the user may give himself, as who may make roles does, and demands the rest. A
// GRANT that gives nothing is a mere warning: hence the look afterwards.
void gain_rights(pqxx::connection& connection, std::string_view role_prefix) {
  std::vector<std::string> statements;
  for (int attempt = 1; attempt <= rights_attempts_max; ++attempt) {
    statements = missing_rights(connection, role_prefix);
    if (statements.empty()) return;
    run_statements(connection, statements);
  }
  throw_missing_rights(statements, role_prefix);
}

}  // namespace

SqlSet embedded_sql() {
  return {embedded_migrations(), embedded_functions()};
}

namespace {

// Returns whether there was anything to apply.
bool apply_missing(pqxx::connection& connection, const SqlSet& set,
                   const std::function<void(std::string_view)>& on_applied,
                   const MigrateRequest& request) {
  if (is_current(connection, set, role_prefix_for(connection, request.role_prefix))) return false;
  const MigrationLock lock(connection, request.wait_ms_max);
  // Again: another process may have been here.
  const auto applied = applied_migrations(connection, set);
  check_history(applied, set);
  if (facts_of(applied).version > newest_version(set)) return false;
  const std::string role_prefix = role_prefix_for(connection, request.role_prefix);
  gain_rights(connection, role_prefix);
  for (const SqlFile& file : set.migrations) {
    if (has(applied, file)) continue;
    run_transaction(connection, file.name, migration_transaction(set, file, role_prefix),
                    request.on_wait);
    on_applied(file.name);
  }
  if (functions_are_settled(connection, set)) return true;
  run_transaction(connection, "functions", functions_transaction(set, role_prefix),
                  request.on_wait);
  on_applied(fmt::format("{} files of functions", set.functions.size()));
  return true;
}

}  // namespace

void migrate_up(pqxx::connection& connection, const SqlSet& set,
                const std::function<void(std::string_view)>& on_applied,
                const MigrateRequest& request) {
  check_server(connection);
  const bool has_applied = apply_missing(connection, set, on_applied, request);
  // A caller that applied a migration may act as the owner. On a current database it may be
  // anybody, and mends if its rights allow.
  mend_sequences(connection, has_applied ? become_owner : "");
}

SchemaState schema_state(pqxx::connection& connection, const SqlSet& set) {
  SchemaState state;
  const auto applied = applied_migrations(connection, set);
  for (const AppliedMigration& migration : applied) {
    const SqlFile* file = find_migration(set, migration.version);
    const bool edited = file != nullptr && file->sha256 != migration.sha256;
    state.migrations.push_back(
        {migration.version, migration.name, migration.applied_at, file != nullptr, edited});
  }
  for (const SqlFile& file : set.migrations) {
    if (has(applied, file)) continue;
    state.migrations.push_back({version_of(file), std::string(file.name), std::nullopt});
  }
  std::sort(state.migrations.begin(), state.migrations.end(),
            [](const auto& left, const auto& right) { return left.version < right.version; });
  const FunctionsState functions = functions_state(connection, set);
  state.functions_current = functions.are_current;
  state.functions_newer = functions.are_newer;
  state.facts = facts_of(applied);
  return state;
}

std::string migration_script(const SqlSet& set, const std::string& role_prefix) {
  std::string script = fmt::format(
      "-- Sluice {}: schema version {}, for an empty UTF8 database on PostgreSQL 15 or newer.\n"
      "-- Run by: psql -X -f THIS_FILE; sluice migrate then finds nothing to do.\n"
      "\\set ON_ERROR_STOP on\n\\set QUIET on\nset client_encoding = 'UTF8';\n",
      SLUICE_VERSION, newest_version(set));
  for (const SqlFile& file : set.migrations) {
    script += fmt::format("\n-- {}\nbegin;\n{}commit;\n", file.name,
                          migration_transaction(set, file, role_prefix));
  }
  return script + fmt::format("\n-- functions\nbegin;\n{}commit;\n",
                              functions_transaction(set, role_prefix));
}

SchemaRange known_schemas(const SqlSet& set) {
  const int newest = newest_version(set);
  return SchemaRange{newest - optional_migrations, newest};
}

void check_schema(pqxx::connection& connection, const SqlSet& set) {
  const SchemaFacts facts = facts_of(applied_migrations(connection, set));
  const std::string mismatch = schema_mismatch(facts, known_schemas(set));
  if (!mismatch.empty()) throw_mismatch(mismatch);
}

}  // namespace sluice
