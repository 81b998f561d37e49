#include "worker/database_link.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "bounds.h"
#include "support/log_lines.h"
#include "support/worker_bench.h"

namespace sluice {

TEST_CASE("a worker that was declared dead registers again and goes on claiming") {
  WorkerBench bench;
  bench.start();
  bench.database.claim_errors.push_back(Error{Error::Action::refuse, "SL010", "not registered"});
  bench.database.notify();
  bench.database.queue.push_back(task_of(1));
  bench.pass_ms(2000);
  CHECK(bench.database.registrations == 2);
  CHECK(bench.http.count() == 1);
}

TEST_CASE("damaged sequences are made anew at the start, on a reconnect, and when one is met") {
  WorkerBench bench;
  bench.database.damaged = 500;
  bench.start();
  CHECK(bench.database.called("mend") == 2);  // until none is left
  const auto first = std::find(bench.database.log.begin(), bench.database.log.end(), "mend");
  CHECK(std::find(bench.database.log.begin(), first, "claim") == first);
  bench.database.lose();
  bench.pass_ms(1000);
  CHECK(bench.database.called("mend") == 3);
  bench.database.claim_errors.push_back(
      Error{Error::Action::bug, "XX000", "bad magic number in sequence"});
  bench.database.queue.push_back(task_of(1));
  bench.database.notify();
  bench.pass_ms(1000);
  CHECK(bench.database.called("mend") == 4);
  CHECK(bench.http.count() == 1);
}

TEST_CASE("what was granted since the database's clock jumped ahead is forfeited until it knows") {
  WorkerBench bench;
  bench.start();
  bench.database.now_us = 3'600'000'000;
  bench.database.queue.push_back(task_of(1, 200));
  bench.database.queue.push_back(task_of(2));  // needs no permit
  bench.database.notify();
  bench.pass_ms(0);
  CHECK(bench.http.count() == 1);
  REQUIRE(bench.database.stored() == 1);
  CHECK(std::holds_alternative<Returned>(bench.outcome(0, 0)));
  CHECK(bench.database.called("note_clock_jump") == 1);
  bench.database.queue.push_back(task_of(3, 200));
  bench.database.notify();
  bench.pass_ms(0);
  CHECK(bench.http.count() == 2);
}

TEST_CASE("a database that is there again is not kept waiting") {
  WorkerBench bench;
  bench.start();
  bench.database.reachable = false;
  bench.database.lose();
  for (int i = 0; i < 60; ++i) bench.pass_ms(1000);  // the pauses have grown
  bench.database.reachable = true;
  bench.database.queue.push_back(task_of(1));
  bench.pass_ms(bounds::look_interval_ms + 1);  // the longest pause of the listening session
  CHECK(bench.http.count() == 1);
}

TEST_CASE("the first connection must succeed") {
  WorkerBench bench;
  bench.database.reachable = false;
  bench.start();
  CHECK(bench.ended);
  CHECK_FALSE(bench.result.has_value());
}

TEST_CASE("link: after a failure nothing is sent for a while, unless the connection is gone") {
  ManualClock clock;
  FakeDatabase database;
  Metrics metrics;
  DatabaseLink link(clock, database, metrics);
  CHECK(link.may_send());
  link.note_failure({Error::Action::reconnect, "", "gone"}, "trying");
  link.note_error({Error::Action::retry_later, "57014", "not now"}, "trying");
  CHECK(link.may_send());
  link.note_failure({Error::Action::retry_later, "57014", "not now"}, "trying");
  CHECK_FALSE(link.may_send());
  clock.advance(bounds::reconnect_pause_ms_base * ns_per_ms);
  CHECK(link.may_send());
}

TEST_CASE("link: a model that is deleted beside a statement is no error, a lost table is") {
  ManualClock clock;
  FakeDatabase database;
  Metrics metrics;
  DatabaseLink link(clock, database, metrics);
  LogLines lines;
  for (const Error& error :
       {Error{Error::Action::bug, "XX000", "could not open relation with OID 9"},
        Error{Error::Action::bug, "42P01", "no relation \"queue_9\""}}) {
    clock.advance(10 * ns_per_s);
    link.note_failure(error, "claiming");
    CHECK(lines.take() ==
          "info: claiming failed, as a model has been deleted: " + error.message + '\n');
    clock.advance(ns_per_s);
    link.note_failure(error, "claiming");
    CHECK(lines.take() == "error: claiming failed: " + error.code + ' ' + error.message + '\n');
    link.note_failure(error, "claiming");
    CHECK(lines.take().empty());
  }
  link.note_error({Error::Action::bug, "XX000", "bad magic number"}, "trying");
  CHECK(lines.take().starts_with("error: "));
}

TEST_CASE("link: what was granted since the clock jumped is void, what was before is not") {
  ManualClock clock;
  FakeDatabase database;
  Metrics metrics;
  DatabaseLink link(clock, database, metrics);
  const int64_t sent_ns = clock.now_ns();
  link.note_clock(1'000'000, sent_ns);
  CHECK(link.send_by_ns(sent_ns, 200) == sent_ns + 200 * ns_per_ms);
  CHECK_FALSE(link.has_work());
  link.note_clock(3'601'000'000, sent_ns);
  CHECK(link.has_work());
  CHECK(link.send_by_ns(sent_ns, 200) == 0);
  Flush flush(sent_ns);
  link.send(flush);
  CHECK(database.called("note_clock_jump") == 1);
  CHECK_FALSE(link.has_work());
}

}  // namespace sluice
