#include "db/child_process.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <system_error>

namespace sluice {
namespace {

constexpr int cannot_execute = 127;

// Nothing of the caller's environment (PGDATA, LANG, LD_PRELOAD …) reaches the child.
constexpr const char* child_environment[] = {"PATH=/usr/local/bin:/usr/bin:/bin", "LC_ALL=C.UTF-8",
                                             nullptr};

// Between fork and exec: only calls that are safe there.
[[noreturn]] void run_child(const ChildOptions& options, char* const* argv, pid_t parent) {
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  signal(SIGPIPE, SIG_DFL);
  setsid();
  if (options.account && !become(*options.account)) _exit(cannot_execute);
  // After the change of account, which clears it; and we may have been orphaned before it held.
  if (prctl(PR_SET_PDEATHSIG, options.death_signal) != 0 || getppid() != parent) {
    _exit(cannot_execute);
  }
  const int null_fd = open("/dev/null", O_RDONLY);
  if (chdir("/") != 0 || null_fd < 0 || dup2(null_fd, STDIN_FILENO) < 0 ||
      dup2(options.output_fd, STDOUT_FILENO) < 0 || dup2(options.output_fd, STDERR_FILENO) < 0) {
    _exit(cannot_execute);
  }
  execve(argv[0], argv, const_cast<char* const*>(child_environment));
  _exit(cannot_execute);
}

}  // namespace

ChildProcess::ChildProcess(const ChildOptions& options) {
  std::vector<std::string> arguments = options.argv;
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  const pid_t parent = getpid();
  pid_ = fork();
  if (pid_ == 0) run_child(options, argv.data(), parent);
  if (pid_ < 0) throw std::system_error(errno, std::generic_category(), "fork");
  // By number: the C library of Debian 12 declares pidfd_open without C linkage.
  exit_fd_ = static_cast<int>(syscall(SYS_pidfd_open, pid_, 0));
  if (exit_fd_ >= 0) return;
  const int error = errno;
  kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
  throw std::system_error(error, std::generic_category(), "pidfd_open");
}

ChildProcess::~ChildProcess() {
  if (!status_) {
    send(SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  close(exit_fd_);
}

std::optional<int> ChildProcess::wait(int timeout_ms) {
  if (status_) return status_;
  pollfd ended{exit_fd_, POLLIN, 0};
  if (poll(&ended, 1, timeout_ms) != 1) return std::nullopt;
  int status = 0;
  if (waitpid(pid_, &status, 0) == pid_) status_ = status;
  return status_;
}

void ChildProcess::send(int signal_number) const {
  if (!status_) kill(pid_, signal_number);
}

}  // namespace sluice
