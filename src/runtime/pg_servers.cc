#include "runtime/pg_servers.h"

#include <libpq-fe.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <memory>
#include <random>
#include <string_view>
#include <utility>

namespace sluice {
namespace {

constexpr int64_t connect_timeout_default_ms = 10'000;
// Six times the longest lock_timeout of our functions.
constexpr int64_t patience_default_ms = 60'000;
constexpr int64_t patience_max_ms = 86'400'000;  // a slip of the pen
// No client waits longer for the head of an answer.
constexpr int64_t slow_patience_times = 5;
constexpr int64_t patience_times_max = 8;

using Options = std::unique_ptr<PQconninfoOption, decltype(&PQconninfoFree)>;

// All that libpq would use: from the conninfo, from a service file and from the environment. It
// tells its options only for a PGconn; the impossible sslmode keeps this one from connecting.
Options options_of(const std::string& conninfo) {
  const std::array keys{"dbname", "sslmode", static_cast<const char*>(nullptr)};
  const std::array values{conninfo.c_str(), "none at all", static_cast<const char*>(nullptr)};
  const std::unique_ptr<PGconn, decltype(&PQfinish)> never_begun(
      PQconnectStartParams(keys.data(), values.data(), /*expand_dbname=*/1), &PQfinish);
  return {PQconninfo(never_begun.get()), &PQconninfoFree};
}

std::string value_of(const Options& options, std::string_view keyword) {
  for (const auto* option = options.get(); option->keyword != nullptr; ++option) {
    if (keyword == option->keyword && option->val != nullptr) return option->val;
  }
  return {};
}

// "a,,b" has three items, "a," two; "" has none.
std::vector<std::string> items_of(const std::string& list) {
  std::vector<std::string> items;
  for (size_t begin = 0; !list.empty() && begin <= list.size();) {
    const size_t end = std::min(list.find(',', begin), list.size());
    items.push_back(list.substr(begin, end - begin));
    begin = end + 1;
  }
  return items;
}

// libpq's default for an empty item. It tells its defaults without a connection, too.
std::string default_socket_directory() {
  const std::array keys{"host", "sslmode", static_cast<const char*>(nullptr)};
  const std::array values{",", "none at all", static_cast<const char*>(nullptr)};
  const std::unique_ptr<PGconn, decltype(&PQfinish)> never_begun(
      PQconnectStartParams(keys.data(), values.data(), /*expand_dbname=*/0), &PQfinish);
  return PQhost(never_begun.get());
}

// None: there is no list, or libpq would not take it; it says why.
std::vector<PgServer> listed_servers(const Options& options) {
  const std::vector<std::string> hosts = items_of(value_of(options, "host"));
  const std::vector<std::string> addresses = items_of(value_of(options, "hostaddr"));
  const std::vector<std::string> ports = items_of(value_of(options, "port"));
  const size_t count = addresses.empty() ? hosts.size() : addresses.size();
  const auto fits = [count](const std::vector<std::string>& list) {
    return list.size() <= 1 || list.size() == count;
  };
  if ((!hosts.empty() && hosts.size() != count) || !fits(ports)) return {};
  std::vector<PgServer> servers;
  for (size_t i = 0; i < count; ++i) {
    PgServer& server = servers.emplace_back();
    if (!hosts.empty()) server.host = hosts[i];
    if (!addresses.empty()) server.hostaddr = addresses[i];
    if (!ports.empty()) server.port = ports[ports.size() == 1 ? 0 : i];
    if (server.host.empty() && server.hostaddr.empty()) server.host = default_socket_directory();
  }
  return servers;
}

// SLUICE_DATABASE_SILENCE_MS, where it is a number.
int64_t patience_ms_of_environment() {
  const char* text = std::getenv("SLUICE_DATABASE_SILENCE_MS");
  const int64_t patience_ms = text == nullptr ? 0 : std::strtoll(text, nullptr, 10);
  return patience_ms > 0 ? std::min(patience_ms, patience_max_ms) : patience_default_ms;
}

int64_t connect_timeout_ms_of(const Options& options) {
  const std::string text = value_of(options, "connect_timeout");
  int64_t timeout_s = 0;
  std::from_chars(text.data(), text.data() + text.size(), timeout_s);
  return timeout_s > 0 && timeout_s < 1'000'000 ? timeout_s * 1000 : connect_timeout_default_ms;
}

}  // namespace

bool PgServer::has_name() const {
  return hostaddr.empty() && !host.empty() && host[0] != '/' && host[0] != '@';
}

PgServers::PgServers(Clock& clock, Resolver& resolver, std::string conninfo, std::string what)
    : clock_(clock),
      resolver_(resolver),
      conninfo_(std::move(conninfo)),
      what_(std::move(what)),
      patience_ms_(patience_ms_of_environment()),
      outage_(clock, what_) {
  const Options options = options_of(conninfo_);
  if (options == nullptr) throw std::bad_alloc();
  servers_ = listed_servers(options);
  if (servers_.empty()) servers_.emplace_back();
  connect_timeout_ms_ = connect_timeout_ms_of(options);
  if (value_of(options, "load_balance_hosts") == "random") {  // of libpq 16 and later
    std::shuffle(servers_.begin(), servers_.end(), std::minstd_rand(std::random_device{}()));
  }
}

std::vector<PgServer> PgServers::in_order() const {
  std::vector<PgServer> servers = servers_;
  std::rotate(servers.begin(), servers.begin() + static_cast<std::ptrdiff_t>(first_),
              servers.end());
  return servers;
}

void PgServers::note_connected(const PgServer& server, const void* session, EndIfIdle end_if_idle) {
  first_ =
      static_cast<size_t>(std::find(servers_.begin(), servers_.end(), server) - servers_.begin());
  open_.insert_or_assign(session, std::move(end_if_idle));
  outage_.note_there();
}

// Others may have moved on already.
void PgServers::note_failed(const PgServer& server) {
  if (servers_[first_] == server) first_ = (first_ + 1) % servers_.size();
}

void PgServers::note_away(std::string_view reason) {
  if (open_.empty()) outage_.note_away(reason);
}

int64_t PgServers::patience_ms(bool slow) const {
  if (slow) return slow_patience_times * patience_ms_;
  return was_silent_lately() ? patience_times_ * patience_ms_ : patience_ms_;
}

// For twice the time that a session made since then would have had.
bool PgServers::was_silent_lately() const {
  const int64_t lately_ns = 2 * patience_times_ * patience_ms_ * ns_per_ms;
  return silent_at_ns_ != 0 && clock_.now_ns() - silent_at_ns_ < lately_ns;
}

void PgServers::note_silent(int64_t opened_ns, int64_t since_ns) {
  const int64_t now_ns = clock_.now_ns();
  const bool is_again = was_silent_lately();
  if (!is_again || opened_ns >= silent_at_ns_) {  // not one more of those that went dumb together
    patience_times_ = is_again ? std::min(2 * patience_times_, patience_times_max) : 1;
    silent_at_ns_ = now_ns;
    spdlog::warn("no answer from {} for {:.1f} s on a session that seems open: making a new one",
                 what_, static_cast<double>(now_ns - since_ns) / static_cast<double>(ns_per_s));
  }
  const std::map<const void*, EndIfIdle> others = open_;
  for (const auto& [session, end_if_idle] : others) end_if_idle(since_ns);
}

}  // namespace sluice
