#include "worker/calls.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <string>

#include "support/body_text.h"
#include "support/worker_bench.h"

namespace sluice {

namespace {

constexpr int64_t mib = int64_t{1} << 20;

// Of 100 MiB there may be one in the default budget, and one beyond it.
ClaimedTask large_task_of(int64_t id, int64_t bytes = 100 * mib,
                          std::optional<int64_t> send_within_ms = std::nullopt) {
  ClaimedTask task = task_of(id, send_within_ms);
  task.has_body = false;
  task.request_bytes = bytes;
  return task;
}

// 25 calls, all but the first of which are answered at once.
struct HedgedBench : WorkerBench {
  HedgedBench() : WorkerBench(100) {
    database.served.models[0].hedge_after_ms = 500;
    for (int64_t id = 1; id <= 25; ++id) database.queue.push_back(task_of(id));
    start();
    for (size_t i = 1; i < 25; ++i) http.answer_ok(i, "quick");  // all but the first
  }
  const ClaimedTask& slow() const { return database.leases.begin()->second; }
};

}  // namespace

TEST_CASE("a model without its secret is parked, and its task goes back unsent") {
  WorkerBench bench;
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
  WorkerBench bench;
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
  WorkerBench bench;
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
  WorkerBench bench;
  for (int64_t id = 1; id <= 2; ++id) bench.database.queue.push_back(task_of(id));
  bench.start();
  REQUIRE(bench.http.count() == 2);
  const std::string url = bench.http.request(0).url;
  bench.http.answer(0, http_failure(HttpFailure::Kind::not_sent, "nobody listens"));
  CHECK(std::get<Unsent>(bench.outcome(0, 0)).error ==
        "nothing was sent to " + url + ": nobody listens");
  HttpResponse refusal;
  refusal.status = 404;
  bench.http.answer(1, refusal);
  CHECK(std::get<Refused>(bench.outcome(1, 0)).error == "calls go to " + url + ": HTTP 404");
}

TEST_CASE("what backends say is left of their limits goes along with the next flush, the least") {
  WorkerBench bench;
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
  WorkerBench bench;
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

TEST_CASE("claims whose calls come too late ask for longer permits, and then one goes out") {
  WorkerBench bench;
  bench.start();
  CHECK(bench.database.allowances.back() == std::nullopt);
  const auto claim_slowly = [&](int64_t id) {
    bench.database.hold();
    bench.database.queue.push_back(task_of(id, 200));
    bench.database.notify();
    bench.pass_ms(300);
    bench.database.release();
  };
  claim_slowly(1);
  CHECK(bench.http.count() == 0);
  claim_slowly(2);
  CHECK(bench.database.allowances.back() == 450);
  CHECK(bench.http.count() == 1);
}

TEST_CASE("a permit past its send-by deadline is forfeited and the task goes back unsent") {
  WorkerBench bench;
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
  WorkerBench bench;
  bench.start();
  bench.database.hold();
  bench.database.queue.push_back(task_of(1, 200));
  bench.database.notify();
  bench.pass_ms(199);
  bench.database.release();
  CHECK(bench.http.count() == 1);
}

TEST_CASE("bodies that did not fit into the claim are asked for before the call") {
  WorkerBench bench;
  ClaimedTask task = task_of(1);
  task.has_body = false;
  bench.database.queue.push_back(task);
  bench.start();
  CHECK(bench.database.called("requests") == 1);
  REQUIRE(bench.http.count() == 1);
  CHECK(text_of(bench.http.request(0).body) == R"({"model":"m","prompt":"prompt 1"})");
}

TEST_CASE("large requests wait for memory before they are fetched, and hold up no others") {
  WorkerBench bench;
  bench.add_model("n").url = "http://other";
  for (int64_t id = 1; id <= 4; ++id) bench.database.queue.push_back(large_task_of(id));
  bench.database.queue.push_back(task_of(5));
  bench.database.queue.push_back(large_task_of(6));
  bench.database.queue.back().model = "n";
  bench.start();
  CHECK(bench.http.count() == 4);  // 5, 1, 2 and 6
  CHECK(bench.worker->request_bytes() == 300 * mib);
  CHECK(bench.database.called("large_request") == 3);
  bench.pass_ms(60'000);
  CHECK(bench.http.count() == 4);
  bench.http.take_all();
  CHECK(bench.worker->request_bytes() == 0);
  bench.pass_ms(0);
  CHECK(bench.http.count() == 6);
}

TEST_CASE("a call whose permit lapses while it waits for memory is handed back uncharged") {
  WorkerBench bench;
  for (int64_t id = 1; id <= 3; ++id) {
    bench.database.queue.push_back(large_task_of(id, 100 * mib, 200));
  }
  bench.start();
  CHECK(bench.http.count() == 2);
  bench.pass_ms(200);
  CHECK(bench.database.stored() == 0);
  bench.pass_ms(1);
  REQUIRE(bench.database.stored() == 1);
  CHECK(bench.database.batches[0][0].key == TaskKey{3, 1});
  CHECK(std::holds_alternative<Returned>(bench.outcome(0, 0)));
  CHECK(bench.database.called("large_request") == 2);
}

TEST_CASE("a call that is cancelled while it waits for memory ends at once") {
  WorkerBench bench;
  for (int64_t id = 1; id <= 3; ++id) bench.database.queue.push_back(large_task_of(id));
  bench.start();
  bench.database.unwanted = {TaskKey{3, 1}};
  bench.pass_ms(5001);
  REQUIRE(bench.database.stored() == 1);
  CHECK(std::holds_alternative<Cancelled>(bench.outcome(0, 0)));
}

TEST_CASE("no claim waits for large requests, a few of which are fetched at a time") {
  WorkerBench bench;
  bench.database.hold("large_request");
  for (int64_t id = 1; id <= 6; ++id) bench.database.queue.push_back(large_task_of(id, mib));
  bench.start();
  bench.database.queue.push_back(task_of(7));
  bench.database.notify();
  CHECK(bench.http.count() == 1);
  CHECK(bench.database.called("large_request") == 4);
  bench.database.release();
  CHECK(bench.database.called("large_request") == 6);
  CHECK(bench.http.count() == 7);
}

TEST_CASE("a large request that cannot be read is asked for again, and holds up no others") {
  WorkerBench bench;
  const Error unread{Error::Action::bug, "XX001", "missing chunk"};
  bench.database.large_errors = {unread, connection_lost};
  for (int64_t id = 1; id <= 3; ++id) bench.database.queue.push_back(large_task_of(id, 4 * mib));
  bench.start();
  CHECK(bench.database.called("large_request") == 1);
  bench.pass_ms(bounds::reconnect_pause_ms_base);
  CHECK(bench.database.called("large_request") == 2);
  CHECK(bench.http.count() == 0);
  bench.pass_ms(bounds::reconnect_pause_ms_base);
  REQUIRE(bench.http.count() == 3);
  CHECK(text_of(bench.http.request(0).body) == R"({"model":"m","prompt":"prompt 3"})");
}

TEST_CASE("a call that is cancelled while its large request is fetched ends at once") {
  WorkerBench bench;
  bench.database.hold("large_request");
  bench.database.queue.push_back(large_task_of(1, mib));
  bench.start();
  bench.database.unwanted = {TaskKey{1, 1}};
  bench.pass_ms(5001);
  REQUIRE(bench.database.stored() == 1);
  CHECK(std::holds_alternative<Cancelled>(bench.outcome(0, 0)));
  CHECK(bench.worker->request_bytes() == 0);
  bench.database.release();
  CHECK(bench.http.count() == 0);
}

TEST_CASE("a worker that ends waits for no large request") {
  WorkerBench bench;
  bench.database.hold("large_request");
  bench.database.queue.push_back(large_task_of(1, mib));
  bench.start();
  bench.worker->leave();
  bench.pass_ms(0);
  CHECK(bench.ended);
}

TEST_CASE("large requests wait for a lost connection, and are fetched once it is back") {
  WorkerBench bench;
  bench.database.hold("large_request");
  bench.database.queue.push_back(large_task_of(1, mib));
  bench.start();
  bench.database.reachable = false;
  bench.database.lose();
  bench.pass_ms(1000);
  CHECK(bench.database.called("large_request") == 1);
  bench.database.reachable = true;
  bench.pass_ms(bounds::reconnect_pause_ms_max);
  CHECK(bench.database.called("large_request") == 2);
  CHECK(bench.http.count() == 1);
}

TEST_CASE("the session for large requests ends when none has come for a while") {
  WorkerBench bench;
  bench.database.queue.push_back(large_task_of(1, mib));
  bench.start();
  bench.pass_ms(bounds::large_session_idle_ms - 1);
  CHECK(bench.database.called("end_large_requests") == 0);
  bench.pass_ms(1);
  CHECK(bench.database.called("end_large_requests") == 1);
  bench.database.queue.push_back(large_task_of(2, mib));
  bench.database.notify();
  CHECK(bench.http.count() == 2);
}

TEST_CASE("a large request that may be sent several times is counted as often") {
  WorkerBench bench;
  bench.database.served.models[0].hedge_after_ms = 500;
  bench.database.queue.push_back(large_task_of(1, 10 * mib));
  bench.start();
  REQUIRE(bench.http.count() == 1);
  CHECK(bench.worker->request_bytes() == 40 * mib);
  bench.http.take(0);
  CHECK(bench.worker->request_bytes() == 40 * mib);
  bench.http.answer_ok(0, "a");
  CHECK(bench.worker->request_bytes() == 0);
}

TEST_CASE("the request of a batch is counted until it is sent") {
  WorkerBench bench;
  bench.database.served.models[0].batch_max = 4;
  for (int64_t id = 1; id <= 2; ++id) bench.database.queue.push_back(large_task_of(id, 10 * mib));
  bench.start();
  bench.pass_ms(1000);
  CHECK(bench.worker->request_bytes() == 20 * mib);
  bench.http.take_all();
  CHECK(bench.worker->request_bytes() == 0);
}

TEST_CASE("a call that is answered before it can be aborted keeps its answer") {
  WorkerBench bench;
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

TEST_CASE("bodies are asked for in portions that grow") {
  WorkerBench bench(100);
  for (int64_t id = 1; id <= 13; ++id) {
    bench.database.queue.push_back(task_of(id));
    bench.database.queue.back().has_body = false;
    bench.database.queue.back().request_bytes = bounds::request_small_bytes_max;
  }
  bench.start();
  CHECK(bench.database.called("requests") == 3);  // 4, 8 and 1
  CHECK(bench.http.count() == 13);
}

TEST_CASE("small bodies are asked for all at once") {
  WorkerBench bench(100);
  for (int64_t id = 1; id <= 100; ++id) {
    bench.database.queue.push_back(task_of(id));
    bench.database.queue.back().has_body = false;
    bench.database.queue.back().request_bytes = 1000;
  }
  bench.start();
  CHECK(bench.database.called("requests") == 1);
  CHECK(bench.http.count() == 100);
}

TEST_CASE("the body of a later claim of a task is not taken for this one's") {
  WorkerBench bench;
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

TEST_CASE("a call that takes long has a second one, whose answer wins") {
  HedgedBench bench;
  REQUIRE(bench.http.count() == 25);
  bench.pass_ms(499);
  CHECK(bench.http.count() == 25);
  bench.pass_ms(1);
  REQUIRE(bench.http.count() == 26);
  CHECK(text_of(bench.http.request(25).body) == text_of(bench.http.request(0).body));
  CHECK(bench.http.request(25).headers == bench.http.request(0).headers);
  CHECK_FALSE(bench.http.request(25).send_by_ns.has_value());
  bench.http.answer_ok(25, "second");
  REQUIRE(bench.database.stored() == 25);
  CHECK(std::get<Solved>(bench.database.batches.back().at(0).outcome).answer == "second");
  CHECK(bench.database.leases.empty());
}

TEST_CASE("where calls need permits an extra one is sent in time, too") {
  WorkerBench bench(100);
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

TEST_CASE("no model has more extra calls than three times its budget") {
  WorkerBench bench(100);
  bench.database.served.models[0].hedge_after_ms = 500;
  for (int64_t id = 1; id <= 40; ++id) bench.database.queue.push_back(task_of(id));
  bench.start();
  bench.pass_ms(10'000);
  CHECK(bench.http.count() == 40 + 13);  // of 52 calls twelve are under 24 %
}

TEST_CASE("an extra call that was granted too late counts for nothing") {
  WorkerBench bench(100);
  bench.database.served.models[0].hedge_after_ms = 500;
  bench.database.served.models[0].hedge_max = 1;
  bench.database.served.models[0].hedge_budget = 0.02;
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

TEST_CASE("cold tasks of a model that takes batches travel together, urgent ones alone") {
  WorkerBench bench(100);
  bench.database.served.models[0].batch_max = 10;
  for (int64_t id = 1; id <= 10; ++id) bench.database.queue.push_back(task_of(id));
  bench.database.queue.push_back(urgent_task_of(11));
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
