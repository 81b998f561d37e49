#include "worker/worker.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>

#include "bounds.h"
#include "support/fake_database.h"
#include "support/fake_http.h"
#include "support/log_lines.h"
#include "support/manual_clock.h"

namespace sluice {

namespace {

ClaimedTask task_of(int64_t id, std::optional<int64_t> send_within_ms = std::nullopt) {
  ClaimedTask task;
  task.key = TaskKey{id, 1};
  task.model = "m";
  task.send_within_ms = send_within_ms;
  task.has_body = true;
  task.question.prompt = "prompt " + std::to_string(id);
  task.timeout_ms = 1000;
  return task;
}

// A worker on fakes, running. Everything happens on this thread, in the calls of the test.
struct Bench {
  explicit Bench(int slots = 10, bool once = false) {
    Model model;
    model.name = model.upstream_name = "m";
    model.api = "solve";
    model.url = "http://backend";
    database.served.models = {model};
    database.look.complete = true;
    WorkerOptions options;
    options.slots = slots;
    options.once = once;
    options.secrets.hosts = {{"env:SLUICE_SECRET_TEST", {"http", "backend", "80"}},
                             {"env:SLUICE_SECRET_UNSET", {"http", "backend", "80"}}};
    worker.emplace(options, clock, database, http, metrics);
  }
  ~Bench() {
    if (ended) return;
    database.release();
    worker->leave();
    for (int i = 0; i < 20 && !ended; ++i) clock.advance(ns_per_s);
    CHECK(ended);
  }

  void start() { spawn(run()); }
  Task<void> run() {
    result = co_await worker->run();
    ended = true;
  }
  void pass_ms(int64_t ms) { clock.advance(ms * ns_per_ms); }

  const Outcome& outcome(size_t batch, size_t place) {
    return database.batches.at(batch).at(place).outcome;
  }

