#include "worker/batcher.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <list>

#include "bounds.h"
#include "support/body_text.h"
#include "support/fake_http.h"
#include "support/manual_clock.h"

namespace sluice {

namespace {

// Tasks that ask a batcher, on fakes. Everything happens on this thread, in the calls of the test.
struct Bench {
  struct Asking {
    Call call;
    std::optional<Answer> answer;
  };

  Bench() {
    model.name = model.upstream_name = "m";
    model.api = "solve";
    model.url = "http://backend";
    model.batch_max = 4;
  }

  ~Bench() {
    for (Asking& asking : tasks) asking.call.abort.abort();
  }

  // One that was handed back uncharged so many times.
  Asking& ask(int64_t id, int64_t handed_back = 0) { return ask(task_of(id, handed_back)); }
  Asking& ask(ClaimedTask task, std::optional<int64_t> send_by_ns = std::nullopt) {
    Asking& asking = tasks.emplace_back();
    asking.call.task = std::move(task);
    asking.call.send_by_ns = send_by_ns;
    REQUIRE(Batcher::takes(model, asking.call.task));
    spawn(wait(asking));
    return asking;
  }
  Co<void> wait(Asking& asking) {
    const Calling calling{clock, http, secrets, limit_news};
    asking.answer =
        co_await batcher.ask(calling, std::make_shared<const Model>(model), asking.call);
  }
  static ClaimedTask task_of(int64_t id, int64_t handed_back = 0) {
    ClaimedTask task;
    task.key = TaskKey{id, 1 + handed_back};
    task.model = "m";
    task.has_body = true;
    task.question.prompt = "p" + std::to_string(id);
    task.timeout_ms = 1000;
    return task;
  }

  // From then on others are waited for: calls take 40 s, and tasks came a moment ago.
  void make_busy() {
    for (int64_t id = 101; id <= 100 + model.batch_max; ++id) ask(id);
    clock.advance(40 * ns_per_s);
    answer(http.count() - 1, 200, R"({"answers":["","","",""]})");
    for (int64_t id = 201; id <= 200 + model.batch_max; ++id) ask(id);
  }
  void pass_ms(int64_t ms) { clock.advance(ms * ns_per_ms); }
  void answer(size_t i, int status, std::string body) {
    HttpResponse response;
    response.status = status;
    response.body = std::move(body);
    http.answer(i, std::move(response));
  }
  bool has_header(size_t i, const std::string& header) const {
    const auto& headers = http.request(i).headers;
    return std::find(headers.begin(), headers.end(), header) != headers.end();
  }

