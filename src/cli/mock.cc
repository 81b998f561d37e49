#include <CLI/CLI.hpp>
#include <memory>

#include "cli/command.h"
#include "mock/mock_server.h"

namespace sluice {
namespace {

constexpr size_t answer_bytes_max = size_t{1} << 20;  // of each call in flight
constexpr size_t prefixes_max = 100'000;              // of each model: 100 B each

constexpr const char* footer =
    R"(It answers POST
  /solve, /single       {"model","prompt"} -> {"answer"}
  /batch                {"model","prompts":[...]} -> {"answers":[...]},
                        when all are done
  /v1/chat/completions  OpenAI's chat, whole or in a stream

A prompt may order a fault: "mock:" and commands separated by ";", up to the
first blank (mock:status=429;retry_after=2 and any text):
  status=N  retry_after=SECONDS  delay=3s  html  empty  nul  close)";

}  // namespace

Action configure_mock(CLI::App& app) {
  auto options = std::make_shared<MockOptions>();
  app.footer(footer);
  app.add_option("--listen", options->listen, "address; port 0 takes a free one, printed at start")
      ->option_text("HOST:PORT [127.0.0.1:8090]");
  app.add_option("--latency", options->latency,
                 "per call: 200ms, 1s-5s, or shares: 95%:1s-5s,5%:20s-40s")
      ->option_text("SPEC [0]");
  app.add_option("--rpm", options->rpm, "requests a minute of each model, 429 above [no limit]")
      ->option_text("N");
  app.add_option("--error-rate", options->error_rate, "probability of an HTTP 500")
      ->check(CLI::Range(0.0, 1.0))
      ->option_text("P [0]");
  app.add_option("--seed", options->seed, "of the latencies and errors")->option_text("N [1]");
  app.add_option("--answer-bytes", options->answer_bytes, "answers at least that long")
      ->check(CLI::Range(size_t{0}, answer_bytes_max))
      ->option_text("N [0]");
  app.add_option("--prefill", options->prefill,
                 "longer, per call, unless its prompt begins as one in the prefix cache")
      ->option_text("DURATION [0]");
  app.add_option("--prefix-cache", options->prefix_cache,
                 "prefixes that each model remembers, those used last")
      ->check(CLI::Range(size_t{0}, prefixes_max))
      ->option_text("N [0]");
  app.add_option("--prefix-bytes", options->prefix_bytes,
                 "so much of a prompt, or of its chat, is its prefix")
      ->check(CLI::Range(size_t{1}, answer_bytes_max))
      ->option_text("N [256]");
  app.add_option("--log", options->log_file, "append a JSON line per arrival [off]")
      ->option_text("FILE");
  return [options](const GlobalOptions&) { return static_cast<ExitCode>(run_mock(*options)); };
}

}  // namespace sluice
