#include "runtime/pg_servers.h"

#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "support/manual_clock.h"

namespace sluice {
namespace {

// An environment variable for as long as it lives.
class Setting {
 public:
  Setting(const char* name, const std::string& value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    setenv(name, value.c_str(), 1);
  }
  ~Setting() { before_ ? setenv(name_, before_->c_str(), 1) : unsetenv(name_); }
  Setting(const Setting&) = delete;
  Setting& operator=(const Setting&) = delete;

 private:
  const char* name_;
  std::optional<std::string> before_;
};

struct Fixture {
  Loop loop;
  ManualClock clock;
  Resolver resolver{loop, clock};
  PgServers servers;

  explicit Fixture(const std::string& conninfo) : servers(clock, resolver, conninfo) {}
  // "host hostaddr port" of each.
  std::vector<std::string> listed() const {
    std::vector<std::string> list;
    for (const PgServer& each : servers.in_order()) {
      list.push_back(each.host + ' ' + each.hostaddr + ' ' + each.port);
    }
    return list;
  }
};

using List = std::vector<std::string>;

}  // namespace

TEST_CASE("a URL, pairs and the environment name servers, as libpq reads them") {
  const Setting user("PGUSER", "me");
  const Setting none("PGHOST", "");
  CHECK(Fixture("postgresql://one:1,two:2/db").listed() == List{"one  1", "two  2"});
  CHECK(Fixture("postgresql://one,two/db?port=7").listed() == List{"one  7", "two  7"});
  CHECK(Fixture("host=one,two hostaddr=192.0.2.1,192.0.2.2 port=1,2").listed() ==
        List{"one 192.0.2.1 1", "two 192.0.2.2 2"});
  CHECK(Fixture("hostaddr=192.0.2.1 port=1").listed() == List{" 192.0.2.1 1"});
  CHECK(Fixture("host=one,/run/pg port=1,2").listed() == List{"one  1", "/run/pg  2"});
  const Setting hosts("PGHOST", "three,four");
  const Setting port("PGPORT", "9");
  CHECK(Fixture("").listed() == List{"three  9", "four  9"});
  CHECK(Fixture("host=one").listed() == List{"one  9"});
}

TEST_CASE("a service file names servers, too") {
  const std::filesystem::path file =
      std::filesystem::temp_directory_path() / ("services-" + std::to_string(getpid()));
  std::ofstream(file) << "[queue]\nhost=one,two\nport=1,2\nconnect_timeout=3\n";
  const Setting services("PGSERVICEFILE", file);
  const Fixture f("service=queue");
  CHECK(f.listed() == List{"one  1", "two  2"});
  CHECK(f.servers.connect_timeout_ms() == 3'000);
  std::filesystem::remove(file);
}

TEST_CASE("what libpq would not take, or knows alone, is left to it") {
  const Setting host("PGHOST", "");
  CHECK(Fixture("host=one,two port=1,2,3").listed() == List{"  "});
  CHECK(Fixture("dbname=db port=").listed().size() == 1);
  const List with_default = Fixture("host=one,,two port=1").listed();
  REQUIRE(with_default.size() == 3);
  CHECK(with_default[1].starts_with('/'));  // its directory of sockets
}

TEST_CASE("patience doubles while one session after the other falls silent, and is as ever later") {
  Fixture f("postgresql://one/db");
  const auto fall_silent = [&f] {
    const int64_t opened_ns = f.clock.now_ns();
    f.clock.advance(f.servers.patience_ms(false) * ns_per_ms);
    f.servers.note_silent(opened_ns, opened_ns);
    return f.servers.patience_ms(false) / 1000;
  };
  const int64_t slow_ms = f.servers.patience_ms(true);
  CHECK(slow_ms == 300'000);
  CHECK(f.servers.patience_ms(false) == 60'000);
  const int64_t before_ns = f.clock.now_ns();
  CHECK(fall_silent() == 60);
  f.servers.note_silent(before_ns, before_ns);  // went dumb with the first
  CHECK(f.servers.patience_ms(false) == 60'000);
  CHECK(fall_silent() == 120);
  CHECK(fall_silent() == 240);
  CHECK(fall_silent() == 480);
  CHECK(fall_silent() == 480);
  CHECK(f.servers.patience_ms(true) == slow_ms);
  f.clock.advance(960 * ns_per_s);
  CHECK(f.servers.patience_ms(false) == 60'000);
  CHECK(fall_silent() == 60);
}

TEST_CASE("the next session begins with the server that worked, or past the one that failed") {
  Fixture f("postgresql://one,two,three/db?port=1");
  const std::vector<PgServer> all = f.servers.in_order();
  f.servers.note_failed(all[0]);
  f.servers.note_failed(all[0]);  // another session's attempt
  CHECK(f.listed() == List{"two  1", "three  1", "one  1"});
  f.servers.note_connected(all[2], nullptr, [](int64_t) {});
  CHECK(f.listed() == List{"three  1", "one  1", "two  1"});
  f.servers.note_failed(all[2]);
  CHECK(f.listed() == List{"one  1", "two  1", "three  1"});
}

TEST_CASE("an attempt has the conninfo's time, and a bound if that has none") {
  CHECK(Fixture("host=one connect_timeout=3").servers.connect_timeout_ms() == 3'000);
  CHECK(Fixture("host=one connect_timeout=0").servers.connect_timeout_ms() == 10'000);
  CHECK(Fixture("host=one").servers.connect_timeout_ms() == 10'000);
}

TEST_CASE("names are looked up; addresses, sockets and given addresses are not") {
  CHECK(PgServer{"db.example", "", ""}.has_name());
  CHECK_FALSE(PgServer{"db.example", "192.0.2.1", ""}.has_name());
  CHECK_FALSE(PgServer{"/run/pg", "", ""}.has_name());
  CHECK_FALSE(PgServer{"@abstract", "", ""}.has_name());
  CHECK_FALSE(PgServer{}.has_name());
}

}  // namespace sluice
