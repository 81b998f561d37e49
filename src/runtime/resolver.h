// Resolver turns host names into addresses off the event loop. The system's resolver blocks as long
// as the name servers do not answer (5 s each, some 40 s with several), and can be neither hurried
// nor aborted. So each look-up has a thread of its own, and all that want the same host wait for
// the same look-up. It connects to nothing and knows no port.
//
// Thread rule: loop thread only; only `look_up` is called on other threads. The loop and the clock
// outlive it, and it outlives its waiters. Look-ups for which nobody waits end by themselves: they
// delay neither the destructor nor the end of the process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "result.h"
#include "runtime/clock.h"
#include "runtime/co.h"
#include "runtime/fd_watch.h"
#include "runtime/loop.h"

namespace sluice {

class Resolver final {
 public:
  // Numeric, without brackets, in the order in which to try them; never empty.
  using Addresses = std::vector<std::string>;
  // Blocks; called on a thread of its own.
  using LookUp = std::function<Result<Addresses>(const std::string& host)>;

  // Threads that look something up. More hosts at once wait their turn; that many mute name servers
  // at a time are no installation's.
  static constexpr size_t lookups_max = 32;
  // How long an answer serves those who ask later. Short: a database's name may move to another
  // address, and one question in that time costs nothing.
  static constexpr int64_t keep_ms = 5'000;
  // And an error, so that a thousand calls to a wrong name are not a thousand questions.
  static constexpr int64_t keep_error_ms = 1'000;

  // getaddrinfo().
  static Result<Addresses> look_up_in_system(const std::string& host);

  // Throws std::system_error when the system gives no descriptor.
  Resolver(Loop& loop, Clock& clock, LookUp look_up = &look_up_in_system);
  ~Resolver();
  Resolver(const Resolver&) = delete;
  Resolver& operator=(const Resolver&) = delete;

  // An address (without brackets) is its own answer, at once. Errors: retry_later, when there is no
  // such host, no name server answers, or `deadline_ns` by the clock comes first; the look-up then
  // goes on for whoever asks next. The Co may be dropped at any time.
  Co<Result<Addresses>> resolve(std::string host, int64_t deadline_ns);

  // The answer for those who need not wait, while it is fresh; null: there is none yet.
  const Result<Addresses>* known(const std::string& host) const;

  // Of IPv4, or of IPv6 without brackets.
  static bool is_address(const std::string& host);

  size_t lookups_under_way() const { return under_way_; }

 private:
  class Waiter;
  struct Mailbox;
  struct Host {
    std::list<Waiter*> waiters;
    std::optional<Result<Addresses>> answer;  // none: its look-up is queued or under way
    int64_t fresh_until_ns = 0;               // of the answer
  };

  Host& ask(const std::string& host);
  void start_lookups();
  void start_lookup(const std::string& host);
  void take_answers();
  void finish(const std::string& host, Result<Addresses> answer);

  Clock& clock_;
  LookUp look_up_;
  std::unordered_map<std::string, Host> hosts_;  // asked for lately, or waited for
  std::list<std::string> queue_;                 // that wait for a thread
  size_t under_way_ = 0;
  std::shared_ptr<Mailbox> mailbox_;  // shared with the threads
  std::optional<FdWatch> watch_;      // of its descriptor: goes first
};

}  // namespace sluice
