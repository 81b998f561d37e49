#include "api/submitter.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "support/run_co.h"

namespace sluice {
namespace {

const char* database_url() {
  return std::getenv("SLUICE_TEST_DATABASE_URL");
}

// Accepts each task with the number of the statement as its id.
constexpr const char* fake_sql[] = {
    "create schema sluice", "create sequence sluice.batch",
    "create function sluice.submit_each(bodies text[], tenants text[], keys text[],"
    " traceparents text[], api_keys text[], out place int, out id bigint, out model text,"
    " out code text, out message text, out hint text, out param text) returns setof record"
    " language sql as $$ select n::int, s.batch, 'm', null, null, null, null"
    " from (select nextval('sluice.batch') as batch) s, generate_subscripts(bodies, 1) n $$"};

struct Fixture {
  Loop loop;
  SystemClock clock{loop};
  Resolver resolver{loop, clock};
  PgServers servers{clock, resolver, database_url()};
  PgPool pool{loop, clock, servers, {.kept = 1, .max = 1}};
  Submitter submitter{clock, pool, pool};
  std::deque<HttpIncoming> incoming;
  std::map<std::string, std::vector<int64_t>> batches;  // of each key's tasks, as they came
  CoGroup submits;

  Fixture() {
    while (!pool.is_connected()) pass_ms(5);
    for (const char* sql : fake_sql) REQUIRE(run_co(loop, clock, pool.query(sql, PgParams())));
  }
  ~Fixture() { CHECK(run_co(loop, clock, pool.query("drop schema sluice cascade", PgParams()))); }

  void submit(const std::string& key, int count, size_t bytes) {
    const auto run = [](Fixture* f, std::string name,
                        Co<Result<Submitter::Accepted>> reply) -> Co<void> {
      const Result<Submitter::Accepted> accepted = co_await std::move(reply);
      f->batches[name].push_back(accepted ? accepted->id : 0);
      if (f->submits.running() == 1) f->loop.stop();
    };
    for (int i = 0; i < count; ++i) {
      HttpIncoming& request = incoming.emplace_back();
      request.client = key;
      Submitter::Submission submission;
      submission.body = std::string(bytes, ' ');
      submits.spawn(run(this, key, submitter.submit(std::move(submission), request)));
    }
  }
  void pass_ms(int64_t ms) {
    run_co(loop, clock, sleep_until(clock, clock.now_ns() + ms * ns_per_ms));
  }
  // How many of the key's tasks were in that batch.
  int64_t in_batch(const std::string& key, int64_t batch) {
    return std::ranges::count(batches[key], batch);
  }
  int64_t last_batch() {
    int64_t last = 0;
    for (const auto& [key, all] : batches) last = std::max(last, std::ranges::max(all));
    return last;
  }
};

}  // namespace

TEST_SUITE("with a database" * doctest::skip(database_url() == nullptr)) {
  TEST_CASE("tasks that come during a submit go together, each key's in turn") {
    Fixture f;
    f.submit("first", 2, 10);
    f.submit("many", 2'000, 10);
    f.submit("few", 3, 10);
    while (f.submits.running() > 0) f.loop.run();
    CHECK(f.in_batch("few", 3) == 3);
    CHECK(f.in_batch("many", 3) == 497);
    CHECK(f.last_batch() == 7);
  }

  TEST_CASE("a batch is bounded by what its tasks cost, and so is a key's turn in it") {
    Fixture f;
    f.submit("first", 2, 10);
    f.submit("long", 60, 24'000);  // a turn, a tenth of a batch each
    f.submit("short", 100, 1'000);
    while (f.submits.running() > 0) f.loop.run();
    CHECK(f.in_batch("short", 3) >= 100);
    CHECK(f.in_batch("long", 3) <= 10);
    CHECK(f.in_batch("long", 3) >= 5);
    CHECK(f.in_batch("long", 4) == 10);
  }

  TEST_CASE("a dear task goes alone") {
    Fixture f;
    f.submit("first", 2, 10);
    f.submit("dear", 3, 200'000);
    f.submit("cheap", 3, 10);
    while (f.submits.running() > 0) f.loop.run();
    for (const int64_t batch : f.batches["dear"]) CHECK(f.in_batch("dear", batch) == 1);
    CHECK(f.in_batch("cheap", f.batches["cheap"].front()) == 3);
  }
}

}  // namespace sluice