  ManualClock clock;
  FakeHttp http;
  Secrets secrets{{}};
  LimitNews limit_news{clock};
  Model model;
  Batcher batcher{clock};
  std::list<Asking> tasks;
};

const std::string& answer_in(const Bench::Asking& asking) {
  return *std::get<Solved>(asking.answer.value().outcome).answer;
}

}  // namespace

TEST_CASE("urgent tasks, verbatim requests and other models go singly") {
  Bench bench;
  CHECK(Batcher::takes(bench.model, Bench::task_of(1)));
  ClaimedTask cold = Bench::task_of(1);
  cold.priority = -1;
  CHECK(Batcher::takes(bench.model, cold));
  ClaimedTask hot = Bench::task_of(1);
  hot.priority = 1;
  CHECK_FALSE(Batcher::takes(bench.model, hot));
  ClaimedTask verbatim = Bench::task_of(1);
  verbatim.question = Question{std::nullopt, "{}", std::nullopt};
  CHECK_FALSE(Batcher::takes(bench.model, verbatim));
  bench.model.batch_max = 1;
  CHECK_FALSE(Batcher::takes(bench.model, Bench::task_of(1)));
  bench.model.batch_max = 4;
  bench.model.api = "openai-chat";
  CHECK_FALSE(Batcher::takes(bench.model, Bench::task_of(1)));
}

TEST_CASE("what comes at once goes in one call, and each has its own answer") {
  Bench bench;
  auto& one = bench.ask(1);
  auto& two = bench.ask(2);
  CHECK(bench.http.count() == 0);
  bench.pass_ms(0);
  REQUIRE(bench.http.count() == 1);
  CHECK(bench.http.request(0).url == "http://backend/batch");
  CHECK(text_of(bench.http.request(0).body) == R"({"model":"m","prompts":["p1","p2"]})");
  CHECK(bench.http.request(0).timeout_ms == 1000);
  CHECK(bench.has_header(0, "Sluice-Task: 1:1,2:1"));
  bench.answer(0, 200, R"({"answers":["one",{"error":"no","retryable":false}]})");
  CHECK(answer_in(one) == "one");
  CHECK(std::holds_alternative<Failed>(two.answer.value().outcome));
}

TEST_CASE("a full batch goes without waiting, and none is larger") {
  Bench bench;
  for (int64_t id = 1; id <= 9; ++id) bench.ask(id);
  CHECK(bench.http.count() == 2);
  bench.pass_ms(0);
  REQUIRE(bench.http.count() == 3);
  CHECK(bench.has_header(2, "Sluice-Task: 9:1"));
}

TEST_CASE("in busy times a batch waits to be full, at most batch_wait") {
  Bench bench;
  bench.make_busy();
  const size_t before = bench.http.count();
  bench.ask(1);
  bench.pass_ms(999);
  CHECK(bench.http.count() == before);
  bench.pass_ms(1);
  CHECK(bench.http.count() == before + 1);
  bench.make_busy();
  const size_t after = bench.http.count();
  for (int64_t id = 11; id <= 14; ++id) bench.ask(id);
  CHECK(bench.http.count() == after + 1);
}

TEST_CASE("a lone task does not wait, however long the calls take") {
  Bench bench;
  bench.make_busy();
  bench.pass_ms(10'000);
  const size_t before = bench.http.count();
  bench.ask(1);
  bench.pass_ms(0);
  CHECK(bench.http.count() == before + 1);
}

TEST_CASE("a batch goes before its first permit is forfeited") {
  Bench bench;
  bench.make_busy();
  const size_t before = bench.http.count();
  const int64_t now_ns = bench.clock.now_ns();
  bench.ask(Bench::task_of(1), now_ns + 500 * ns_per_ms);
  bench.ask(Bench::task_of(2), now_ns + 200 * ns_per_ms);
  bench.ask(Bench::task_of(3));
  bench.pass_ms(99);
  CHECK(bench.http.count() == before);
  bench.pass_ms(1);
  REQUIRE(bench.http.count() == before + 1);
  CHECK(bench.http.request(before).send_by_ns == now_ns + 200 * ns_per_ms);
}

TEST_CASE("a permit that was forfeited meanwhile takes nobody with it") {
  Bench bench;
  const int64_t now_ns = bench.clock.now_ns();
  auto& late = bench.ask(Bench::task_of(1), now_ns - 1);
  bench.ask(Bench::task_of(2), now_ns + 200 * ns_per_ms);
  bench.pass_ms(0);
  CHECK(std::holds_alternative<Returned>(late.answer.value().outcome));
  REQUIRE(bench.http.count() == 1);
  CHECK(bench.has_header(0, "Sluice-Task: 2:1"));
  CHECK(bench.http.request(0).send_by_ns == now_ns + 200 * ns_per_ms);
}

TEST_CASE(
    "the tasks of a batch that failed are handed back, and come again in halves, then singly") {
  Bench bench;
  for (int64_t id = 1; id <= 4; ++id) bench.ask(id);
  REQUIRE(bench.http.count() == 1);
  bench.answer(0, 500, "");
  for (const auto& asking : bench.tasks) {
    CHECK(std::holds_alternative<BatchFailed>(asking.answer.value().outcome));
  }
  for (int64_t id = 1; id <= 4; ++id) bench.ask(id, 1);
  REQUIRE(bench.http.count() == 3);
  CHECK(bench.has_header(1, "Sluice-Task: 1:2,2:2"));
  CHECK(bench.has_header(2, "Sluice-Task: 3:2,4:2"));
  CHECK_FALSE(Batcher::takes(bench.model, Bench::task_of(1, 2)));
  CHECK_FALSE(Batcher::takes(bench.model, Bench::task_of(1, 100)));
}

TEST_CASE("a charged attempt does not make batches smaller") {
  Bench bench;
  ClaimedTask second = Bench::task_of(1);
  second.key.fence = 3;
  second.attempt = 3;
  bench.ask(second);
  for (int64_t id = 2; id <= 4; ++id) bench.ask(id);
  CHECK(bench.http.count() == 1);
}

TEST_CASE("limits of output are not mixed") {
  Bench bench;
  ClaimedTask limited = Bench::task_of(1);
  limited.question.max_output_tokens = 7;
  bench.ask(limited);
  bench.ask(2);
  bench.pass_ms(0);
  CHECK(bench.http.count() == 2);
}

TEST_CASE("cancelling one of a batch drops its result only") {
  Bench bench;
  auto& one = bench.ask(1);
  auto& two = bench.ask(2);
  bench.pass_ms(0);
  two.call.abort.abort();
  CHECK(std::holds_alternative<Returned>(two.answer.value().outcome));
  CHECK_FALSE(one.answer.has_value());
  bench.answer(0, 200, R"({"answers":["one","two"]})");
  CHECK(answer_in(one) == "one");
}

TEST_CASE("when all of a batch are cancelled its call is aborted") {
  Bench bench;
  auto& one = bench.ask(1);
  auto& two = bench.ask(2);
  bench.pass_ms(0);
  one.call.abort.abort();
  two.call.abort.abort();
  CHECK(std::holds_alternative<Returned>(one.answer.value().outcome));
  CHECK(std::holds_alternative<Returned>(two.answer.value().outcome));
}

TEST_CASE("who is cancelled before the call is not in it") {
  Bench bench;
  auto& one = bench.ask(1);
  bench.ask(2);
  one.call.abort.abort();
  CHECK(std::holds_alternative<Returned>(one.answer.value().outcome));
  bench.pass_ms(0);
  REQUIRE(bench.http.count() == 1);
  CHECK(text_of(bench.http.request(0).body) == R"({"model":"m","prompts":["p2"]})");
}

TEST_CASE("a batch of which nobody is left makes no call") {
  Bench bench;
  bench.ask(1).call.abort.abort();
  bench.pass_ms(1000);
  CHECK(bench.http.count() == 0);
}

TEST_CASE("a batch's prompts are bounded in bytes, a single one's are not") {
  Bench bench;
  for (int64_t id = 1; id <= 3; ++id) {
    ClaimedTask task = Bench::task_of(id);
    task.question.prompt = std::string(bounds::batch_bytes_max / 2 + 1, 'x');
    bench.ask(task);
  }
  ClaimedTask large = Bench::task_of(4);
  large.question.prompt = std::string(bounds::batch_bytes_max + 1, 'x');
  bench.ask(large);
  bench.pass_ms(0);
  CHECK(bench.http.count() == 4);
}

TEST_CASE("a worker that drains waits for nobody") {
  Bench bench;
  bench.make_busy();
  const size_t before = bench.http.count();
  bench.ask(1);
  bench.batcher.send_all();
  CHECK(bench.http.count() == before + 1);
  bench.pass_ms(5000);
  CHECK(bench.http.count() == before + 1);
}

TEST_CASE("a backend that offers batches alone gets urgent tasks in batches of one") {
  Bench bench;
  bench.model.paths = {"/batch"};
  ClaimedTask hot = Bench::task_of(1);
  hot.priority = 1;
  Bench::Asking& asking = bench.ask(std::move(hot));
  REQUIRE(bench.http.count() == 1);
  CHECK(bench.http.request(0).url == "http://backend/batch");
  bench.answer(0, 200, R"({"answers":["a"]})");
  CHECK(answer_in(asking) == "a");
  bench.model.batch_max = 1;
  bench.ask(2);
  REQUIRE(bench.http.count() == 2);
  CHECK(text_of(bench.http.request(1).body).find(R"("prompts":["p2"])") != std::string::npos);
}

TEST_CASE("a backend without batches gets none, whatever batch_max") {
  Bench bench;
  bench.model.paths = {"/single"};
  CHECK_FALSE(Batcher::takes(bench.model, Bench::task_of(1)));
}

TEST_CASE("a batch that was refused says where it went") {
  Bench bench;
  bench.model.batch_max = 1;
  bench.model.paths = {"/batch"};
  Bench::Asking& asking = bench.ask(1);
  bench.answer(0, 404, "");
  CHECK(std::get<Refused>(asking.answer.value().outcome).error ==
        "calls go to http://backend/batch: HTTP 404");
}

TEST_CASE("a task may leave in the moment in which its batch is sent") {
  Bench bench;
  bench.ask(1);
  auto& two = bench.ask(2);
  {
    const ReadyQueue::Batch batch;  // as in SystemClock::on_timer: all that is due runs in one
    bench.clock.call_at(bench.clock.now_ns(), [&] { two.call.abort.abort(); });
    bench.pass_ms(0);
  }
  CHECK(bench.http.count() == 1);
}

}  // namespace sluice
