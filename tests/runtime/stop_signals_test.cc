#include "runtime/stop_signals.h"

#include <doctest/doctest.h>

#include <csignal>
#include <string>

namespace sluice {
namespace {

// What the signals did that were raised, each after the one before was heard: "d" for a drain, "f"
// and the exit code for a forced end.
std::string heard(std::initializer_list<int> signals, void (*on_hangup)(int) = SIG_DFL) {
  std::signal(SIGHUP, on_hangup);  // whatever the tests were started with
  Loop loop;
  std::string log;
  on_stop_signals(
      loop, [&] { log += "d "; },
      [&](ExitCode code) { log += "f" + std::to_string(static_cast<int>(code)) + " "; });
  // A signal reaches the loop by a pipe, in the turn after it was raised at the latest.
  for (const int signum : signals) {
    std::raise(signum);
    loop.post([&] { loop.post([&] { loop.stop(); }); });
    loop.run();
  }
  return log;
}

}  // namespace

TEST_CASE("the first signal to stop drains, a later one forces") {
  CHECK(heard({SIGTERM}) == "d ");
  CHECK(heard({SIGINT, SIGINT}) == "d f130 ");
  CHECK(heard({SIGTERM, SIGTERM, SIGINT}) == "d f143 f130 ");
}

TEST_CASE("a closed terminal drains and forces nothing") {
  CHECK(heard({SIGHUP, SIGHUP}) == "d ");
  CHECK(heard({SIGHUP, SIGTERM}) == "d f143 ");
}

TEST_CASE("a hangup that is ignored, as by nohup, stays so") {
  CHECK(heard({SIGHUP}, SIG_IGN).empty());
}

}  // namespace sluice
