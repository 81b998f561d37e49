#include "runtime/resolver.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include "runtime/signal.h"

namespace sluice {
namespace {

tl::unexpected<Error> unresolved(const std::string& host, const std::string& reason) {
  return tl::unexpected(
      Error{Error::Action::retry_later, {}, "cannot resolve host \"" + host + "\": " + reason});
}

// A new thread inherits the mask: signals of the process are for the thread of the loop.
class SignalsBlocked final {
 public:
  SignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_{};
};

}  // namespace

// Where the threads leave their answers. Lives until the last of them has ended.
struct Resolver::Mailbox {
  struct Answer {
    std::string host;
    Result<Addresses> addresses;
  };

  Mailbox() : event_fd(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {
    if (event_fd < 0) throw std::system_error(errno, std::generic_category(), "eventfd");
  }
  Mailbox(const Mailbox&) = delete;
  Mailbox& operator=(const Mailbox&) = delete;
  ~Mailbox() { close(event_fd); }

  void put(Answer answer) {
    const std::lock_guard lock(mutex);
    answers.push_back(std::move(answer));
    eventfd_write(event_fd, 1);
  }
  std::vector<Answer> take() {
    const std::lock_guard lock(mutex);
    eventfd_t ignored = 0;
    eventfd_read(event_fd, &ignored);
    return std::exchange(answers, {});
  }

  const int event_fd;
  std::mutex mutex;
  std::vector<Answer> answers;  // at most lookups_max
};

// One who waits for a host: in its list until the answer has come or the waiter goes.
class Resolver::Waiter final {
 public:
  explicit Waiter(Host& host)
      : host_(host), place_(host.waiters.insert(host.waiters.end(), this)) {}
  Waiter(const Waiter&) = delete;
  Waiter& operator=(const Waiter&) = delete;
  ~Waiter() {
    if (!answer) host_.waiters.erase(place_);
  }

  std::optional<Result<Addresses>> answer;
  Signal arrived;

 private:
  Host& host_;  // stays as long as somebody waits
  std::list<Waiter*>::iterator place_;
};

Result<Resolver::Addresses> Resolver::look_up_in_system(const std::string& host) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* list = nullptr;
  const int failed = getaddrinfo(host.c_str(), nullptr, &hints, &list);
  if (failed != 0) {
    return unresolved(
        host, failed == EAI_SYSTEM ? std::generic_category().message(errno) : gai_strerror(failed));
  }
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> owner(list, &freeaddrinfo);
  Addresses addresses;
  for (const addrinfo* each = list; each != nullptr; each = each->ai_next) {
    std::array<char, NI_MAXHOST> text{};
    if (getnameinfo(each->ai_addr, each->ai_addrlen, text.data(), text.size(), nullptr, 0,
                    NI_NUMERICHOST) == 0) {
      addresses.emplace_back(text.data());
    }
  }
  if (addresses.empty()) return unresolved(host, "it has no address");
  return addresses;
}

Resolver::Resolver(Loop& loop, Clock& clock, LookUp look_up)
    : clock_(clock), look_up_(std::move(look_up)), mailbox_(std::make_shared<Mailbox>()) {
  watch_.emplace(loop, mailbox_->event_fd, [this](bool, bool) { take_answers(); });
  watch_->want(true, false);
}

Resolver::~Resolver() = default;

bool Resolver::is_address(const std::string& host) {
  in_addr v4{};
  in6_addr v6{};
  const std::string without_zone = host.substr(0, host.find('%'));
  return inet_pton(AF_INET, host.c_str(), &v4) == 1 ||
         inet_pton(AF_INET6, without_zone.c_str(), &v6) == 1;
}

const Result<Resolver::Addresses>* Resolver::known(const std::string& host) const {
  const auto found = hosts_.find(host);
  if (found == hosts_.end() || !found->second.answer) return nullptr;
  return found->second.fresh_until_ns > clock_.now_ns() ? &*found->second.answer : nullptr;
}

Co<Result<Resolver::Addresses>> Resolver::resolve(std::string host, int64_t deadline_ns) {
  if (is_address(host)) co_return Addresses{std::move(host)};
  Host& asked = ask(host);
  if (asked.answer) co_return *asked.answer;
  Waiter waiter(asked);
  start_lookups();
  co_await waiter.arrived.wait_until(clock_, deadline_ns);
  if (!waiter.answer) co_return unresolved(host, "no answer from the name server in time");
  co_return std::move(*waiter.answer);
}

Resolver::Host& Resolver::ask(const std::string& host) {
  std::erase_if(hosts_, [now_ns = clock_.now_ns()](const auto& each) {
    return each.second.answer && each.second.fresh_until_ns <= now_ns;
  });
  const auto [found, is_new] = hosts_.try_emplace(host);
  if (is_new) queue_.push_back(host);
  return found->second;
}

void Resolver::start_lookups() {
  while (under_way_ < lookups_max && !queue_.empty()) {
    const std::string host = std::move(queue_.front());
    queue_.pop_front();
    if (hosts_.at(host).waiters.empty()) {
      hosts_.erase(host);  // all of them went while it waited for its turn
    } else {
      start_lookup(host);
    }
  }
}

void Resolver::start_lookup(const std::string& host) {
  const SignalsBlocked for_the_thread;
  ++under_way_;
  try {
    std::thread([mailbox = mailbox_, look_up = look_up_, host] {
      mailbox->put({host, look_up(host)});
    }).detach();
  } catch (const std::system_error& error) {  // no thread to be had
    mailbox_->put({host, unresolved(host, error.what())});
  }
}

void Resolver::take_answers() {
  for (Mailbox::Answer& answer : mailbox_->take()) {
    --under_way_;
    finish(answer.host, std::move(answer.addresses));
  }
  start_lookups();
}

void Resolver::finish(const std::string& host, Result<Addresses> answer) {
  Host& asked = hosts_.at(host);
  asked.fresh_until_ns = clock_.now_ns() + (answer ? keep_ms : keep_error_ms) * ns_per_ms;
  for (Waiter* waiter : std::exchange(asked.waiters, {})) {
    waiter->answer = answer;
    waiter->arrived.raise();
  }
  asked.answer = std::move(answer);
}

}  // namespace sluice
