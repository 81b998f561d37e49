#include "log.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <cstdio>
#include <string>

namespace sluice {
namespace {

// One line as the reader of stderr sees it, which is a pipe with room for it.
std::string logged(const std::string& message, const std::string& format = "json") {
  int pipe_ends[2];
  REQUIRE(pipe2(pipe_ends, O_CLOEXEC) == 0);
  const auto logger_before = spdlog::default_logger();
  const int stderr_before = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
  dup2(pipe_ends[1], STDERR_FILENO);
  configure_log("info", format);
  spdlog::info("{}", message);
  std::fflush(stderr);
  dup2(stderr_before, STDERR_FILENO);
  close(stderr_before);
  close(pipe_ends[1]);
  spdlog::set_default_logger(logger_before);
  std::string line(1 << 16, '\0');
  line.resize(static_cast<size_t>(std::max<ssize_t>(0, read(pipe_ends[0], line.data(), 1 << 16))));
  close(pipe_ends[0]);
  return line;
}

std::string repeated(const std::string& text, int count) {
  std::string all;
  for (int i = 0; i < count; ++i) all += text;
  return all;
}

}  // namespace

TEST_CASE("a line that is too long for a pipe is cut between two characters, and says so") {
  for (const std::string& text : {std::string("x"), std::string("\x1b"), std::string("€")}) {
    for (const char* before : {"", "a", "aa"}) {
      const std::string line = logged(before + repeated(text, PIPE_BUF));
      CHECK(line.size() <= PIPE_BUF);
      CHECK(line.size() > PIPE_BUF / 2);
      CHECK(line.ends_with((text == "\x1b" ? "\\u001b" : text) + "…\"}\n"));
    }
  }
}

TEST_CASE("a message makes one line, and no code for a terminal") {
  const std::string name = "m\n2001-01-01T00:00:00.000Z warning forged\x1b[2J\x7f\u009b";
  CHECK(logged("model " + name + ": ä, €", "text")
            .ends_with("info model m\\x0a2001-01-01T00:00:00.000Z warning forged"
                       "\\x1b[2J\\x7f\\u009b: ä, €\n"));
  for (const char* format : {"text", "json"}) {
    CHECK(logged("model a\u202eb", format).find("model a\\u202eb") != std::string::npos);
  }
}

TEST_CASE("a line that fits is whole") {
  CHECK(logged(repeated("€", 500)).ends_with("\"message\":\"" + repeated("€", 500) + "\"}\n"));
}

}  // namespace sluice
