// MockServer is a stand-in model backend: it takes as long as a real one, keeps a quota, fails at
// times and logs each arrival, so that demos, benchmarks and tests need no model. It owns its HTTP
// server and log; it stores nothing and thinks nothing.
//
//   POST /solve, /single, /batch, /v1/chat/completions     see mock_request.h        GET /healthz
// The answer to a prompt is "<model>: <sha256 of the prompt in hex>", with dots up to
// `answer_bytes`: it belongs to its prompt, and gives nothing else away. Errors have OpenAI's form,
// {"error":{"message","type","param","code"}}.
//
// Latency and errors are drawn from the seed by the number of the prompt alone, a batch being as
// slow as its slowest prompt: the same seed and order give the same run. Latency counts from the
// arrival. With `prefill` each model has a PrefixCache, and a call with a prompt whose beginning is
// not in it takes so much longer. A call over the quota gets 429 at once and does not count; the
// log line of a call is written when it arrives:
// {"t_ns","model","prompt_sha256","tasks","status","latency_ms"}, with "prefix_hit" if there is a
// prefill. There, a batch has the hash of its prompts joined by line breaks, a malformed call an
// empty model and hash, a connection closed on purpose the status 0.
//
// Thread rule: loop thread only. The loop and the clock outlive it. Destroyed, it cuts off the
// calls that wait.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "result.h"
#include "runtime/clock.h"
#include "runtime/loop.h"

namespace sluice {

struct MockOptions {
  std::string listen = "127.0.0.1:8090";
  std::string latency = "0";  // see latency_spec.h
  std::optional<int> rpm;     // per model; nothing: no limit
  double error_rate = 0;      // probability of a 500
  uint64_t seed = 1;
  size_t answer_bytes = 0;              // at least; a real answer is longer than a hash
  std::string prefill = "0";            // a call's, if it is not in the prefix cache
  size_t prefix_cache = 0;              // prefixes that each model remembers
  size_t prefix_bytes = 256;            // of a prompt, with its chat before it
  std::optional<std::string> log_file;  // appended to
};

class MockServer final {
 public:
  // Error::refuse: a bad option, or an address or file that cannot be had.
  static Result<std::unique_ptr<MockServer>> start(Loop& loop, Clock& clock,
                                                   const MockOptions& options);
  ~MockServer();
  MockServer(const MockServer&) = delete;
  MockServer& operator=(const MockServer&) = delete;

  std::string address() const;  // HOST:PORT, the real one

 private:
  struct Engine;
  explicit MockServer(std::unique_ptr<Engine> engine);
  std::unique_ptr<Engine> engine_;
};

// Serves until SIGTERM or SIGINT and returns the exit code. Prints `listening on http://ADDR` once
// it does.
int run_mock(const MockOptions& options);

}  // namespace sluice
