#include "api/pg_pool.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <string>

#include "support/manual_clock.h"
#include "support/run_co.h"

namespace sluice {
namespace {

const char* database_url() {
  return std::getenv("SLUICE_TEST_DATABASE_URL");
}

// One name for the sessions of all pools here: no two are there at a time.
std::string conninfo() {
  return std::string(database_url()) + "&application_name=pool_test";
}

Co<void> sleep_in(PgPool* pool) {
  Result<PgResult> rows = co_await pool->query("select pg_sleep(0.1)", PgParams());
  CHECK(rows);
}

Co<void> meet_damage(PgPool* pool) {
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
  std::string ended;
  CoGroup asked;

  explicit Fixture(PgPoolLimits limits, const std::string& where = conninfo())
      : servers(clock, resolver, where), pool(loop, clock, servers, limits) {}
  // One with an end of its own: what it became is in `ended`.
  void ask(const char* key, const char* sql, bool* is_awaited = nullptr) {
    Requester requester{std::string(key)};
    if (is_awaited != nullptr) requester.is_awaited = [is_awaited] { return *is_awaited; };
    const auto run = [](Fixture* f, std::string name, Co<Result<PgResult>> reply) -> Co<void> {
      const Result<PgResult> rows = co_await std::move(reply);
      f->ended += name + (rows ? "+ " : "- ");
    };
    asked.spawn(run(this, key, pool.query(requester, sql, PgParams())));
  }
  void wait_for_ended(const std::string& all) {
    for (int look = 0; look < 2'000 && ended != all; ++look) pass_ms(5);
    CHECK(ended == all);
  }
  // So many statements of this text run; seen by a session of the server's own.
  int64_t running(const char* sql) {
    PgParams params = {sql};
    const auto rows = run_co(
        loop, system_clock,
        pool.query("select count(*) from pg_stat_activity where state = 'active' and query = $1",
                   std::move(params)));
    return rows ? rows->int64(0, 0) : -1;
  }
  void wait_for_running(const char* sql, int64_t count) {
    for (int look = 0; look < 2'000 && running(sql) != count; ++look) pass_ms(5);
    CHECK(running(sql) == count);
  }
  Result<PgResult> query(const char* sql) {
    return run_co(loop, system_clock, pool.query(sql, PgParams()));
  }
  int64_t sessions() {
    const auto rows =
        query("select count(*) from pg_stat_activity where application_name = 'pool_test'");
    return rows ? rows->int64(0, 0) : 0;
  }
  void wait_until_connected() {
    while (!pool.is_connected() || pool.is_starting()) pass_ms(5);
  }
  void wait_for_sessions(int64_t count) {
    while (sessions() != count) pass_ms(5);
  }
  void pass_ms(int64_t ms) {
    run_co(loop, system_clock, sleep_until(system_clock, system_clock.now_ns() + ms * ns_per_ms));
  }
};

}  // namespace

TEST_SUITE("with a database" * doctest::skip(database_url() == nullptr)) {
  TEST_CASE("a pool opens another connection while its own is busy, and closes it when idle") {
    Fixture f({1, 2});
    f.wait_for_sessions(1);
    CoGroup statements;
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
    CoGroup statements;
    for (int i = 0; i < 20; ++i) statements.spawn(meet_damage(&f.pool));
    while (statements.running() > 0) f.pass_ms(5);
    const auto mends = f.query("select last_value from sluice.mends");
    CHECK(f.query("drop schema sluice cascade"));
    REQUIRE(mends);
    CHECK(mends->int64(0, 0) == 1);
  }

  TEST_CASE("long statements of one key leave a connection to others, and one to the server") {
    Fixture f({.kept = 5, .max = 5});
    f.wait_for_sessions(5);
    const char* long_sql = "select pg_advisory_xact_lock_shared(1)";
    Fixture holder({.kept = 1, .max = 1}, database_url());
    holder.wait_until_connected();
    REQUIRE(holder.query("select pg_advisory_lock(1)"));
    for (int i = 0; i < 6; ++i) f.ask("many", long_sql);
    f.wait_for_running(long_sql, 2);
    f.ask("another", "select 1");
    f.wait_for_ended("another+ ");
    CHECK(f.running(long_sql) == 2);
    for (int i = 0; i < 4; ++i) f.ask("third", long_sql);
    f.wait_for_running(long_sql, 4);
    CHECK(f.query("select 7"));  // of the server's own
    CHECK(holder.query("select pg_advisory_unlock_all()"));
    while (f.asked.running() > 0) f.pass_ms(5);
    CHECK(f.ended.find('-') == std::string::npos);
  }

  TEST_CASE(
      "statements of a key that was quick leave a connection to others, however long they take") {
    Fixture f({.kept = 5, .max = 5});
    f.wait_for_sessions(5);
    const char* long_sql = "select pg_advisory_xact_lock_shared(1)";
    f.ask("quick", "select 1");
    f.wait_for_ended("quick+ ");
    Fixture holder({.kept = 1, .max = 1}, database_url());
    holder.wait_until_connected();
    REQUIRE(holder.query("select pg_advisory_lock(1)"));
    for (int i = 0; i < 20; ++i) f.ask("quick", long_sql);
    f.wait_for_running(long_sql, 3);
    f.ask("another", "select 1");
    f.wait_for_ended("quick+ another+ ");
    CHECK(f.running(long_sql) == 3);
    CHECK(holder.query("select pg_advisory_unlock_all()"));
    while (f.asked.running() > 0) f.pass_ms(5);
  }

  TEST_CASE("who comes waits for one statement of a key that was quick, not for those behind it") {
    Fixture f({.kept = 5, .max = 5});
    f.wait_for_sessions(5);
    f.ask("quick", "select 1");
    f.wait_for_ended("quick+ ");
    for (int i = 0; i < 20; ++i) f.ask("quick", "select pg_sleep(0.2)");
    f.ask("another", "select 1");
    while (f.ended.find("another+ ") == std::string::npos) f.pass_ms(5);
    CHECK(std::count(f.ended.begin(), f.ended.end(), '+') <= 7);  // the first of each connection
    while (f.asked.running() > 0) f.pass_ms(5);
  }

  TEST_CASE("a statement for which nobody waits is not sent at its turn") {
    Fixture f({.kept = 1, .max = 1});
    f.wait_for_sessions(1);
    bool is_there = true, has_left = true;
    f.ask("a", "select pg_sleep(0.05)");
    f.ask("b", "select 1", &is_there);
    f.ask("b", "select 1", &has_left);
    f.ask("c", "select 1", &is_there);
    has_left = false;
    f.clock.advance(ns_per_s);
    f.wait_for_ended("a+ b+ b- c+ ");
  }

  TEST_CASE("who has left is taken out of a key's queue at once when that is asked for") {
    Fixture f({.kept = 1, .max = 1});
    f.wait_for_sessions(1);
    bool has_left = true;
    f.ask("a", "select pg_sleep(0.05)");
    f.ask("b", "select 1", &has_left);
    f.ask("b", "select 1");
    has_left = false;
    f.pool.drop_unawaited("b");
    f.wait_for_ended("b- a+ b+ ");
  }

  TEST_CASE("a statement waits for its turn for so long") {
    Fixture f({.kept = 1, .max = 1, .wait_ms_max = 1'000});
    f.wait_for_sessions(1);
    f.ask("a", "select pg_sleep(0.2)");
    f.ask("b", "select 1");
    f.clock.advance(999 * ns_per_ms);
    f.pass_ms(5);
    CHECK(f.ended.empty());
    f.clock.advance(ns_per_ms);
    f.wait_for_ended("b- a+ ");
  }

  TEST_CASE("a key has so many statements waiting, another still has its own") {
    Fixture f({.kept = 1, .max = 1, .waiting_of_key_max = 2});
    f.wait_for_sessions(1);
    for (int i = 0; i < 4; ++i) f.ask("a", "select pg_sleep(0.02)");
    f.ask("b", "select 1");
    f.wait_for_ended("a- a+ a+ a+ b+ ");
  }

  TEST_CASE("a key's turn is of as many statements as take 20 ms") {
    for (const bool is_over : {false, true}) {
      Fixture f({.kept = 1, .max = 1});
      f.wait_for_sessions(1);
      f.ask("b", "select pg_sleep(0.05)");
      f.ask("b", "select 1");
      for (int i = 0; i < 2; ++i) f.ask("a", "select 1");
      f.clock.advance(is_over ? 20 * ns_per_ms : 19 * ns_per_ms);
      f.wait_for_ended(is_over ? "b+ a+ a+ b+ " : "b+ b+ a+ a+ ");
    }
  }

  TEST_CASE("a key whose statement took long is passed over until another has had as much time") {
    Fixture f({.kept = 2, .max = 2});
    f.wait_for_sessions(2);
    const char* long_sql = "select 1 from pg_sleep(0.1)";
    const char* short_sql = "select 2 from pg_sleep(0.1)";
    f.ask("b", long_sql);
    f.ask("b", "select 1");
    for (int i = 0; i < 4; ++i) f.ask("a", short_sql);
    f.clock.advance(70 * ns_per_ms);
    for (int ended = 1; ended <= 3; ++ended) {
      while (std::ranges::count(f.ended, '+') < ended) f.pass_ms(5);
      f.wait_for_running(short_sql, 1);
      f.clock.advance(20 * ns_per_ms);
    }
    f.wait_for_ended("b+ a+ a+ a+ b+ a+ ");
  }

  TEST_CASE("what waits when the connections are lost is not sent") {
    Fixture f({.kept = 1, .max = 1});
    f.wait_for_sessions(1);
    f.ask("a", "select pg_terminate_backend(pg_backend_pid()) from pg_sleep(0.05)");
    f.ask("b", "select 1");
    f.wait_for_ended("a- b- ");
  }

  TEST_CASE("statements that wait for a connection that cannot be had are not sent") {
    Fixture f({0, 1}, "host=127.0.0.1 port=1");
    const Result<PgResult> rows = f.query("select 1");
    REQUIRE_FALSE(rows);
    CHECK(rows.error().code == PgPool::not_sent);
  }
}

}  // namespace sluice
