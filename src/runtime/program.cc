#include "runtime/program.h"

#include <fmt/format.h>
#include <sys/wait.h>
#include <uv.h>

#include <array>
#include <csignal>
#include <memory>

#include "runtime/loop.h"
#include "runtime/signal.h"

namespace sluice {
namespace {

constexpr size_t read_bytes = size_t{16} << 10;

// libuv keeps both handles until their close callbacks, so they live on the heap and outlast the
// coroutine by a turn of the loop.
struct Running {
  uv_process_t process{};
  uv_pipe_t output{};
  std::array<char, read_bytes> buffer;
  std::string text;
  size_t bytes_max = 0;
  bool has_exited = true;  // false from its start on
  bool has_said_all = false;
  int64_t exit_code = 0;
  int signal = 0;
  Signal changed;
  int open = 2;

  void kill() {
    if (!has_exited) uv_process_kill(&process, SIGKILL);
  }
};

void on_closed(uv_handle_t* handle) {
  auto* running = static_cast<Running*>(handle->data);
  if (--running->open > 0) return;
  const std::unique_ptr<Running> owner(running);
}

struct Close {
  void operator()(Running* running) const {
    const pid_t pid = running->process.pid;
    uv_close(reinterpret_cast<uv_handle_t*>(&running->process), on_closed);
    uv_close(reinterpret_cast<uv_handle_t*>(&running->output), on_closed);
    if (running->has_exited) return;
    ::kill(pid, SIGKILL);  // from here on libuv does not reap it
    waitpid(pid, nullptr, 0);
  }
};

void on_exit(uv_process_t* process, int64_t exit_code, int signal) {
  const ReadyQueue::Batch batch;
  auto* running = static_cast<Running*>(process->data);
  running->has_exited = true;
  running->exit_code = exit_code;
  running->signal = signal;
  running->changed.raise();
}

void on_read(uv_stream_t* stream, ssize_t count, const uv_buf_t* /*buffer*/) {
  const ReadyQueue::Batch batch;
  auto* running = static_cast<Running*>(stream->data);
  if (count > 0) running->text.append(running->buffer.data(), static_cast<size_t>(count));
  if (running->text.size() > running->bytes_max) running->kill();
  if (count < 0) {
    uv_read_stop(stream);
    running->has_said_all = true;
    running->changed.raise();
  }
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

// Why it could not be started; 0: it was.
int start(Loop& loop, ProgramOptions& options, Running& running) {
  running.bytes_max = options.output_bytes_max;
  running.process.data = &running;
  running.output.data = &running;
  uv_pipe_init(loop.raw(), &running.output, 0);
  std::vector<char*> argv = pointers_to(options.argv);
  std::vector<char*> environment = pointers_to(options.environment);
  std::array<uv_stdio_container_t, 3> stdio{};
  stdio[1].flags = static_cast<uv_stdio_flags>(UV_CREATE_PIPE | UV_WRITABLE_PIPE);
  stdio[1].data.stream = reinterpret_cast<uv_stream_t*>(&running.output);
  uv_process_options_t spawn{};
  spawn.exit_cb = on_exit;
  spawn.file = options.path.c_str();
  spawn.args = argv.data();
  spawn.env = environment.data();
  spawn.stdio = stdio.data();
  spawn.stdio_count = static_cast<int>(stdio.size());
  const int failed = uv_spawn(loop.raw(), &running.process, &spawn);
  if (failed != 0) return failed;
  running.has_exited = false;
  return uv_read_start(
      stdio[1].data.stream,
      [](uv_handle_t* handle, size_t, uv_buf_t* buffer) {
        auto* reader = static_cast<Running*>(handle->data);
        *buffer = uv_buf_init(reader->buffer.data(), read_bytes);
      },
      on_read);
}

Error failure(std::string message) {
  return Error{Error::Action::retry_later, {}, std::move(message)};
}

}  // namespace

Co<Result<ProgramEnd>> run_program(Loop& loop, Clock& clock, ProgramOptions options) {
  const std::unique_ptr<Running, Close> running(new Running);
  if (const int failed = start(loop, options, *running); failed != 0) {
    co_return tl::unexpected(failure(fmt::format("it cannot be started: {}", uv_strerror(failed))));
  }
  const int64_t deadline_ns = clock.now_ns() + options.run_ns_max;
  bool is_late = false;
  while (!is_late && !(running->has_exited && running->has_said_all)) {
    is_late = !co_await running->changed.wait_until(clock, deadline_ns);
  }
  running->kill();
  while (!running->has_exited) co_await running->changed.wait();
  if (is_late) co_return tl::unexpected(failure("it took too long"));
  if (running->text.size() > options.output_bytes_max) {
    co_return tl::unexpected(failure("it said too much"));
  }
  if (running->signal != 0) {
    co_return tl::unexpected(failure(fmt::format("signal {} has ended it", running->signal)));
  }
  co_return ProgramEnd{static_cast<int>(running->exit_code), std::move(running->text)};
}

}  // namespace sluice
