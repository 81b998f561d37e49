#include "runtime/pg_servers.h"

#include <libpq-fe.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <memory>
#include <random>
#include <string_view>
#include <utility>

namespace sluice {
namespace {

constexpr int64_t connect_timeout_default_ms = 10'000;

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
    : resolver_(resolver), conninfo_(std::move(conninfo)), outage_(clock, std::move(what)) {
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

void PgServers::note_connected(const PgServer& server) {
  first_ =
      static_cast<size_t>(std::find(servers_.begin(), servers_.end(), server) - servers_.begin());
  ++open_sessions_;
  outage_.note_there();
}

// Others may have moved on already.
void PgServers::note_failed(const PgServer& server) {
  if (servers_[first_] == server) first_ = (first_ + 1) % servers_.size();
}

void PgServers::note_away(std::string_view reason) {
  if (open_sessions_ == 0) outage_.note_away(reason);
}

}  // namespace sluice
