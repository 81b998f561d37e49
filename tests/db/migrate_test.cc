// Needs a PostgreSQL: SLUICE_TEST_DATABASE_URL; without it the cases say so and pass.
#include "db/migrate.h"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <pqxx/pqxx>

#include "command_error.h"

namespace sluice {
namespace {

constexpr std::array<SqlFile, 2> migrations = {{
    {"0001_first.sql",
     "create schema sluice;\n"
     "create table sluice.migration (version int primary key, name text, sha256 text,\n"
     "  applied_at timestamptz default clock_timestamp(), serves_from int);\n"
     "create table sluice.function_set (one boolean primary key default true, sha256 text,\n"
     "  sluice_version text, applied_at timestamptz default clock_timestamp());\n",
     "aa"},
    {"0002_second.sql", "create table sluice.second (x int);\n", "bb"},
}};
constexpr std::array<SqlFile, 1> functions = {{
    {"10_one.sql",
     "create or replace function sluice.one() returns int language sql as 'select 1';\n", "cc"},
}};
constexpr SqlSet placeholder{migrations, functions};

// A database of its own for one case; dropped at its end.
class FreshDatabase final {
 public:
  explicit FreshDatabase(const char* server_url)
      : server_(sluice::connect(server_url)), name_(fmt::format("migrate_test_{}", getpid())) {
    pqxx::nontransaction(*server_).exec("create database " + name_);
    // libpq lets a later dbname win; a URL cannot be appended to.
    conninfo_ = conninfo_of(server_url) + " dbname='" + name_ + "'";
  }
  ~FreshDatabase() {
    pqxx::nontransaction(*server_).exec("drop database " + name_ + " with (force)");
  }
  FreshDatabase(const FreshDatabase&) = delete;
  FreshDatabase& operator=(const FreshDatabase&) = delete;
  std::unique_ptr<pqxx::connection> connect() const { return sluice::connect(conninfo_); }

 private:
  std::unique_ptr<pqxx::connection> server_;
  std::string name_;
  std::string conninfo_;
};

const char* server_url() {
  const char* url = std::getenv("SLUICE_TEST_DATABASE_URL");
  if (url == nullptr) MESSAGE("skipped: SLUICE_TEST_DATABASE_URL is not set");
  return url;
}

std::vector<std::string> migrate(pqxx::connection& connection, const SqlSet& set) {
  std::vector<std::string> applied;
  migrate_up(connection, set, [&](std::string_view name) { applied.emplace_back(name); },
             {.wait_ms_max = 0});
  return applied;
}

ExitCode code_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const CommandError& error) {
    return error.code();
  }
  return ExitCode::ok;
}

TEST_CASE("migrations run once each and in order, and functions again when their text changed") {
  if (server_url() == nullptr) return;
  const FreshDatabase database(server_url());
  const auto connection = database.connect();
  CHECK(migrate(*connection, placeholder) ==
        std::vector<std::string>{"0001_first.sql", "0002_second.sql", "1 files of functions"});
  CHECK(migrate(*connection, placeholder).empty());
  std::array<SqlFile, 1> changed = functions;
  changed[0].sha256 = "dd";
  CHECK(migrate(*connection, {migrations, changed}) ==
        std::vector<std::string>{"1 files of functions"});
}

TEST_CASE("a migration that fails leaves nothing of itself behind") {
  if (server_url() == nullptr) return;
  const FreshDatabase database(server_url());
  const auto connection = database.connect();
  std::array<SqlFile, 2> broken = migrations;
  broken[1].text = "create table sluice.half (x int); select 1 / 0;";
  CHECK(code_of([&] { migrate(*connection, {broken, functions}); }) == ExitCode::failure);
  const SchemaState state = schema_state(*connection, placeholder);
  CHECK(state.migrations[0].applied_at.has_value());
  CHECK_FALSE(state.migrations[1].applied_at.has_value());
  CHECK(migrate(*connection, placeholder).size() == 2);
}

TEST_CASE("a migrator gives up when another one has held the lock past the deadline") {
  if (server_url() == nullptr) return;
  const FreshDatabase database(server_url());
  const auto connection = database.connect();
  const auto other = database.connect();
  pqxx::nontransaction(*other).exec("select pg_advisory_lock(731009, 0)");
  CHECK(code_of([&] { migrate(*connection, placeholder); }) == ExitCode::failure);
  CHECK(schema_state(*connection, placeholder).migrations[0].applied_at == std::nullopt);
}

TEST_CASE("a binary serves its own schema and refuses none, an older, a newer and an edited one") {
  if (server_url() == nullptr) return;
  const FreshDatabase database(server_url());
  const auto connection = database.connect();
  const auto checked = [&](const SqlSet& set) {
    return code_of([&] { check_schema(*connection, set); });
  };
  const std::span<const SqlFile> first = std::span(migrations).first(1);
  CHECK(checked(placeholder) == ExitCode::schema_mismatch);
  migrate(*connection, {first, {}});
  CHECK(checked(placeholder) == ExitCode::schema_mismatch);
  migrate(*connection, placeholder);
  CHECK(checked(placeholder) == ExitCode::ok);
  CHECK(checked({first, functions}) == ExitCode::schema_mismatch);
  pqxx::nontransaction(*connection).exec("update sluice.migration set serves_from = 1");
  CHECK(checked({first, functions}) == ExitCode::ok);
  std::array<SqlFile, 2> edited = migrations;
  edited[1].sha256 = "ee";
  CHECK(code_of([&] { migrate(*connection, {edited, functions}); }) == ExitCode::schema_mismatch);
}

TEST_CASE("a newer schema that serves this binary is left as it is, functions included") {
  if (server_url() == nullptr) return;
  const FreshDatabase database(server_url());
  const auto connection = database.connect();
  migrate(*connection, placeholder);
  pqxx::nontransaction(*connection).exec("update sluice.migration set serves_from = 1");
  std::array<SqlFile, 1> changed = functions;
  changed[0].sha256 = "dd";
  CHECK(migrate(*connection, {std::span(migrations).first(1), changed}).empty());
  CHECK(schema_state(*connection, placeholder).functions_current);
}

TEST_CASE("a newer release's functions are left as they are") {
  if (server_url() == nullptr) return;
  const FreshDatabase database(server_url());
  const auto connection = database.connect();
  migrate(*connection, placeholder);
  std::array<SqlFile, 1> changed = functions;
  changed[0].sha256 = "dd";
  const auto set_release = [&](const char* version) {
    pqxx::nontransaction(*connection)
        .exec_params("update sluice.function_set set sluice_version = $1", version);
  };
  set_release("999.0.0");
  CHECK(migrate(*connection, {migrations, changed}).empty());
  CHECK(schema_state(*connection, {migrations, changed}).functions_newer);
  set_release("0.0.1");
  CHECK(migrate(*connection, {migrations, changed}).size() == 1);
}

}  // namespace
}  // namespace sluice
