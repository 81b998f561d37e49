#include "mock/mock_server.h"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <random>
#include <unordered_map>
#include <utility>

#include "exit_code.h"
#include "hex.h"
#include "json_text.h"
#include "mock/arrival_log.h"
#include "mock/latency_spec.h"
#include "mock/mock_request.h"
#include "mock/prefix_cache.h"
#include "mock/sliding_window.h"
#include "runtime/http_server.h"
#include "sha256.h"

namespace sluice {
namespace {

constexpr int64_t body_bytes_max = int64_t{64} << 20;    // twice the largest request Sluice accepts
constexpr int64_t answers_bytes_max = int64_t{1} << 40;  // who tests with many large ones means it
constexpr int connections_max =
    16'000;  // a worker is one address, which may have 7/8: more than 10,000
constexpr int64_t quota_window_ns = 60 * ns_per_s;
constexpr size_t models_max = 10'000;  // with a quota each: made-up names must not fill the memory
constexpr size_t bytes_per_token = 4;  // a rule of thumb, for the usage that chat answers tell

// In place of one prompt's answer.
constexpr std::string_view prompts_error =
    R"({"error":{"message":"the prompt asked for it","type":"mock_error"},"retryable":false})";

constexpr std::string_view html_page =
    "<html><head><title>502 Bad Gateway</title></head><body>Bad Gateway</body></html>";

HttpReply error_reply(int status, std::string_view type, std::string_view message) {
  HttpReply reply;
  reply.status = status;
  reply.body = fmt::format(R"({{"error":{{"message":{},"type":{},"param":null,"code":null}}}})",
                           json_string(message), json_string(type));
  return reply;
}

// As OpenAI and Azure say it.
HttpReply too_long_reply() {
  HttpReply reply;
  reply.status = 400;
  reply.body =
      R"({"error":{"message":"This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.",)"
      R"("type":"invalid_request_error","param":"messages","code":"context_length_exceeded"}})";
  return reply;
}

HttpReply refused_reply() {
  HttpReply reply;
  reply.status = 400;
  reply.body =
      R"({"error":{"message":"The response was filtered due to the prompt triggering a content management policy.",)"
      R"("type":null,"param":"prompt","code":"content_filter","status":400}})";
  return reply;
}

HttpReply throttled_reply(int64_t retry_after_s) {
  HttpReply reply = error_reply(429, "rate_limit_exceeded", "too many requests for this model");
  reply.headers.emplace_back("Retry-After", std::to_string(retry_after_s));
  return reply;
}

std::string usage_json(const std::string& prompt, const std::string& answer) {
  const size_t prompt_tokens = prompt.size() / bytes_per_token + 1;
  const size_t answer_tokens = answer.size() / bytes_per_token + 1;
  return fmt::format(R"({{"prompt_tokens":{},"completion_tokens":{},"total_tokens":{}}})",
                     prompt_tokens, answer_tokens, prompt_tokens + answer_tokens);
}

std::string_view finish_of(const MockRequest& request) {
  return request.faults.body == MockFaults::Body::refused_answer ? "content_filter" : "stop";
}

// The forms of an answer.
std::string chat_body(const MockRequest& request, const std::string& answer, uint64_t number) {
  return fmt::format(
      R"({{"id":"chatcmpl-mock-{}","object":"chat.completion","created":0,"model":{},)"
      R"("choices":[{{"index":0,"message":{{"role":"assistant","content":{}}},"finish_reason":"{}"}}],)"
      R"("usage":{}}})",
      number, json_string(request.model), json_string(answer), finish_of(request),
      usage_json(request.prompts.front(), answer));
}

// All events at once, when the latency is over.
std::string chat_stream(const MockRequest& request, const std::string& answer, uint64_t number) {
  const std::string head =
      fmt::format(R"(data: {{"id":"chatcmpl-mock-{}","object":"chat.completion.chunk","created":0,)"
                  R"("model":{},"choices":[)",
                  number, json_string(request.model));
  std::string events = head + R"({"index":0,"delta":{"role":"assistant","content":)" +
                       json_string(answer) + "},\"finish_reason\":null}]}\n\n" + head +
                       fmt::format("{{\"index\":0,\"delta\":{{}},\"finish_reason\":\"{}\"}}]}}\n\n",
                                   finish_of(request));
  if (request.include_usage) {
    events += head + "],\"usage\":" + usage_json(request.prompts.front(), answer) + "}\n\n";
  }
  return events + "data: [DONE]\n\n";
}

std::string answer_body(const MockRequest& request, uint64_t number, size_t answer_bytes) {
  const auto answer_to = [&](const std::string& prompt) {
    std::string answer = request.model + ": " + hex(sha256(prompt));
    if (answer.size() < answer_bytes) answer.resize(answer_bytes, '.');
    if (request.faults.body == MockFaults::Body::nul) answer += '\0';
    return answer;
  };
  const std::string& prompt = request.prompts.front();
  switch (request.shape) {
    case MockRequest::Shape::solve:
      if (request.errors.front()) return std::string(prompts_error);
      return R"({"answer":)" + json_string(answer_to(prompt)) + "}";
    case MockRequest::Shape::chat:
      return request.stream ? chat_stream(request, answer_to(prompt), number)
                            : chat_body(request, answer_to(prompt), number);
    case MockRequest::Shape::batch:
      break;
  }
  std::string answers;
  for (size_t i = 0; i < request.prompts.size(); ++i) {
    if (i > 0) answers += ',';
    answers += request.errors[i] ? prompts_error : json_string(answer_to(request.prompts[i]));
  }
  return R"({"answers":[)" + answers + "]}";
}

// The reply that the prompt itself asked for.
HttpReply ordered_reply(const MockRequest& request, uint64_t number, size_t answer_bytes) {
  const MockFaults& faults = request.faults;
  HttpReply reply;
  if (faults.status && *faults.status != 200) {
    reply = error_reply(*faults.status, "mock_error", "the prompt asked for it");
  } else if (faults.body == MockFaults::Body::too_long) {
    reply = too_long_reply();
  } else if (faults.body == MockFaults::Body::refused) {
    reply = refused_reply();
  } else {
    reply.body = answer_body(request, number, answer_bytes);
    if (request.stream) reply.content_type = "text/event-stream";
  }
  if (faults.body == MockFaults::Body::html) {
    reply.content_type = "text/html";
    reply.body = html_page;
  } else if (faults.body == MockFaults::Body::empty) {
    reply.body.clear();
  }
  if (faults.retry_after_s) {
    reply.headers.emplace_back("Retry-After", std::to_string(*faults.retry_after_s));
  }
  reply.drop = faults.close;
  return reply;
}

std::string tasks_json(std::string_view header) {
  std::string tasks = "[";
  while (!header.empty()) {
    const std::string_view part = header.substr(0, header.find(','));
    header.remove_prefix(std::min(part.size() + 1, header.size()));
    const size_t first = part.find_first_not_of(' ');
    if (first == std::string_view::npos) continue;
    const std::string_view task = part.substr(first, part.find_last_not_of(' ') + 1 - first);
    if (tasks.size() > 1) tasks += ',';
    tasks += json_string(task);
  }
  return tasks + ']';
}

std::string hash_of(const MockRequest& request) {
  std::string joined = request.prompts.front();
  for (size_t i = 1; i < request.prompts.size(); ++i) (joined += '\n') += request.prompts[i];
  return hex(sha256(joined));
}

}  // namespace

struct MockServer::Engine {
  // The chances drawn for one arrival.
  struct Draw {
    int64_t latency_ns;
    double error;  // in [0, 1)
  };
  // How one arrival will be answered.
  struct Verdict {
    HttpReply reply;
    int64_t latency_ns = 0;
    bool prefix_hit = true;  // nothing of it had to be read from the start
  };

