#include "runtime/resolver.h"

#include <doctest/doctest.h>

#include <atomic>
#include <future>
#include <optional>
#include <string>

#include "support/run_co.h"

namespace sluice {
namespace {

using Addresses = Resolver::Addresses;

// A name server in our hands: an answer comes when a test lets it. Shared with the threads, which
// may outlive a test.
struct NameServer {
  std::promise<void> answers;
  std::shared_future<void> answered = answers.get_future().share();
  std::atomic<int> asked = 0;
};

struct Fixture {
  Loop loop;
  SystemClock clock{loop};
  std::shared_ptr<NameServer> server = std::make_shared<NameServer>();
  // Mute for names that begin with "slow" until it is let go.
  Resolver resolver{loop, clock, [server = server](const std::string& host) {
                      ++server->asked;
                      if (host.starts_with("slow")) server->answered.wait();
                      return Result<Addresses>(Addresses{"192.0.2.1"});
                    }};
  bool released = false;

  Fixture() = default;
  ~Fixture() { release(); }
  Fixture(const Fixture&) = delete;
  Fixture& operator=(const Fixture&) = delete;

  void release() {
    if (!std::exchange(released, true)) server->answers.set_value();
  }
  Result<Addresses> resolve(const std::string& host, int64_t within_ms = 10'000) {
    const int64_t deadline_ns = clock.now_ns() + within_ms * ns_per_ms;
    return run_co(loop, clock, resolver.resolve(host, deadline_ns));
  }
};

Co<void> keep(Resolver* resolver, std::string host, int64_t deadline_ns,
              std::optional<Result<Addresses>>* into) {
  *into = co_await resolver->resolve(std::move(host), deadline_ns);
}

}  // namespace

TEST_CASE("an address is its own answer, without a look-up") {
  Fixture f;
  for (const char* address : {"127.0.0.1", "::1", "2001:db8::7", "fe80::1%lo"}) {
    CHECK(f.resolve(address).value() == Addresses{address});
  }
  CHECK(f.server->asked == 0);
}

TEST_CASE("a slow name server holds neither the loop nor another host's look-up") {
  Fixture f;
  std::optional<Result<Addresses>> slow;
  const int64_t start_ns = f.clock.now_ns();
  spawn(keep(&f.resolver, "slow.example", start_ns + 50 * ns_per_ms, &slow));
  CHECK(f.resolve("quick.example").value() == Addresses{"192.0.2.1"});
  CHECK_FALSE(slow);
  run_co(f.loop, f.clock, sleep_until(f.clock, start_ns + 60 * ns_per_ms));
  REQUIRE(slow);
  REQUIRE_FALSE(slow->has_value());
  CHECK(slow->error().action == Error::Action::retry_later);
  CHECK(slow->error().message ==
        "cannot resolve host \"slow.example\": no answer from the name server in time");
  CHECK(f.resolver.lookups_under_way() == 1);  // for whoever asks next
}

TEST_CASE("all who want a host wait for one look-up, each until a moment of its own") {
  Fixture f;
  std::optional<Result<Addresses>> first, second;
  const int64_t start_ns = f.clock.now_ns();
  spawn(keep(&f.resolver, "slow.example", start_ns + 60 * ns_per_s, &first));
  {
    CoGroup dropped;
    dropped.spawn(keep(&f.resolver, "slow.example", start_ns + 60 * ns_per_s, &second));
  }
  CHECK_FALSE(f.resolve("slow.example", 20));
  CHECK_FALSE(first);
  f.release();
  CHECK(f.resolve("slow.example").value() == Addresses{"192.0.2.1"});
  CHECK(first.value().value() == Addresses{"192.0.2.1"});
  CHECK_FALSE(second);
  CHECK(f.server->asked == 1);
}

TEST_CASE("an answer serves who asks within its time, then it is asked for anew") {
  Loop loop;
  SystemClock clock(loop);
  std::atomic<int> asked = 0;
  Resolver resolver(loop, clock, [&](const std::string& host) -> Result<Addresses> {
    ++asked;
    if (host == "none.example") return tl::unexpected(Error{});
    return Addresses{"192.0.2.1"};
  });
  const auto resolve = [&](const char* host) {
    return run_co(loop, clock, resolver.resolve(host, clock.now_ns() + 10 * ns_per_s));
  };
  CHECK(resolve("some.example"));
  CHECK(resolve("some.example"));
  CHECK(asked == 1);
  CHECK_FALSE(resolve("none.example"));
  CHECK_FALSE(resolve("none.example"));
  CHECK(asked == 2);
  run_co(loop, clock,
         sleep_until(clock, clock.now_ns() + (Resolver::keep_error_ms + 1) * ns_per_ms));
  CHECK_FALSE(resolve("none.example"));
  CHECK(asked == 3);
}

TEST_CASE("look-ups are bounded; who waits for a turn gets it, or goes in time") {
  Fixture f;
  CoGroup waiting;
  std::vector<std::optional<Result<Addresses>>> answers(Resolver::lookups_max + 1);
  const int64_t deadline_ns = f.clock.now_ns() + 30 * ns_per_s;
  for (size_t i = 0; i < answers.size(); ++i) {
    waiting.spawn(keep(&f.resolver, "slow" + std::to_string(i), deadline_ns, &answers[i]));
  }
  CHECK(f.resolver.lookups_under_way() == Resolver::lookups_max);
  CHECK_FALSE(f.resolve("given-up.example", 20));
  while (f.server->asked < static_cast<int>(Resolver::lookups_max) &&
         f.clock.now_ns() < deadline_ns) {
    run_co(f.loop, f.clock, sleep_until(f.clock, f.clock.now_ns() + ns_per_ms));
  }
  f.release();
  CHECK(f.resolve("slow" + std::to_string(Resolver::lookups_max)));
  CHECK(f.resolve("last.example"));
  CHECK(f.server->asked == static_cast<int>(Resolver::lookups_max) + 2);  // nobody's is not made
}

TEST_CASE("a resolver goes while its look-ups are under way") {
  std::optional<Fixture> f(std::in_place);
  const std::shared_ptr<NameServer> server = f->server;
  CHECK_FALSE(f->resolve("slow.example", 5));
  CHECK(f->resolver.lookups_under_way() == 1);
  f->released = true;  // the fixture leaves the name server mute
  f.reset();
  server->answers.set_value();
}

TEST_CASE("the system's resolver: a name has addresses, a wrong one a reason") {
  CHECK_FALSE(Resolver::look_up_in_system("localhost")->empty());
  const Result<Addresses> none = Resolver::look_up_in_system("no-such-host.invalid");
  REQUIRE_FALSE(none);
  CHECK(none.error().message.starts_with("cannot resolve host \"no-such-host.invalid\": "));
}

}  // namespace sluice
