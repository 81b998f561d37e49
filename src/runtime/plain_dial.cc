#include "runtime/plain_dial.h"

#include <algorithm>
#include <system_error>
#include <utility>

namespace sluice {

PlainDial::PlainDial(HttpCommon& common, const HttpTarget& target,
                     const Resolver::Addresses& addresses, AbortToken* abort)
    : common_(common), target_(target), addresses_(addresses), abort_(abort) {
  if (abort_ != nullptr) abort_->on_abort([this] { changed_.raise(); });
}

PlainDial::~PlainDial() {
  if (abort_ != nullptr) abort_->on_abort(nullptr);
}

Co<Result<std::unique_ptr<PlainConnection>>> PlainDial::run(int64_t deadline_ns) {
  size_t next = 0;
  int64_t next_at_ns = 0;
  while (made_ == nullptr) {
    const int64_t now_ns = common_.clock.now_ns();
    if (abort_ != nullptr && abort_->aborted()) break;
    const bool has_more = next < std::min(addresses_.size(), addresses_max);
    if (!has_more && attempts_.empty()) break;
    if (now_ns >= deadline_ns) {
      problem_.message = "no connection in time";
      break;
    }
    if (has_more && (attempts_.empty() || now_ns >= next_at_ns)) {
      next_at_ns = now_ns + head_start_ms * ns_per_ms;
      begin(addresses_[next++]);
      continue;
    }
    const int64_t until_ns = has_more ? std::min(next_at_ns, deadline_ns) : deadline_ns;
    co_await changed_.wait_until(common_.clock, until_ns);
  }
  if (made_ == nullptr) co_return tl::unexpected(std::move(problem_));
  co_return std::move(made_);
}

void PlainDial::begin(const std::string& address) {
  auto opened = PlainConnection::open(common_.loop, common_.share, target_, address);
  if (!opened) {
    problem_ = std::move(opened.error());
    return;
  }
  (*opened)->hold(this);
  attempts_.push_back(std::move(*opened));
}

void PlainDial::on_ready(PlainConnection& connection, bool, bool) {
  const auto found = std::find_if(attempts_.begin(), attempts_.end(),
                                  [&](const auto& each) { return each.get() == &connection; });
  std::unique_ptr<PlainConnection> attempt = std::move(*found);
  attempts_.erase(found);
  attempt->hold(nullptr);
  const int error = attempt->problem();
  if (error != 0) {
    problem_ = {Error::Action::retry_later, {}, std::generic_category().message(error)};
  } else if (made_ == nullptr) {
    made_ = std::move(attempt);
  }
  changed_.raise();
}

}  // namespace sluice
