#include "runtime/stop_signals.h"

#include <csignal>
#include <memory>
#include <utility>

namespace sluice {
namespace {

struct Stop {
  std::function<void()> drain;
  std::function<void(ExitCode)> force;
  bool draining = false;

  void begin() {
    if (!std::exchange(draining, true)) drain();
  }
  void on_signal(ExitCode code) {
    if (draining) {
      force(code);
    } else {
      begin();
    }
  }
};

}  // namespace

bool is_ignored(int signum) {
  struct sigaction action = {};
  sigaction(signum, nullptr, &action);
  return action.sa_handler == SIG_IGN;
}

void on_stop_signals(Loop& loop, std::function<void()> drain, std::function<void(ExitCode)> force) {
  const auto stop = std::make_shared<Stop>(Stop{std::move(drain), std::move(force)});
  loop.on_signal(SIGTERM, [stop] { stop->on_signal(ExitCode::terminated); });
  loop.on_signal(SIGINT, [stop] { stop->on_signal(ExitCode::interrupted); });
  // Shell and kernel may each send one when a terminal closes, so a second one forces nothing.
  if (!is_ignored(SIGHUP)) loop.on_signal(SIGHUP, [stop] { stop->begin(); });
}

}  // namespace sluice
