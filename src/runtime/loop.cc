#include "runtime/loop.h"

#include <sys/resource.h>
#include <uv.h>

#include <cassert>
#include <csignal>
#include <limits>
#include <list>
#include <system_error>
#include <utility>

#include "runtime/ready_queue.h"

namespace sluice {
namespace {

void check(int failed, const char* what) {
  if (failed != 0) throw std::system_error(-failed, std::generic_category(), what);
}

// One descriptor per call in flight: the usual soft limit of 1,024 is far too low.
void raise_open_files_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == limit.rlim_max) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE,
            &limit);  // refused: the old limit stays, and connections fail one by one
}

}  // namespace

struct Loop::Handles {
  struct OsSignal {
    uv_signal_t handle{};
    std::function<void()> fn;
  };

  uv_loop_t loop{};
  uv_async_t wake{};  // always active: run() ends by stop() alone
  uv_prepare_t turning{};
  uint64_t turn = 0;
  std::vector<std::function<void()>> posted;
  std::list<OsSignal> os_signals;

  void run_posted() {
    const ReadyQueue::Batch batch;
    const auto due = std::exchange(posted, {});
    for (const auto& fn : due) fn();
  }
};

Loop::Loop() : handles_(std::make_unique<Handles>()) {
  raise_open_files_limit();
  std::signal(SIGPIPE, SIG_IGN);
  check(uv_loop_init(&handles_->loop), "uv_loop_init");
  handles_->wake.data = handles_.get();
  check(uv_async_init(&handles_->loop, &handles_->wake,
                      [](uv_async_t* wake) { static_cast<Handles*>(wake->data)->run_posted(); }),
        "uv_async_init");
  handles_->turning.data = handles_.get();
  uv_prepare_init(&handles_->loop, &handles_->turning);
  uv_prepare_start(&handles_->turning,
                   [](uv_prepare_t* turning) { ++static_cast<Handles*>(turning->data)->turn; });
}

Loop::~Loop() {
  uv_close(reinterpret_cast<uv_handle_t*>(&handles_->wake), nullptr);
  uv_close(reinterpret_cast<uv_handle_t*>(&handles_->turning), nullptr);
  for (auto& os_signal : handles_->os_signals) {
    uv_close(reinterpret_cast<uv_handle_t*>(&os_signal.handle), nullptr);
  }
  // One turn for the close callbacks, and one that a stop() without run() may eat.
  uv_run(&handles_->loop, UV_RUN_NOWAIT);
  uv_run(&handles_->loop, UV_RUN_NOWAIT);
  [[maybe_unused]] const int busy = uv_loop_close(&handles_->loop);
  assert(busy == 0 && "something still watches through the loop");
}

void Loop::run() {
  uv_run(&handles_->loop, UV_RUN_DEFAULT);
}

void Loop::stop() {
  uv_stop(&handles_->loop);
  uv_async_send(&handles_->wake);
}

void Loop::post(std::function<void()> fn) {
  handles_->posted.push_back(std::move(fn));
  if (handles_->posted.size() == 1) uv_async_send(&handles_->wake);
}

uint64_t Loop::turn() const {
  return handles_->turn;
}

void Loop::on_signal(int signum, std::function<void()> fn) {
  auto& os_signal = handles_->os_signals.emplace_back();
  os_signal.fn = std::move(fn);
  os_signal.handle.data = &os_signal;
  check(uv_signal_init(&handles_->loop, &os_signal.handle), "uv_signal_init");
  const auto on_signal = [](uv_signal_t* handle, int) {
    const ReadyQueue::Batch batch;
    static_cast<Handles::OsSignal*>(handle->data)->fn();
  };
  check(uv_signal_start(&os_signal.handle, on_signal, signum), "uv_signal_start");
}

int64_t Loop::open_files_max() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) {
    return std::numeric_limits<int64_t>::max();
  }
  return static_cast<int64_t>(limit.rlim_cur);
}

uv_loop_s* Loop::raw() {
  return &handles_->loop;
}

}  // namespace sluice
