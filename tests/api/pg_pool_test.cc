#include "api/pg_pool.h"

#include <doctest/doctest.h>

#include <cstdlib>
#include <string>

#include "support/manual_clock.h"
#include "support/run_task.h"

namespace sluice {
namespace {

const char* database_url() {
  return std::getenv("SLUICE_TEST_DATABASE_URL");
}

// One name for the sessions of all pools here: no two are there at a time.
std::string conninfo() {
  return std::string(database_url()) + "&application_name=pool_test";
}

Task<void> sleep_in(PgPool* pool) {
  Result<PgResult> rows = co_await pool->query("select pg_sleep(0.1)", PgParams());
  CHECK(rows);
}

Task<void> meet_damage(PgPool* pool) {
  Result<PgResult> rows = co_await pool->query(
      "do $$ begin raise exception 'damaged' using errcode = 'XX000'; end $$", PgParams());
  CHECK_FALSE(rows);
}

// The pool's time stands still, so that nothing is idle until we say so.
struct Fixture {
  Loop loop;
  SystemClock system_clock{loop};
  ManualClock clock;
  Resolver resolver{loop, clock};
  PgServers servers;
  PgPool pool;

  explicit Fixture(PgPoolSize size, const std::string& where = conninfo())
      : servers(clock, resolver, where), pool(loop, clock, servers, size) {}
  Result<PgResult> query(const char* sql) {
    return run_task(loop, system_clock, pool.query(sql, PgParams()));
  }
  int64_t sessions() {
    const auto rows =
        query("select count(*) from pg_stat_activity where application_name = 'pool_test'");
    return rows ? rows->int64(0, 0) : 0;
  }
  void wait_for_sessions(int64_t count) {
    while (sessions() != count) pass_ms(5);
  }
  void pass_ms(int64_t ms) {
    run_task(loop, system_clock, sleep_until(system_clock, system_clock.now_ns() + ms * ns_per_ms));
  }
};

}  // namespace

TEST_SUITE("with a database" * doctest::skip(database_url() == nullptr)) {
  TEST_CASE("a pool opens another connection while its own is busy, and closes it when idle") {
    Fixture f({1, 2});
    f.wait_for_sessions(1);
    TaskGroup statements;
    for (int i = 0; i < 6; ++i) statements.spawn(sleep_in(&f.pool));
    f.wait_for_sessions(2);
    while (statements.running() > 0) f.pass_ms(5);
    f.clock.advance(59 * ns_per_s);
    f.pass_ms(5);
    CHECK(f.sessions() == 2);
    f.clock.advance(61 * ns_per_s);
    f.wait_for_sessions(1);
  }

  TEST_CASE("a pool that keeps none opens one when a statement comes") {
    Fixture f({0, 1});
    CHECK(f.query("select 7")->int64(0, 0) == 7);
    f.clock.advance(61 * ns_per_s);
    f.pass_ms(5);
    f.clock.advance(ns_per_s);  // the pause between two connections
    CHECK(f.query("select 8")->int64(0, 0) == 8);
  }

  TEST_CASE("damage that many statements meet is mended once at a time") {
    Fixture f({1, 1});
    f.wait_for_sessions(1);
    for (const char* sql : {"create schema sluice", "create sequence sluice.mends",
                            "create function sluice.mend_sequences(out mended int) language sql as"
                            " $$ select 0 * nextval('sluice.mends')::int from pg_sleep(0.02) $$"}) {
      REQUIRE(f.query(sql));
    }
    TaskGroup statements;
    for (int i = 0; i < 20; ++i) statements.spawn(meet_damage(&f.pool));
    while (statements.running() > 0) f.pass_ms(5);
    const auto mends = f.query("select last_value from sluice.mends");
    CHECK(f.query("drop schema sluice cascade"));
    REQUIRE(mends);
    CHECK(mends->int64(0, 0) == 1);
  }

  TEST_CASE("statements that wait for a connection that cannot be had are not sent") {
    Fixture f({0, 1}, "host=127.0.0.1 port=1");
    const Result<PgResult> rows = f.query("select 1");
    REQUIRE_FALSE(rows);
    CHECK(rows.error().code == PgPool::not_sent);
  }
}

}  // namespace sluice