  Engine(Clock& clock_, const MockOptions& options_, LatencySpec latency_, int64_t prefill_ns_)
      : clock(clock_),
        options(options_),
        latency(std::move(latency_)),
        prefill_ns(prefill_ns_),
        random(options_.seed) {}

  Co<HttpReply> answer(HttpIncoming incoming);
  Verdict arrive(MockRequest::Shape shape, const HttpIncoming& incoming);
  Verdict judge(const MockRequest& request, int64_t arrived_ns, const Draw& draw, uint64_t number);
  std::optional<HttpReply> over_quota(const std::string& model, int64_t arrived_ns);
  bool prefixes_are_known(const MockRequest& request);
  void log_arrival(const HttpIncoming& incoming, const Result<MockRequest>& request,
                   const Verdict& verdict);
  Draw draw(size_t prompts);

  Clock& clock;
  MockOptions options;
  LatencySpec latency;
  int64_t prefill_ns;
  std::mt19937_64 random;
  uint64_t arrivals = 0;
  std::unordered_map<std::string, SlidingWindow> quotas;  // by model
  std::unordered_map<std::string, PrefixCache> caches;    // by model
  std::unique_ptr<ArrivalLog> log;                        // null: none
  std::unique_ptr<HttpServer> server;                     // last: its handlers use the rest
};

Co<HttpReply> MockServer::Engine::answer(HttpIncoming incoming) {
  if (incoming.path == "/healthz") {
    HttpReply healthy;
    healthy.body = R"({"status":"ok"})";
    co_return healthy;
  }
  const auto shape = mock_shape_of(incoming.path);
  if (!shape) co_return error_reply(404, "not_found", "no such path");
  if (incoming.method != "POST") co_return error_reply(405, "method_not_allowed", "use POST");
  Verdict verdict = arrive(*shape, incoming);
  std::string().swap(incoming.body);  // thousands may wait: without their prompts
  co_await sleep_until(clock, incoming.arrived_ns + verdict.latency_ns);
  co_return std::move(verdict.reply);
}

MockServer::Engine::Verdict MockServer::Engine::arrive(MockRequest::Shape shape,
                                                       const HttpIncoming& incoming) {
  const uint64_t number = arrivals++;
  const auto request = parse_mock_request(shape, incoming.body);
  // Also for a call that will not need it: the next one's must not depend on this.
  const Draw drawn = draw(request ? request->prompts.size() : 1);
  Verdict verdict =
      request ? judge(*request, incoming.arrived_ns, drawn, number)
              : Verdict{error_reply(400, "invalid_request_error", request.error().message)};
  if (log) log_arrival(incoming, request, verdict);
  return verdict;
}

MockServer::Engine::Verdict MockServer::Engine::judge(const MockRequest& request,
                                                      int64_t arrived_ns, const Draw& draw,
                                                      uint64_t number) {
  if (auto refusal = over_quota(request.model, arrived_ns)) return {std::move(*refusal)};
  const bool hit = prefill_ns == 0 || prefixes_are_known(request);
  const int64_t latency_ns =
      request.faults.delay_ns.value_or(draw.latency_ns) + (hit ? 0 : prefill_ns);
  if (draw.error < options.error_rate && !request.faults.ordered) {
    return {error_reply(500, "server_error", "the mock fails at its error rate"), latency_ns, hit};
  }
  return {ordered_reply(request, number, options.answer_bytes), latency_ns, hit};
}

bool MockServer::Engine::prefixes_are_known(const MockRequest& request) {
  if (caches.size() >= models_max && !caches.contains(request.model)) return false;
  auto& cache = caches.try_emplace(request.model, options.prefix_cache).first->second;
  bool known = true;
  for (const std::string& prompt : request.prompts) {
    const std::string text = request.context.substr(0, options.prefix_bytes) + prompt;
    known &= cache.use(std::string_view(text).substr(0, options.prefix_bytes));
  }
  return known;
}

std::optional<HttpReply> MockServer::Engine::over_quota(const std::string& model,
                                                        int64_t arrived_ns) {
  if (!options.rpm) return std::nullopt;
  if (quotas.size() >= models_max && !quotas.contains(model)) {
    return error_reply(400, "invalid_request_error", "too many different models");
  }
  auto& quota = quotas.try_emplace(model, *options.rpm, quota_window_ns).first->second;
  const auto until_ns = quota.refused_until_ns(arrived_ns);
  if (!until_ns) return std::nullopt;
  return throttled_reply((*until_ns - arrived_ns + ns_per_s - 1) / ns_per_s);
}

void MockServer::Engine::log_arrival(const HttpIncoming& incoming,
                                     const Result<MockRequest>& request, const Verdict& verdict) {
  const double latency_ms = static_cast<double>(verdict.latency_ns) / ns_per_ms;
  log->append(fmt::format(
      R"({{"t_ns":{},"model":{},"prompt_sha256":"{}","tasks":{},"status":{},"latency_ms":{}{}}})",
      incoming.arrived_ns, json_string(request ? request->model : ""),
      request ? hash_of(*request) : "", tasks_json(incoming.header("sluice-task")),
      verdict.reply.drop ? 0 : verdict.reply.status, latency_ms,
      prefill_ns == 0      ? ""
      : verdict.prefix_hit ? R"(,"prefix_hit":true)"
                           : R"(,"prefix_hit":false)"));
}

// A batch draws for each of its prompts and is as slow as the slowest; the first decides on an
// error.
MockServer::Engine::Draw MockServer::Engine::draw(size_t prompts) {
  // Not std::uniform_real_distribution: it differs between libraries.
  const auto next = [this] { return static_cast<double>(random() >> 11) * 0x1p-53; };
  Draw drawn{};
  for (size_t i = 0; i < prompts; ++i) {
    const double pick = next();
    // Whole microseconds, so that the log says exactly how long it was.
    const int64_t latency_ns = latency.latency_ns(pick, next()) / 1000 * 1000;
    drawn.latency_ns = std::max(drawn.latency_ns, latency_ns);
    const double error = next();
    if (i == 0) drawn.error = error;
  }
  return drawn;
}

Result<std::unique_ptr<MockServer>> MockServer::start(Loop& loop, Clock& clock,
                                                      const MockOptions& options) {
  auto latency = LatencySpec::parse(options.latency);
  if (!latency) return tl::unexpected(latency.error());
  const auto prefill_ns = parse_duration_ns(options.prefill);
  if (!prefill_ns) return tl::unexpected(prefill_ns.error());
  auto engine = std::make_unique<Engine>(clock, options, std::move(*latency), *prefill_ns);
  if (options.log_file) {
    auto log = ArrivalLog::open(clock, *options.log_file);
    if (!log) return tl::unexpected(log.error());
    engine->log = std::move(*log);
  }
  HttpServerOptions http;
  http.address = options.listen;
  http.body_bytes_max = body_bytes_max;
  http.answers_bytes_max = answers_bytes_max;
  http.connections_max = connections_max;
  auto server =
      HttpServer::start(loop, clock, http, [answering = engine.get()](HttpIncoming incoming) {
        return answering->answer(std::move(incoming));
      });
  if (!server) return tl::unexpected(server.error());
  engine->server = std::move(*server);
  return std::unique_ptr<MockServer>(new MockServer(std::move(engine)));
}

MockServer::MockServer(std::unique_ptr<Engine> engine) : engine_(std::move(engine)) {}

MockServer::~MockServer() = default;

std::string MockServer::address() const {
  return engine_->server->address();
}

int run_mock(const MockOptions& options) {
  Loop loop;
  SystemClock clock(loop);
  const auto server = MockServer::start(loop, clock, options);
  if (!server) {
    fmt::print(stderr, "sluice: {}\n", server.error().message);
    return static_cast<int>(ExitCode::bad_configuration);
  }
  loop.on_signal(SIGTERM, [&] { loop.stop(); });
  loop.on_signal(SIGINT, [&] { loop.stop(); });
  fmt::print("listening on http://{}\n", (*server)->address());
  std::fflush(stdout);
  loop.run();
  return static_cast<int>(ExitCode::ok);
}

}  // namespace sluice
