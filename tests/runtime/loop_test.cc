#include "runtime/loop.h"

#include <doctest/doctest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <optional>

#include "runtime/fd_watch.h"

namespace sluice {

TEST_CASE("posted functions run in order, and what they post runs too") {
  Loop loop;
  std::string log;
  loop.post([&] {
    log += "a";
    loop.post([&] {
      log += "c";
      loop.stop();
    });
  });
  loop.post([&] { log += "b"; });
  loop.run();
  CHECK(log == "abc");
}

TEST_CASE("a stop before run makes it return at once") {
  Loop loop;
  loop.stop();
  loop.run();
}

TEST_CASE("the loop hears signals of the operating system") {
  Loop loop;
  int heard = 0;
  loop.on_signal(SIGUSR1, [&] {
    ++heard;
    loop.stop();
  });
  loop.post([] { std::raise(SIGUSR1); });
  loop.run();
  CHECK(heard == 1);
}

TEST_CASE("the limit of open files is as high as the system allows") {
  const Loop loop;
  rlimit limit{};
  REQUIRE(getrlimit(RLIMIT_NOFILE, &limit) == 0);
  CHECK(limit.rlim_cur == limit.rlim_max);
}

TEST_CASE("a descriptor's watch may be destroyed from within its own callback") {
  Loop loop;
  std::array<int, 2> ends{};
  REQUIRE(pipe(ends.data()) == 0);
  std::optional<FdWatch> watch;
  bool readable = false;
  watch.emplace(loop, ends[0], [&](bool can_read, bool) {
    readable = can_read;
    watch.reset();
    loop.stop();
  });
  watch->want(true, false);
  REQUIRE(write(ends[1], "x", 1) == 1);
  loop.run();
  CHECK(readable);
  close(ends[0]);
  close(ends[1]);
}

}  // namespace sluice
