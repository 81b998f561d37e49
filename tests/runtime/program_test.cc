#include "runtime/program.h"

#include <doctest/doctest.h>

#include "runtime/loop.h"
#include "support/run_co.h"

namespace sluice {
namespace {

// A shell's script with nothing in its environment but WORD.
ProgramOptions shell(const std::string& script) {
  return {.path = "/bin/sh",
          .argv = {"sh", "-c", script},
          .environment = {"WORD=told"},
          .output_bytes_max = 100'000,
          .run_ns_max = run_co_deadline_ns / 2};
}

struct Fixture {
  Result<ProgramEnd> run(ProgramOptions options) {
    return run_co(loop, clock, run_program(loop, clock, std::move(options)));
  }

  Loop loop;
  SystemClock clock{loop};
};

}  // namespace

TEST_CASE_FIXTURE(Fixture, "a program's output and exit code are given") {
  const Result<ProgramEnd> end = run(shell("echo $WORD $HOME; echo hidden >&2; exit 3"));
  REQUIRE(end.has_value());
  CHECK(end->output == "told\n");
  CHECK(end->exit_code == 3);
}

TEST_CASE_FIXTURE(Fixture, "what it says at its end is not lost") {
  const Result<ProgramEnd> end =
      run(shell("i=0; while [ $i -lt 5000 ]; do echo 0123456789; "
                "i=$((i + 1)); done"));
  REQUIRE(end.has_value());
  CHECK(end->output.size() == 55'000);
}

TEST_CASE_FIXTURE(Fixture, "a program that is not there is an error") {
  ProgramOptions options = shell("");
  options.path = "/nowhere/at/all";
  const Result<ProgramEnd> end = run(std::move(options));
  REQUIRE_FALSE(end.has_value());
  CHECK(end.error().message.find("cannot be started") != std::string::npos);
}

TEST_CASE_FIXTURE(Fixture, "a program that takes too long is killed") {
  ProgramOptions options = shell("echo begun; exec sleep 1000");
  options.run_ns_max = 50 * ns_per_ms;
  const Result<ProgramEnd> end = run(std::move(options));
  REQUIRE_FALSE(end.has_value());
  CHECK(end.error().message == "it took too long");
}

TEST_CASE_FIXTURE(Fixture, "a program that says too much is killed") {
  const Result<ProgramEnd> end = run(shell("while :; do echo 0123456789; done"));
  REQUIRE_FALSE(end.has_value());
  CHECK(end.error().message == "it said too much");
}

TEST_CASE_FIXTURE(Fixture, "a program that a signal ends is an error") {
  const Result<ProgramEnd> end = run(shell("kill -TERM $$"));
  REQUIRE_FALSE(end.has_value());
  CHECK(end.error().message == "signal 15 has ended it");
}

TEST_CASE_FIXTURE(Fixture, "who drops it ends it") {
  {
    const auto keep = [this]() -> Co<void> {
      Co<Result<ProgramEnd>> program = run_program(loop, clock, shell("exec sleep 1000"));
      const Result<ProgramEnd> end = co_await std::move(program);
      FAIL("it ended by itself: ", end.has_value());
    };
    CoGroup group;
    group.spawn(keep());
    CHECK(group.running() == 1);
  }
  CHECK(run(shell("echo next")).has_value());
}

}  // namespace sluice