  ManualClock clock;
  FakeDatabase database;
  FakeHttp http;
  Metrics metrics;
  std::optional<Worker> worker;
  Result<void> result;
  bool ended = false;
};

// The one call that the model may have is answered; its completion, in the session beside, and all
// that comes after are held.
void begin_storing_the_only_call(Bench& bench) {
  bench.database.apart = true;
  bench.database.served.models[0].max_in_flight = 1;
  bench.database.queue.push_back(task_of(1));
  bench.start();
  REQUIRE(bench.http.count() == 1);
  bench.database.hold();
  bench.http.answer_ok(0, "a");
  REQUIRE(bench.database.called("complete") == 1);
}

const Error connection_lost{Error::Action::reconnect, "", "no connection"};

}  // namespace

TEST_CASE("worker: what is parked is said once, and when it is open again") {
  LogLines lines;
  Bench bench;
  bench.database.served.parked = {{"m", "credential"}};
  bench.start();
  CHECK(lines.take().find("warning: model \"m\" is parked (credential)") != std::string::npos);
  bench.database.on_configuration();
  CHECK(lines.take().find("parked") == std::string::npos);
  bench.database.served.parked.clear();
  bench.database.on_configuration();
  CHECK(lines.take().find("info: model \"m\" is parked no more") != std::string::npos);
}

TEST_CASE("a claimed task is sent to its model and its answer is stored") {
  Bench bench;
  bench.database.queue.push_back(task_of(7));
  bench.start();
  REQUIRE(bench.http.count() == 1);
  CHECK(bench.http.request(0).url == "http://backend/solve");
  CHECK(bench.http.request(0).body == R"({"model":"m","prompt":"prompt 7"})");
  const auto& headers = bench.http.request(0).headers;
  CHECK(std::find(headers.begin(), headers.end(), "Sluice-Task: 7:1") != headers.end());
  bench.http.answer_ok(0, "seven");
  REQUIRE(bench.database.stored() == 1);
  CHECK(std::get<Solved>(bench.outcome(0, 0)).answer == "seven");
}

TEST_CASE("answers that arrive during a flush travel together in the next one") {
  Bench bench;
  for (int64_t id = 1; id <= 5; ++id) bench.database.queue.push_back(task_of(id));
  bench.start();
  REQUIRE(bench.http.count() == 5);
  bench.database.hold();
  bench.http.answer_ok(0, "a");  // its flush is now under way
  for (size_t i = 1; i < 5; ++i) bench.http.answer_ok(i, "b");
  CHECK(bench.database.called("complete") == 1);
  bench.database.release();
  REQUIRE(bench.database.batches.size() == 2);
  CHECK(bench.database.batches[0].size() == 1);
  CHECK(bench.database.batches[1].size() == 4);
}

TEST_CASE("answers are stored during a flush only in a session of their own") {
  for (const bool apart : {false, true}) {
    Bench bench;
    bench.database.apart = apart;
    bench.database.queue.push_back(task_of(1));
    bench.start();
    bench.database.hold();
    bench.database.on_configuration();  // a flush is now under way
    bench.http.answer_ok(0, "a");
    CHECK(bench.database.called("complete") == (apart ? 1 : 0));
    bench.database.release();
    CHECK(bench.database.stored() == 1);
  }
}

TEST_CASE("what was being stored when its session broke is stored, not handed back") {
  Bench bench;
  bench.database.apart = true;
  bench.database.queue.push_back(task_of(1));
  bench.start();
  bench.database.hold();
  bench.database.complete_errors.push_back(connection_lost);
  bench.http.answer_ok(0, "a");
  REQUIRE(bench.database.called("complete") == 1);
  bench.database.lose();
  bench.pass_ms(1000);
  REQUIRE(bench.database.stored() == 1);
  CHECK(std::holds_alternative<Solved>(bench.outcome(0, 0)));
}

TEST_CASE("a worker never asks for more than its free slots") {
  Bench bench(3);
  for (int64_t id = 1; id <= 10; ++id) bench.database.queue.push_back(task_of(id));
  bench.start();
  CHECK(bench.http.count() == 3);
  for (int asked : bench.database.claims) CHECK(asked <= 3);
  bench.http.answer_ok(0, "a");
  CHECK(bench.http.count() == 4);
  CHECK(bench.database.claims.back() == 1);
}

TEST_CASE("a worker without a free slot does not go through its models") {
  Bench bench(1);
  std::vector<Model>& models = bench.database.served.models;
  const Model model = models.front();
  for (int i = 0; i < 20'000; ++i) {
    models.push_back(model);
    models.back().name = "a model with a long enough name, number " + std::to_string(i);
  }
  for (int64_t id = 1; id <= 2; ++id) bench.database.queue.push_back(task_of(id));
  bench.start();
  REQUIRE(bench.http.count() == 1);
  const auto begun = std::chrono::steady_clock::now();
  for (int i = 0; i < 1'000; ++i) bench.database.on_abort(101);
  CHECK(std::chrono::steady_clock::now() - begun < std::chrono::seconds(2));
}

TEST_CASE("results wait in memory while the database is away and are stored afterwards") {
  Bench bench;
  bench.database.queue.push_back(task_of(1));
  bench.database.queue.push_back(task_of(2));
  bench.start();
  bench.database.reachable = false;
  bench.database.lose();
  bench.http.answer_ok(0, "a");
  bench.http.answer_ok(1, "b");
  bench.pass_ms(3000);
  CHECK(bench.database.stored() == 0);
  bench.database.reachable = true;
  bench.pass_ms(10'000);
  CHECK(bench.database.stored() == 2);
  CHECK(bench.database.registrations == 1);
}

TEST_CASE("ids of finished tasks are announced after their completion, in another flush") {
  Bench bench;
  bench.database.served.events = true;
  bench.database.queue.push_back(task_of(7));
  bench.start();
  bench.database.hold();
  bench.http.answer_ok(0, "seven");
  CHECK(bench.database.called("complete") == 1);
  CHECK(bench.database.called("announce") == 0);  // it is not known yet to be committed
  bench.database.release();
  CHECK(bench.database.announced == std::vector<std::vector<int64_t>>{{7}});
}

TEST_CASE("a failed announcement is neither repeated nor in the way") {
  Bench bench;
  bench.database.served.events = true;
  bench.database.queue.push_back(task_of(1));
  bench.database.queue.push_back(task_of(2));
  bench.start();
  bench.database.announce_errors.push_back(connection_lost);
  bench.http.answer_ok(0, "a");
  CHECK(bench.database.called("announce") == 1);
  bench.http.answer_ok(1, "b");
  CHECK(bench.database.stored() == 2);
  CHECK(bench.database.announced == std::vector<std::vector<int64_t>>{{2}});
  CHECK(bench.metrics.text().find("sluice_worker_events_dropped_total 1\n") != std::string::npos);
}

TEST_CASE("without settings.events nothing is announced, and from a change on it is") {
  Bench bench;
  bench.database.queue.push_back(task_of(1));
  bench.database.queue.push_back(task_of(2));
  bench.start();
  bench.http.answer_ok(0, "a");
  CHECK(bench.database.called("announce") == 0);
  bench.database.served.events = true;
  bench.database.on_configuration();
  bench.http.answer_ok(1, "b");
  CHECK(bench.database.announced == std::vector<std::vector<int64_t>>{{2}});
}

TEST_CASE("a worker that drains announces its last ids") {
  Bench bench;
  bench.database.served.events = true;
  bench.database.queue.push_back(task_of(1));
  bench.start();
  bench.worker->drain();
  bench.http.answer_ok(0, "a");
  CHECK(bench.database.announced == std::vector<std::vector<int64_t>>{{1}});
  CHECK(bench.ended);
}

TEST_CASE("a completion whose answer was lost is repeated") {
  Bench bench;
  bench.database.queue.push_back(task_of(1));
  bench.start();
  bench.database.complete_errors.push_back(connection_lost);
  bench.http.answer_ok(0, "a");
  bench.pass_ms(100);
  CHECK(bench.database.called("complete") == 2);
  CHECK(bench.database.stored() == 1);
}

TEST_CASE("a claim whose answer was lost is found after the reconnect and handed back unsent") {
  for (const bool apart : {false, true}) {
    Bench bench;
    bench.database.apart = apart;
    bench.start();
    bench.database.hold();
    bench.database.queue.push_back(task_of(1));
    bench.database.notify();
    bench.database.lose();  // the claim was committed, its answer is gone
    bench.pass_ms(1000);
    CHECK(bench.http.count() == 0);
    CHECK(bench.database.called("complete") == 1);
    REQUIRE(bench.database.stored() == 1);
    CHECK(std::holds_alternative<Returned>(bench.outcome(0, 0)));
  }
}

TEST_CASE("a completion to be tried later is tried once, whatever else is due then") {
  for (const bool apart : {false, true}) {
    Bench bench;
    bench.database.apart = apart;
    bench.database.queue.push_back(task_of(1));
    bench.start();
    bench.database.complete_errors.push_back({Error::Action::retry_later, "57014", "not now"});
    bench.http.answer_ok(0, "a");
    bench.database.on_configuration();  // a flush waits for the end of the pause, too
    CHECK(bench.database.called("complete") == 1);
    bench.pass_ms(1000);
    CHECK(bench.database.called("complete") == 2);
    CHECK(bench.database.stored() == 1);
  }
}

TEST_CASE("a completion goes ahead of the claim that its slots are for") {
  Bench bench(2);
  for (int64_t id = 1; id <= 3; ++id) bench.database.queue.push_back(task_of(id));
  bench.start();
  REQUIRE(bench.http.count() == 2);
  bench.database.hold();
  bench.database.on_configuration();  // a flush is under way
  bench.http.answer_ok(0, "a");
  bench.database.log.clear();
  bench.database.release();
  const auto& log = bench.database.log;
  const auto completion = std::find(log.begin(), log.end(), "complete");
  REQUIRE(completion != log.end());
  CHECK(std::find(log.begin(), completion, "claim") == completion);
  CHECK(bench.http.count() == 3);
}

TEST_CASE("retention has a round a minute, and the next at once after one that removed something") {
  Bench bench;
  bench.database.removable = 7;
  bench.start();
  bench.pass_ms(bounds::look_interval_ms);
  CHECK(bench.database.called("retain") == 1);
  bench.pass_ms(bounds::look_interval_ms);
  CHECK(bench.database.called("retain") == 2);
  bench.pass_ms(bounds::retention_interval_ms - 1);
  CHECK(bench.database.called("retain") == 2);
  bench.pass_ms(bounds::look_interval_ms);
  CHECK(bench.database.called("retain") == 3);
}

TEST_CASE("a model that was full beside the completion is claimed for again") {
  Bench bench;
  begin_storing_the_only_call(bench);
  bench.database.queue.push_back(task_of(2));  // as if the claim had been before it
  bench.database.release();
  CHECK(bench.http.count() == 2);
}

TEST_CASE("a claim that is still to say that a model was full does not outlast the completion") {
  Bench bench;
  bench.database.looks_in_time = false;
  begin_storing_the_only_call(bench);
  bench.database.release("wake");
  bench.database.release("claim");  // it was empty, and the last look is under way
  REQUIRE(bench.database.called("claim") == 3);
  bench.database.queue.push_back(task_of(2));  // that was before the completion
  bench.database.release();
  CHECK(bench.http.count() == 2);
}

TEST_CASE("a model without its secret is parked, and its task goes back unsent") {
  Bench bench;
  bench.database.served.models[0].secret = "env:SLUICE_SECRET_UNSET";
  bench.database.queue.push_back(task_of(1));
  bench.start();
  CHECK(bench.http.count() == 0);
  REQUIRE(bench.database.stored() >= 1);
  const auto& parked = std::get<Parked>(bench.outcome(0, 0));
  CHECK(parked.cause == Parked::Cause::credential);
  CHECK(parked.error.find("SLUICE_SECRET_UNSET is not set") != std::string::npos);
}

TEST_CASE("a secret travels in the header of its API, and no echo of it is stored") {
  Bench bench;
  setenv("SLUICE_SECRET_TEST", "sk-hidden-from-all", 1);
  bench.database.served.models[0].secret = "env:SLUICE_SECRET_TEST";
  bench.database.queue.push_back(task_of(1));
  bench.database.queue.push_back(task_of(2));
  bench.start();
  unsetenv("SLUICE_SECRET_TEST");
  REQUIRE(bench.http.count() == 2);
  const auto& headers = bench.http.request(0).headers;
  CHECK(std::count(headers.begin(), headers.end(), "Authorization: Bearer sk-hidden-from-all") ==
        1);
  HttpResponse refusal;
  refusal.status = 400;
  refusal.body = R"({"error":"no such key: sk-hidden-from-all, sk-hidden-from-all"})";
  bench.http.answer(0, refusal);
  CHECK(std::get<Failed>(bench.outcome(0, 0)).error == "HTTP 400: no such key: [secret], [secret]");
  bench.http.answer_ok(1, "you said sk-hidden-from-all");
  CHECK(std::get<Solved>(bench.outcome(1, 0)).response == R"({"answer":"you said [secret]"})");
}

TEST_CASE("a secret in pieces, or in the escapes of JSON, is not stored either") {
  Bench bench;
  setenv("SLUICE_SECRET_TEST", "sk-hidden/from-all", 1);
  bench.database.served.models[0].secret = "env:SLUICE_SECRET_TEST";
  for (int64_t id = 1; id <= 2; ++id) bench.database.queue.push_back(task_of(id));
  bench.start();
  unsetenv("SLUICE_SECRET_TEST");
  REQUIRE(bench.http.count() == 2);
  HttpResponse refusal;
  refusal.status = 400;
  refusal.body = R"({"error":"no such key: \u0073k-hidden\/from-all"})";
  refusal.headers = HttpFields{{"x-request-id", "sk-hidden/from-all"}};
  bench.http.answer(0, refusal);
  CHECK(std::get<Failed>(bench.outcome(0, 0)).error ==
        "HTTP 400: no such key: [secret] [request [secret]]");
  bench.http.answer_ok(1, R"(you said sk-hidden\/from\u002dall)");
  CHECK(std::get<Solved>(bench.outcome(1, 0)).answer == "you said [secret]");
  CHECK(std::get<Solved>(bench.outcome(1, 0)).response == R"({"answer":"you said [secret]"})");
}

TEST_CASE("a call that was never sent, or refused, says where it went") {
  Bench bench;
  for (int64_t id = 1; id <= 2; ++id) bench.database.queue.push_back(task_of(id));
  bench.start();
  REQUIRE(bench.http.count() == 2);
  const std::string url = bench.http.request(0).url;
  bench.http.answer(0, tl::unexpected(HttpFailure{HttpFailure::Kind::not_sent, "nobody listens"}));
  CHECK(std::get<Unsent>(bench.outcome(0, 0)).error ==
        "nothing was sent to " + url + ": nobody listens");
  HttpResponse refusal;
  refusal.status = 404;
  bench.http.answer(1, refusal);
  CHECK(std::get<Refused>(bench.outcome(1, 0)).error == "calls go to " + url + ": HTTP 404");
}

TEST_CASE("what backends say is left of their limits goes along with the next flush, the least") {
  Bench bench;
  for (int64_t id = 1; id <= 3; ++id) bench.database.queue.push_back(task_of(id));
  bench.start();
  const auto answer = [&](size_t call, const std::string& requests_left) {
    HttpResponse response;
    response.status = 200;
    response.body = R"({"answer":"a"})";
    response.headers = HttpFields{{"x-ratelimit-remaining-requests", requests_left}};
    bench.http.answer(call, response);
  };
  bench.database.hold();
  bench.database.notify();  // a flush is under way
  answer(0, "7");
  answer(1, "5");
  bench.database.release();
  REQUIRE(bench.database.drained.size() == 1);
  CHECK(bench.database.drained[0].model == "m");
  CHECK(bench.database.drained[0].left.requests == 5);
  bench.database.hold();
  bench.database.notify();
  answer(2, "1");
  bench.pass_ms(1001);  // by then the provider has refilled
  bench.database.release();
  CHECK(bench.database.drained.size() == 1);
}

TEST_CASE("a stream that ends before its answer is tried again, one that is whole is stored") {
  Bench bench;
  bench.database.served.models[0].api = "openai-chat";
  bench.database.queue.push_back(task_of(1));
  bench.database.queue.push_back(task_of(2));
  bench.start();
  REQUIRE(bench.http.count() == 2);
  const auto stream = [&](size_t call, const std::string& bytes) {
    bench.http.request(call).event_stream->begin(HttpFields());
    REQUIRE(bench.http.request(call).event_stream->take(bytes));
    HttpResponse response;
    response.status = 200;
    bench.http.answer(call, response);
  };
  const std::string half = "data: {\"choices\":[{\"delta\":{\"content\":\"half\"}}]}\n\n";
  stream(0, half);
  CHECK(std::get<Retry>(bench.outcome(0, 0)).error_code == "broken_stream");
  stream(1, half + "data: [DONE]\n\n");
  CHECK(std::get<Solved>(bench.outcome(1, 0)).answer == "half");
}

TEST_CASE("a permit past its send-by deadline is forfeited and the task goes back unsent") {
  Bench bench;
  bench.start();
  bench.database.hold();
  bench.database.queue.push_back(task_of(1, 200));
  bench.database.notify();
  bench.pass_ms(201);  // the claim's answer takes too long
  bench.database.release();
  CHECK(bench.http.count() == 0);
  REQUIRE(bench.database.stored() >= 1);
  CHECK(std::holds_alternative<Returned>(bench.outcome(0, 0)));
}

TEST_CASE("a permit within its send-by deadline is used") {
  Bench bench;
  bench.start();
  bench.database.hold();
  bench.database.queue.push_back(task_of(1, 200));
  bench.database.notify();
  bench.pass_ms(199);
  bench.database.release();
  CHECK(bench.http.count() == 1);
}

TEST_CASE("bodies that did not fit into the claim are asked for before the call") {
  Bench bench;
  ClaimedTask task = task_of(1);
  task.has_body = false;
  bench.database.queue.push_back(task);
  bench.start();
  CHECK(bench.database.called("requests") == 1);
  REQUIRE(bench.http.count() == 1);
  CHECK(bench.http.request(0).body == R"({"model":"m","prompt":"prompt 1"})");
}

TEST_CASE("a worker that was declared dead registers again and goes on claiming") {
  Bench bench;
  bench.start();
  bench.database.claim_errors.push_back(Error{Error::Action::refuse, "SL010", "not registered"});
  bench.database.notify();
  bench.database.queue.push_back(task_of(1));
  bench.pass_ms(2000);
  CHECK(bench.database.registrations == 2);
  CHECK(bench.http.count() == 1);
}

TEST_CASE(
    "a call that is no longer wanted is aborted at the next heartbeat and ends as cancelled") {
  Bench bench;
  bench.database.queue.push_back(task_of(1));
  bench.start();
  bench.database.unwanted = {TaskKey{1, 1}, TaskKey{7, 1}};
  bench.pass_ms(5001);
  REQUIRE(bench.database.stored() == 1);
  CHECK(std::holds_alternative<Cancelled>(bench.outcome(0, 0)));
}

TEST_CASE("a notification for this worker brings the heartbeat forward, one for another does not") {
  Bench bench;
  bench.database.queue.push_back(task_of(1));
  bench.start();
  const int beats = bench.database.called("heartbeat");
  bench.database.on_abort(7);
  CHECK(bench.database.called("heartbeat") == beats);
  bench.database.unwanted = {TaskKey{1, 1}};
  bench.database.on_abort(101);
  CHECK(bench.database.called("heartbeat") == beats + 1);
  CHECK(bench.database.stored() == 1);
}

TEST_CASE("a call that is answered before it can be aborted keeps its answer") {
  Bench bench;
  bench.database.queue.push_back(task_of(1));
  bench.start();
  bench.database.hold();
  bench.database.unwanted = {TaskKey{1, 1}};
  bench.database.on_abort(101);
  bench.http.answer_ok(0, "just in time");
  bench.database.release();
  REQUIRE(bench.database.stored() == 1);
  CHECK(std::get<Solved>(bench.outcome(0, 0)).answer == "just in time");
}

TEST_CASE("without notifications a worker with calls asks every second what to abort") {
  Bench bench;
  bench.database.pooled = true;
  bench.database.queue.push_back(task_of(1));
  bench.start();
  bench.database.unwanted = {TaskKey{1, 1}};
  bench.pass_ms(1001);
  CHECK(bench.database.stored() == 1);
}

TEST_CASE("an outcome that PostgreSQL refuses fails alone") {
  Bench bench;
  for (int64_t id = 1; id <= 4; ++id) bench.database.queue.push_back(task_of(id));
  bench.database.poison = {3};
  bench.start();
  bench.database.hold();
  for (size_t i = 0; i < 4; ++i) bench.http.answer_ok(i, "a");
  bench.database.release();
  bench.pass_ms(5000);
  REQUIRE(bench.database.stored() == 4);
  for (const auto& batch : bench.database.batches) {
    for (const EndedCall& ended : batch) {
      CHECK(std::holds_alternative<Failed>(ended.outcome) == (ended.key.task_id == 3));
    }
  }
}

TEST_CASE("draining claims nothing more, waits for the calls under way and then leaves") {
  Bench bench;
  bench.database.queue.push_back(task_of(1));
  bench.start();
  bench.worker->drain();
  bench.database.queue.push_back(task_of(2));
  bench.database.notify();
  CHECK(bench.http.count() == 1);
  CHECK_FALSE(bench.ended);
  bench.http.answer_ok(0, "a");
  CHECK(bench.ended);
  CHECK(bench.database.stored() == 1);
  CHECK(bench.database.log.back() == "unregister");
}

TEST_CASE("a drain that takes too long hands the calls back") {
  Bench bench;
  bench.database.queue.push_back(task_of(1));
  bench.start();
  bench.worker->drain();
  bench.pass_ms(31'000);
  CHECK(bench.ended);
  REQUIRE(bench.database.stored() == 1);
  CHECK(std::holds_alternative<Returned>(bench.outcome(0, 0)));
}

TEST_CASE("--once ends when nothing is unfinished, and not before") {
  Bench bench(10, true);
  bench.database.queue.push_back(task_of(1));
  bench.start();
  bench.http.answer_ok(0, "a");
  bench.pass_ms(3000);
  CHECK_FALSE(bench.ended);  // a retry may be waiting for its time
  bench.database.has_unfinished = false;
  bench.pass_ms(3000);
  CHECK(bench.ended);
}

TEST_CASE("an idle worker wakes what is due once, then takes watch and bells, and sleeps") {
  Bench bench;
  bench.start();
  CHECK(bench.database.called("wake") >= 1);
  CHECK(bench.database.watched);
  CHECK(bench.database.called("take_bells") == 1);
  const int claims = bench.database.called("claim");
  bench.pass_ms(500);
  CHECK(bench.database.called("claim") == claims);
}

TEST_CASE("a sleeping worker claims when it is notified, without looking first") {
  Bench bench;
  bench.start();
  bench.pass_ms(100);
  const int looks = bench.database.called("take_bells");
  bench.database.queue.push_back(task_of(1));
  bench.database.notify();
  CHECK(bench.http.count() == 1);
  CHECK(bench.database.called("take_bells") == looks + 1);  // falling asleep again
}

TEST_CASE("a worker without the watch does not claim when it is notified") {
  Bench bench;
  bench.database.watch_is_free = false;
  bench.start();
  const int claims = bench.database.called("claim");
  bench.database.notify();
  CHECK(bench.database.called("claim") == claims);
  CHECK(bench.database.called("take_watch") >= 2);
}

TEST_CASE("a worker without the watch looks once a second, in case the watcher is frozen") {
  Bench bench;
  bench.database.watch_is_free = false;
  bench.start();
  bench.database.queue.push_back(task_of(1));
  for (int i = 0; i < 12; ++i) {
    bench.database.notify();
    bench.pass_ms(100);
  }
  CHECK(bench.http.count() == 1);
}

TEST_CASE("a worker with no slot free gives the watch away and says whether work remains") {
  Bench bench(1);
  bench.start();
  CHECK(bench.database.watched);
  bench.database.queue.push_back(task_of(1));
  bench.database.queue.push_back(task_of(2));
  bench.database.notify();
  CHECK_FALSE(bench.database.watched);
  CHECK(bench.database.called("drop_watch and notify") == 1);
}

TEST_CASE("while a bell is missing the sleeper looks again at growing intervals") {
  Bench bench;
  bench.database.look.complete = false;
  bench.start();
  bench.pass_ms(100);
  const int early = bench.database.called("take_bells");
  CHECK(early >= 5);
  bench.pass_ms(1000);
  const int late = bench.database.called("take_bells") - early;
  CHECK(late >= 3);
  CHECK(late <= 8);
  bench.database.queue.push_back(task_of(1));  // committed without a notification
  bench.pass_ms(250);
  CHECK(bench.http.count() == 1);
}

TEST_CASE("the sleeper wakes when the next permit comes") {
  Bench bench;
  bench.database.look.wake_in_ms = 40;
  bench.start();
  const int claims = bench.database.called("claim");
  bench.pass_ms(39);
  CHECK(bench.database.called("claim") == claims);
  bench.pass_ms(2);
  CHECK(bench.database.called("claim") > claims);
}

TEST_CASE("without a listening session the worker polls") {
  Bench bench;
  bench.start();
  bench.database.reachable = false;
  bench.database.lose();
  bench.database.reachable = true;
  bench.database.queue.push_back(task_of(1));
  bench.pass_ms(3000);
  CHECK(bench.http.count() == 1);
}

TEST_CASE("a listening session that does not answer makes the worker poll, and not ready") {
  Bench bench;
  bench.start();
  CHECK(bench.worker->not_ready_because().empty());
  bench.database.mute = true;
  bench.database.look.complete = false;  // nor does it sleep on bells
  CHECK(bench.worker->not_ready_because() == "no wake-ups: polling until they are back");
  bench.database.queue.push_back(task_of(1));
  bench.pass_ms(1001);
  CHECK(bench.http.count() == 1);
  bench.database.mute = false;
  CHECK(bench.worker->not_ready_because().empty());
}

TEST_CASE("behind a pooler the worker is ready, looks and reads the models once a second") {
  Bench bench;
  bench.database.pooled = true;
  bench.start();
  CHECK(bench.worker->not_ready_because().empty());
  const int configurations = bench.database.called("configuration");
  bench.database.queue.push_back(task_of(1));
  bench.pass_ms(1001);
  CHECK(bench.http.count() == 1);
  CHECK(bench.database.called("configuration") == configurations + 1);
}

TEST_CASE("bodies are asked for in portions that grow") {
  Bench bench(100);
  for (int64_t id = 1; id <= 13; ++id) {
    bench.database.queue.push_back(task_of(id));
    bench.database.queue.back().has_body = false;
  }
  bench.start();
  CHECK(bench.database.called("requests") == 3);  // 4, 8 and 1
  CHECK(bench.http.count() == 13);
}

TEST_CASE("the body of a later claim of a task is not taken for this one's") {
  Bench bench;
  bench.start();
  bench.database.hold();
  bench.database.queue.push_back(task_of(1));
  bench.database.queue.back().has_body = false;
  bench.database.notify();
  ClaimedTask later = task_of(1);  // taken from this worker and claimed anew meanwhile
  later.key.fence = 2;
  bench.database.leases = {{later.key, later}};
  bench.database.release();
  CHECK(bench.http.count() == 0);
  REQUIRE(bench.database.stored() == 1);
  CHECK(bench.database.batches[0][0].key == TaskKey{1, 1});
  CHECK(std::holds_alternative<Returned>(bench.outcome(0, 0)));
}

TEST_CASE("damaged sequences are made anew at the start, on a reconnect, and when one is met") {
  Bench bench;
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
  Bench bench;
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
  Bench bench;
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
  Bench bench;
  bench.database.reachable = false;
  bench.start();
  CHECK(bench.ended);
  CHECK_FALSE(bench.result.has_value());
}

// 25 calls, all but the first of which are answered at once.
struct HedgedBench : Bench {
  HedgedBench() : Bench(100) {
    database.served.models[0].hedge_after_ms = 500;
    for (int64_t id = 1; id <= 25; ++id) database.queue.push_back(task_of(id));
    start();
    for (size_t i = 1; i < 25; ++i) http.answer_ok(i, "quick");  // all but the first
  }
  const ClaimedTask& slow() const { return database.leases.begin()->second; }
};

TEST_CASE("a call that takes long has a second one, whose answer wins") {
  HedgedBench bench;
  REQUIRE(bench.http.count() == 25);
  bench.pass_ms(499);
  CHECK(bench.http.count() == 25);
  bench.pass_ms(1);
  REQUIRE(bench.http.count() == 26);
  CHECK(bench.http.request(25).body == bench.http.request(0).body);
  CHECK(bench.http.request(25).headers == bench.http.request(0).headers);
  CHECK_FALSE(bench.http.request(25).send_by_ns.has_value());
  bench.http.answer_ok(25, "second");
  REQUIRE(bench.database.stored() == 25);
  CHECK(std::get<Solved>(bench.database.batches.back().at(0).outcome).answer == "second");
  CHECK(bench.database.leases.empty());
}

TEST_CASE("where calls need permits an extra one is sent in time, too") {
  Bench bench(100);
  bench.database.served.models[0].hedge_after_ms = 500;
  bench.database.queue.push_back(task_of(1, 200));
  bench.start();
  const int64_t begun_ns = bench.clock.now_ns();
  bench.pass_ms(500);
  REQUIRE(bench.http.count() == 2);
  CHECK(bench.http.request(1).send_by_ns == begun_ns + 700 * ns_per_ms);
}

TEST_CASE("the first call may still win, and is the only result") {
  HedgedBench bench;
  bench.pass_ms(500);
  REQUIRE(bench.http.count() == 26);
  bench.http.answer_ok(0, "first");
  CHECK(bench.database.stored() == 25);
  CHECK(std::get<Solved>(bench.database.batches.back().at(0).outcome).answer == "first");
  bench.http.answer_ok(25, "too late");
  bench.pass_ms(5000);
  CHECK(bench.database.stored() == 25);
}

TEST_CASE("what fails beside another call is passed over") {
  HedgedBench bench;
  bench.pass_ms(500);
  REQUIRE(bench.http.count() == 26);
  HttpResponse broken;
  broken.status = 500;
  bench.http.answer(25, broken);
  CHECK(bench.database.stored() == 24);
  bench.http.answer_ok(0, "first");
  CHECK(bench.database.stored() == 25);
  CHECK(std::holds_alternative<Solved>(bench.database.batches.back().at(0).outcome));
}

TEST_CASE("when all calls of a task fail it is one failure") {
  HedgedBench bench;
  bench.pass_ms(500);
  HttpResponse broken;
  broken.status = 500;
  bench.http.answer(25, broken);
  bench.http.answer(0, broken);
  REQUIRE(bench.database.stored() == 25);
  CHECK(std::holds_alternative<Retry>(bench.database.batches.back().at(0).outcome));
}

TEST_CASE("a task is unsent only when none of its calls was sent") {
  HttpResponse broken;
  broken.status = 500;
  const HttpFailure unsent{HttpFailure::Kind::not_sent, "nobody listens"};
  for (const size_t sent : {size_t{0}, size_t{25}}) {
    HedgedBench bench;
    bench.pass_ms(500);
    bench.http.answer(25 - sent, tl::unexpected(unsent));
    bench.http.answer(sent, broken);
    REQUIRE(bench.database.stored() == 25);
    CHECK(std::holds_alternative<Retry>(bench.database.batches.back().at(0).outcome));
  }
}

TEST_CASE("an extra call that is refused is asked for again") {
  HedgedBench bench;
  bench.database.grants_hedges = false;
  bench.pass_ms(899);
  CHECK(bench.http.count() == 25);
  CHECK(bench.database.called("hedge") == 4);
  bench.database.grants_hedges = true;
  bench.pass_ms(100);
  CHECK(bench.http.count() == 26);
}

TEST_CASE("hedge_max bounds the extra calls of a task") {
  HedgedBench bench;
  bench.pass_ms(500);
  CHECK(bench.http.count() == 26);
  bench.pass_ms(500);
  CHECK(bench.http.count() == 27);
  bench.pass_ms(60'000);
  CHECK(bench.http.count() == 27);
  CHECK(bench.database.called("hedge") == 2);
}

TEST_CASE("no model has more extra calls than its budget") {
  Bench bench(100);
  bench.database.served.models[0].hedge_after_ms = 500;
  for (int64_t id = 1; id <= 40; ++id) bench.database.queue.push_back(task_of(id));
  bench.start();
  bench.pass_ms(10'000);
  CHECK(bench.http.count() == 40 + 4);  // three are under 8 % of 43 calls, four are not of 44
}

TEST_CASE("an extra call that was granted too late counts for nothing") {
  Bench bench(100);
  bench.database.served.models[0].hedge_after_ms = 500;
  bench.database.served.models[0].hedge_max = 1;
  for (int64_t id = 1; id <= 10; ++id) bench.database.queue.push_back(task_of(id));
  bench.start();
  bench.pass_ms(499);
  bench.database.hold();
  bench.pass_ms(1);  // one is asked for
  CHECK(bench.database.called("hedge") == 1);
  bench.http.answer_ok(0, "in time");
  bench.database.release();
  CHECK(bench.http.count() == 10);
  bench.pass_ms(100);
  CHECK(bench.http.count() == 11);
  bench.pass_ms(1000);
  CHECK(bench.http.count() == 11);
}

TEST_CASE("cancelling a task aborts all of its calls") {
  HedgedBench bench;
  bench.pass_ms(500);
  REQUIRE(bench.http.count() == 26);
  bench.database.unwanted.push_back(bench.slow().key);
  bench.pass_ms(10'000);
  REQUIRE(bench.database.stored() == 25);
  CHECK(std::holds_alternative<Cancelled>(bench.database.batches.back().at(0).outcome));
}

TEST_CASE("a model that was held back is claimed for again when a call has ended") {
  Bench bench(10);
  bench.database.served.models[0].max_in_flight = 2;
  for (int64_t id = 1; id <= 4; ++id) bench.database.queue.push_back(task_of(id));
  bench.start();
  CHECK(bench.http.count() == 2);
  bench.http.answer_ok(0, "a");
  CHECK(bench.http.count() == 3);
  bench.http.answer_ok(1, "a");
  CHECK(bench.http.count() == 4);
}

TEST_CASE("a backend that refuses has half as many calls") {
  Bench bench(8);
  for (int64_t id = 1; id <= 20; ++id) bench.database.queue.push_back(task_of(id));
  bench.start();
  REQUIRE(bench.http.count() == 8);
  HttpResponse refusal;
  refusal.status = 429;
  for (size_t i = 0; i < 4; ++i) bench.http.answer(i, refusal);
  CHECK(bench.http.count() == 8);  // four are under way, which is the limit now
  bench.http.answer_ok(4, "a");
  CHECK(bench.http.count() == 9);
}

ClaimedTask urgent(int64_t id) {
  ClaimedTask task = task_of(id);
  task.priority = 1;
  return task;
}

TEST_CASE("an urgent task waits for nobody's answer when all slots are taken") {
  Bench bench(2);
  for (int64_t id = 1; id <= 3; ++id) bench.database.queue.push_back(task_of(id));
  bench.start();
  REQUIRE(bench.http.count() == 2);
  bench.database.queue.push_front(urgent(7));
  bench.database.queue.push_front(urgent(8));
  bench.pass_ms(25);
  REQUIRE(bench.http.count() == 3);  // one slot for them beside its two
  bench.pass_ms(1000);
  CHECK(bench.http.count() == 3);
  bench.http.answer_ok(2, "a");
  bench.pass_ms(25);
  CHECK(bench.http.count() == 4);
  bench.http.answer_ok(3, "b");
  bench.http.answer_ok(0, "c");
  CHECK(bench.http.count() == 5);  // the third
}

TEST_CASE("nobody looks for urgent tasks while a claim for all would take them") {
  Bench bench(2);
  bench.database.queue.push_back(task_of(1));
  bench.start();
  bench.pass_ms(1000);
  CHECK(bench.http.count() == 1);
  CHECK(bench.database.called("claim_urgent") == 0);
}

TEST_CASE("an urgent task of a model that has its part of the slots is taken all the same") {
  Bench bench(10);
  bench.database.served.models[0].max_in_flight = 4;
  Model other = bench.database.served.models[0];
  other.name = "other";
  other.max_in_flight.reset();
  bench.database.served.models.push_back(other);
  for (int64_t id = 1; id <= 20; ++id) {
    bench.database.queue.push_back(task_of(id));
    bench.database.queue.back().model = "other";
  }
  bench.start();
  const size_t before = bench.http.count();
  CHECK(before >= 9);  // a slot may be kept for the model without calls
  bench.database.queue.push_back(urgent(30));
  bench.database.queue.back().model = "other";
  bench.pass_ms(25);
  CHECK(bench.http.count() == before + 1);
}

TEST_CASE("a backend that refuses has no urgent calls beyond its limit") {
  Bench bench(8);
  for (int64_t id = 1; id <= 8; ++id) bench.database.queue.push_back(task_of(id));
  bench.start();
  REQUIRE(bench.http.count() == 8);
  HttpResponse refusal;
  refusal.status = 429;
  bench.http.answer(0, refusal);
  bench.database.queue.push_back(urgent(20));
  bench.pass_ms(1000);
  CHECK(bench.http.count() == 8);
  for (size_t i = 1; i < 5; ++i) bench.http.answer_ok(i, "a");  // three are under way, of four
  CHECK(bench.http.count() == 9);
}

TEST_CASE("asleep is asleep: a worker without work for a minute says nothing until it looks") {
  Bench bench;
  bench.database.rest.asleep = true;
  bench.database.served.idle_look_ms = 3'600'000;
  bench.start();
  bench.pass_ms(59'000);
  CHECK(bench.database.called("fall_asleep") == 0);
  bench.pass_ms(2'000);
  REQUIRE(bench.database.called("fall_asleep") == 1);
  const size_t calls = bench.database.log.size();
  bench.pass_ms(3'590'000);
  CHECK(bench.database.log.size() == calls);
  bench.pass_ms(20'000);
  CHECK(bench.database.called("fall_asleep") == 2);
  bench.pass_ms(3'500'000);
  CHECK(bench.database.log.size() - calls <= 2);  // the look, and a round of retention
}

TEST_CASE("a notification rouses a sleeper, which beats before it claims") {
  Bench bench;
  bench.database.rest.asleep = true;
  bench.start();
  bench.pass_ms(61'000);
  REQUIRE(bench.database.called("fall_asleep") == 1);
  bench.database.log.clear();
  bench.database.queue.push_back(task_of(1));
  bench.database.notify();
  bench.pass_ms(0);
  CHECK(bench.http.count() == 1);
  const auto& log = bench.database.log;
  const auto beat = std::find(log.begin(), log.end(), "heartbeat");
  CHECK(beat != log.end());
  CHECK(std::find(log.begin(), beat, "claim") == beat);
  bench.pass_ms(12'000);
  CHECK(bench.database.called("heartbeat") >= 3);
}

TEST_CASE("a sleeper keeps the timer of what is due") {
  Bench bench;
  bench.database.rest.asleep = true;
  bench.database.rest.wake_in_ms = 20'000;
  bench.database.served.idle_look_ms = 3'600'000;
  bench.start();
  bench.pass_ms(61'000);
  REQUIRE(bench.database.called("fall_asleep") == 1);
  bench.database.queue.push_back(task_of(1));
  bench.pass_ms(18'000);
  CHECK(bench.http.count() == 0);
  bench.pass_ms(3'000);
  CHECK(bench.http.count() == 1);
}

TEST_CASE("a worker that may not sleep beats, and asks again a minute later") {
  Bench bench;
  bench.start();
  bench.pass_ms(61'000);
  REQUIRE(bench.database.called("fall_asleep") == 1);
  bench.database.log.clear();
  bench.pass_ms(50'000);
  CHECK(bench.database.called("heartbeat") >= 9);
  CHECK(bench.database.called("fall_asleep") == 0);
  bench.pass_ms(15'000);
  CHECK(bench.database.called("fall_asleep") == 1);
}

TEST_CASE("news that come while a worker asks for sleep keep it awake") {
  Bench bench;
  bench.database.rest.asleep = true;
  bench.start();
  bench.pass_ms(59'500);
  bench.database.hold();
  bench.pass_ms(2'000);
  REQUIRE(bench.database.called("fall_asleep") == 1);
  bench.database.notify();
  bench.database.log.clear();
  bench.database.release();
  bench.pass_ms(11'000);
  CHECK(bench.database.called("heartbeat") >= 2);
}

TEST_CASE("a sleeper that loses the database connects again, and beats") {
  Bench bench;
  bench.database.rest.asleep = true;
  bench.start();
  bench.pass_ms(61'000);
  REQUIRE(bench.database.called("fall_asleep") == 1);
  bench.database.log.clear();
  bench.database.lose();
  bench.pass_ms(2'000);
  CHECK(bench.database.called("connect") >= 1);
  CHECK(bench.database.called("heartbeat") >= 1);
}

TEST_CASE("nobody sleeps who polls, or has a call under way") {
  Bench bench;
  bench.database.rest.asleep = true;
  SUBCASE("a pooler is in between") {
    bench.database.pooled = true;
  }
  SUBCASE("a call takes long") {
    bench.database.queue.push_back(task_of(1));
  }
  bench.start();
  bench.pass_ms(200'000);
  CHECK(bench.database.called("fall_asleep") == 0);
}

TEST_CASE("cold tasks of a model that takes batches travel together, urgent ones alone") {
  Bench bench(100);
  bench.database.served.models[0].batch_max = 10;
  for (int64_t id = 1; id <= 10; ++id) bench.database.queue.push_back(task_of(id));
  bench.database.queue.push_back(urgent(11));
  bench.start();
  bench.pass_ms(0);
  REQUIRE(bench.http.count() == 2);
  CHECK(bench.http.request(1).url == "http://backend/batch");
  CHECK(bench.http.request(0).url == "http://backend/single");
  HttpResponse failure;
  failure.status = 500;
  bench.http.answer(1, failure);
  REQUIRE(bench.database.stored() == 10);
  for (size_t i = 0; i < 10; ++i) {
    CHECK(std::holds_alternative<BatchFailed>(bench.outcome(0, i)));
  }
}

}  // namespace sluice
