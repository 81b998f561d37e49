#include "runtime/plain_http_client.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "runtime/plain_dial.h"
#include "runtime/plain_transfer.h"

namespace sluice {
namespace {

using Kind = HttpFailure::Kind;

// With these a request is a special one: they replace what is sent anyway, or change the framing.
constexpr std::array<std::string_view, 9> special_headers = {
    "accept", "connection", "content-length",    "expect",  "host",
    "te",     "trailer",    "transfer-encoding", "upgrade",
};

// curl reads a line without a value as an order.
bool is_special(std::string_view line) {
  const size_t colon = line.find(':');
  if (colon == std::string_view::npos || line.find_first_not_of(" \t", colon + 1) == line.npos) {
    return true;
  }
  const std::string_view name = line.substr(0, colon);
  return std::any_of(special_headers.begin(), special_headers.end(),
                     [name](auto special) { return is_in_any_case(name, special); });
}

}  // namespace

// One request.
class PlainHttpClient::UnderWay final {
 public:
  explicit UnderWay(PlainHttpClient& client) : client_(client) {
    client_.most_under_way_ = std::max(client_.most_under_way_, ++client_.under_way_);
  }
  UnderWay(const UnderWay&) = delete;
  UnderWay& operator=(const UnderWay&) = delete;
  ~UnderWay() { --client_.under_way_; }

 private:
  PlainHttpClient& client_;
};

PlainHttpClient::~PlainHttpClient() {
  common_.clock.cancel(look_timer_);
}

bool PlainHttpClient::takes(const HttpRequest& request) {
  return !common_.targets.of(request.url)->plain_head.empty() &&
         std::none_of(request.headers.begin(), request.headers.end(), is_special);
}

Co<HttpResult> PlainHttpClient::send(HttpRequest request, AbortToken* abort) {
  const int64_t begun_ns = common_.clock.now_ns();
  if (breaks_lines(request))
    co_return http_failure(Kind::not_sent, "a line break or NUL in the URL or a header");
  const std::shared_ptr<const HttpTarget> target = common_.targets.of(request.url);
  if (target->plain_head.empty()) co_return http_failure(Kind::not_sent, "not a URL of plain HTTP");
  const UnderWay under_way(*this);
  const int64_t by_ns = begun_ns + request.timeout_ms * ns_per_ms;
  PlainTransfer transfer(common_, request, *target, abort, buffer_);
  auto connection = take_idle(target->origin);
  for (bool is_fresh = false; !is_fresh;) {
    Error problem;
    if (connection == nullptr) {
      is_fresh = true;
      const int64_t connect_by_ns = common_.connect_by_ns(request, begun_ns);
      auto connected = co_await connect(target, connect_by_ns, abort);
      if (connected) {
        connection = std::move(*connected);
      } else {
        problem = std::move(connected.error());
      }
    }
    if (auto late = common_.too_late(request, abort)) co_return tl::unexpected(std::move(*late));
    if (connection == nullptr) co_return http_failure(Kind::not_sent, std::move(problem.message));
    transfer.start(std::move(connection));
    if (!co_await transfer.ended(by_ns)) transfer.time_out();
    if (!transfer.is_unsent()) break;
  }
  keep(target->origin, transfer.take_connection());
  co_return transfer.take_result();
}

Co<Result<std::unique_ptr<PlainConnection>>> PlainHttpClient::connect(
    std::shared_ptr<const HttpTarget> target, int64_t by_ns, AbortToken* abort) {
  Result<Resolver::Addresses> addresses =
      Resolver::Addresses{std::string(trim(target->host, "[]"))};
  if (target->is_named) addresses = co_await common_.look_up(target->host, by_ns, abort);
  if (!addresses) co_return tl::unexpected(std::move(addresses.error()));
  common_.make_room();
  PlainDial dial(common_, *target, *addresses, abort);
  auto made = co_await dial.run(by_ns);
  if (!made)
    made.error().message = "cannot connect to " + target->origin + ": " + made.error().message;
  co_return made;
}

bool PlainHttpClient::close_an_idle_one() {
  Pool* longest = nullptr;
  for (auto& [origin, pool] : pools_) {
    if (pool.is_empty()) continue;
    if (longest == nullptr || pool.first_idle_since_ns() < longest->first_idle_since_ns()) {
      longest = &pool;
    }
  }
  if (longest == nullptr) return false;
  longest->close_first();
  return true;
}

// The last one first: after a peak the others are closed. Each is asked, for its end may have come
// in this turn of the loop, and what is written to it could not be told from what is billed.
std::unique_ptr<PlainConnection> PlainHttpClient::take_idle(const std::string& origin) {
  const auto pool = pools_.find(origin);
  if (pool == pools_.end()) return nullptr;
  const int64_t idle_since_ns = common_.clock.now_ns() - common_.limits.idle_ms * ns_per_ms;
  while (auto last = pool->second.pop_last()) {
    if (last->idle_since_ns > idle_since_ns && !last->is_spoiled()) return last;
  }
  return nullptr;
}

void PlainHttpClient::keep(const std::string& origin, std::unique_ptr<PlainConnection> connection) {
  if (connection == nullptr || idle_ >= most_under_way_) return;
  connection->idle_since_ns = common_.clock.now_ns();
  pools_.try_emplace(origin, idle_).first->second.push(std::move(connection));
  look_later();
}

void PlainHttpClient::Pool::push(std::unique_ptr<PlainConnection> connection) {
  connection->hold(this);
  connection->want(true, false);  // after a pause it was not
  connections_.push_back(std::move(connection));
  ++idle_;
}

std::unique_ptr<PlainConnection> PlainHttpClient::Pool::pop_last() {
  if (connections_.empty()) return nullptr;
  std::unique_ptr<PlainConnection> last = std::move(connections_.back());
  connections_.pop_back();
  --idle_;
  last->hold(nullptr);
  return last;
}

void PlainHttpClient::Pool::close_idle_since(int64_t since_ns) {
  while (!connections_.empty() && first_idle_since_ns() <= since_ns) close_first();
}

void PlainHttpClient::Pool::close_first() {
  connections_.pop_front();
  --idle_;
}

// Its end, or something that nobody asked for.
void PlainHttpClient::Pool::on_ready(PlainConnection& connection, bool, bool) {
  idle_ -= std::erase_if(connections_, [&](const auto& each) { return each.get() == &connection; });
}

void PlainHttpClient::look_later() {
  if (look_timer_ != 0) return;
  look_timer_ = common_.clock.call_at(
      common_.clock.now_ns() + common_.limits.look_interval_ms * ns_per_ms, [this] { look(); });
}

void PlainHttpClient::look() {
  look_timer_ = 0;
  const int64_t idle_since_ns = common_.clock.now_ns() - common_.limits.idle_ms * ns_per_ms;
  for (auto& [origin, pool] : pools_) pool.close_idle_since(idle_since_ns);
  std::erase_if(pools_, [](const auto& each) { return each.second.is_empty(); });
  if (!pools_.empty()) look_later();
}

}  // namespace sluice
