#include "runtime/pg_connection.h"

#include <doctest/doctest.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "file_descriptor.h"
#include "runtime/fd_watch.h"
#include "runtime/pg_array.h"
#include "support/log_lines.h"
#include "support/raw_server.h"
#include "support/run_co.h"

// Those that need a server say nothing unless SLUICE_TEST_DATABASE_URL names one.
namespace sluice {
namespace {

const char* database_url() {
  return std::getenv("SLUICE_TEST_DATABASE_URL");
}

struct Fixture {
  Loop loop;
  SystemClock clock{loop};
  Resolver resolver{loop, clock};
  PgServers servers{clock, resolver, database_url()};
  PgConnection connection{loop, clock, servers};

  Fixture() {
    const Result<void> connected = run_co(loop, clock, connection.connect());
    REQUIRE_MESSAGE(connected, (connected ? "" : connected.error().message));
  }
  Result<PgResult> query(std::string sql, PgParams params = {}) {
    return wait(connection.query(std::move(sql), std::move(params)));
  }
  Result<PgResult> wait(Co<Result<PgResult>> reply) {
    return run_co(loop, clock, std::move(reply));
  }
  Result<void> prepare(std::string sql) {
    return run_co(loop, clock, connection.prepare(std::move(sql)));
  }
  // Of the Unix socket to the server: what it takes at once; 0: there is none.
  static int send_buffer_bytes() {
    for (int fd = 3; fd < 1024; ++fd) {
      sockaddr_un peer{};
      socklen_t size = sizeof peer;
      if (getpeername(fd, reinterpret_cast<sockaddr*>(&peer), &size) != 0) continue;
      if (std::string(peer.sun_path).find("/.s.PGSQL.") != std::string::npos) return bytes_of(fd);
    }
    return 0;
  }
  static int bytes_of(int fd) {
    int bytes = 0;
    socklen_t size = sizeof bytes;
    getsockopt(fd, SOL_SOCKET, SO_SNDBUF, &bytes, &size);
    return bytes;
  }
  std::string backend_pid() { return std::string(query("select pg_backend_pid()")->text(0, 0)); }
};

}  // namespace

TEST_CASE("an SQLSTATE says what to do next") {
  using enum Error::Action;
  for (const char* code : {"40001", "40P01", "55P03", "57014", "25006", "53300", "53200"}) {
    CHECK(classify_sqlstate(code) == retry_later);
  }
  for (const char* code : {"57P01", "57P02", "57P03", "08006"}) {
    CHECK(classify_sqlstate(code) == reconnect);
  }
  for (const char* code : {"SL001", "22021", "22P05", "23505"}) {
    CHECK(classify_sqlstate(code) == refuse);
  }
  for (const char* code : {"42601", "42P01", "XX000", "", "57000"}) {
    CHECK(classify_sqlstate(code) == bug);
  }
}

namespace {

// A connection to whatever a conninfo names.
struct Attempt {
  Attempt(Loop& loop_, Clock& clock_, const std::string& conninfo)
      : loop(loop_),
        clock(clock_),
        resolver(loop, clock, &looked_up),
        servers(clock, resolver, conninfo) {}
  static Result<Resolver::Addresses> looked_up(const std::string& host) {
    if (host == "slow.example") std::this_thread::sleep_for(std::chrono::seconds(2));
    return Resolver::Addresses{"127.0.0.1"};
  }
  Result<void> connect() { return run_co(loop, clock, connection.connect()); }

  Loop& loop;
  Clock& clock;
  Resolver resolver;
  PgServers servers;
  PgConnection connection{loop, clock, servers};
};

std::string port_of(const RawServer& server) {
  const std::string url = server.url();
  return url.substr(url.rfind(':') + 1, url.size() - url.rfind(':') - 2);
}

std::optional<RawServer::Answer> say_nothing(const std::string&) {
  return std::nullopt;
}

std::optional<RawServer::Answer> hang_up(const std::string&) {
  return RawServer::Answer{"", true};
}

}  // namespace

TEST_CASE("connecting to nobody is an error of the kind reconnect") {
  Loop loop;
  SystemClock clock(loop);
  Attempt attempt(loop, clock, "postgresql://127.0.0.1:1/none?password=hidden");
  const Result<void> connected = attempt.connect();
  REQUIRE_FALSE(connected);
  CHECK(connected.error().action == Error::Action::reconnect);
  CHECK(connected.error().message.find("hidden") == std::string::npos);
  CHECK_FALSE(attempt.connection.is_open());
}

TEST_CASE("connecting to a server that never answers ends in its time, or when closed") {
  Loop loop;
  SystemClock clock(loop);
  const RawServer silent(loop, &say_nothing);
  std::string host, reason;
  bool close = false;
  SUBCASE("time-out") {
    host = "127.0.0.1";
    reason = "no answer in time from 127.0.0.1";
  }
  SUBCASE("time-out of the name server") {
    host = "slow.example";
    reason = "cannot resolve host \"slow.example\": no answer from the name server in time";
  }
  SUBCASE("closed") {
    host = "127.0.0.1";
    close = true;
  }
  SUBCASE("closed while the name server is asked") {
    host = "slow.example";
    close = true;
  }
  if (close) reason = "closed while connecting";
  Attempt attempt(loop, clock,
                  "host=" + host + " port=" + port_of(silent) +
                      " sslmode=disable gssencmode=disable connect_timeout=1");
  if (close) clock.call_at(clock.now_ns() + 20 * ns_per_ms, [&] { attempt.connection.close(); });
  const int64_t begun_ns = clock.now_ns();
  const Result<void> connected = attempt.connect();
  const int64_t took_ms = (clock.now_ns() - begun_ns) / ns_per_ms;
  REQUIRE_FALSE(connected);
  CHECK(connected.error().action == Error::Action::reconnect);
  CHECK(connected.error().message == reason);
  CHECK(took_ms >= (close ? 19 : 999));
}

TEST_CASE("a socket that cannot be watched is one more failure to connect") {
  Loop loop;
  SystemClock clock(loop);
  const RawServer silent(loop, &say_nothing);
  Attempt attempt(loop, clock,
                  "host=127.0.0.1 port=" + port_of(silent) +
                      " sslmode=disable gssencmode=disable connect_timeout=2");
  // Of closed descriptors, so that the connection's has the number of one.
  std::vector<FdWatch> watches;
  {
    std::vector<FileDescriptor> closed;
    for (int i = 0; i < 10; ++i) {
      closed.emplace_back(eventfd(0, EFD_CLOEXEC));
      watches.emplace_back(loop, closed.back().get(), [](bool, bool) {}).want(true, false);
    }
    run_co(loop, clock, sleep_until(clock, clock.now_ns() + ns_per_ms));
  }
  const Result<void> connected = attempt.connect();
  REQUIRE_FALSE(connected);
  CHECK(connected.error().message == cannot_watch_text);
}

TEST_CASE("servers are tried one by one, each with its time; the next begins where one is left") {
  Loop loop;
  SystemClock clock(loop);
  const RawServer mute(loop, &say_nothing);
  const RawServer gone(loop, &hang_up);
  Attempt attempt(loop, clock,
                  "host=127.0.0.1,db.example port=" + port_of(mute) + "," + port_of(gone) +
                      " sslmode=disable gssencmode=disable connect_timeout=1");
  const Result<void> connected = attempt.connect();
  REQUIRE_FALSE(connected);
  CHECK(mute.accepted() == 1);
  CHECK(gone.accepted() == 1);
  CHECK(connected.error().message.starts_with(
      "no answer in time from 127.0.0.1; db.example: connection to server at \"127.0.0.1\""));
}

TEST_SUITE("with a database" * doctest::skip(database_url() == nullptr)) {
  TEST_CASE("a query returns its rows, with nulls and types") {
    Fixture fixture;
    const auto result = fixture.query(
        "select $1::bigint + 1, $2::text, null::text, true, '' from generate_series(1, 2)",
        {"41", "grün"});
    REQUIRE(result);
    CHECK(result->rows() == 2);
    CHECK(result->columns() == 5);
    CHECK(result->int64(1, 0) == 42);
    CHECK(result->text(0, 1) == "grün");
    CHECK(result->is_null(0, 2));
    CHECK(result->boolean(0, 3));
    CHECK_FALSE(result->is_null(0, 4));
  }

  TEST_CASE("a null parameter is a null") {
    Fixture fixture;
    const auto result = fixture.query("select $1::text is null", {std::nullopt});
    REQUIRE(result);
    CHECK(result->boolean(0, 0));
  }

  TEST_CASE(
      "queries go out without waiting and come back in order; a failed one leaves the next alone") {
    Fixture fixture;
    REQUIRE(fixture.query("select 1"));  // what the session says first has been answered, too
    std::vector<Co<Result<PgResult>>> replies;
    for (int i = 0; i < 100; ++i) {
      replies.push_back(i % 10 == 7
                            ? fixture.connection.query("select 1 / 0", {})
                            : fixture.connection.query("select $1::int", {std::to_string(i)}));
    }
    CHECK(fixture.connection.queries_pending() == 100);
    for (int i = 0; i < 100; ++i) {
      const auto result = fixture.wait(std::move(replies[static_cast<size_t>(i)]));
      if (i % 10 == 7) {
        REQUIRE_FALSE(result);
        CHECK(result.error().code == "22012");
        CHECK(result.error().action == Error::Action::refuse);
      } else {
        REQUIRE(result);
        CHECK(result->int64(0, 0) == i);
      }
    }
  }

  TEST_CASE("each query is a transaction of its own") {
    Fixture fixture;
    REQUIRE(fixture.query("create temporary table t (n int)"));
    auto first = fixture.connection.query("insert into t values (1)", {});
    auto broken = fixture.connection.query("insert into t select 1 / 0", {});
    auto count = fixture.connection.query("select count(*) from t", {});
    CHECK(fixture.wait(std::move(first)));
    CHECK_FALSE(fixture.wait(std::move(broken)));
    CHECK(fixture.wait(std::move(count))->int64(0, 0) == 1);
  }

  TEST_CASE("rows that are sent at once count only when their commit has succeeded") {
    constexpr auto at_once = PgConnection::Rows::at_once;
    Fixture fixture;
    REQUIRE(fixture.query("create temporary table t (n int unique deferrable initially deferred)"));
    const std::string sql = "insert into t select 1 from generate_series(1, $1::int) returning n";
    auto once = fixture.connection.query(sql, {"1"}, at_once);
    auto twice = fixture.connection.query(sql, {"2"}, at_once);
    auto count = fixture.connection.query("select count(*) from t", {}, at_once);
    CHECK(fixture.wait(std::move(once))->rows() == 1);
    const auto refused = fixture.wait(std::move(twice));
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == "23505");
    CHECK(fixture.wait(std::move(count))->int64(0, 0) == 1);
  }

  TEST_CASE("a reply nobody waits for is dropped") {
    Fixture fixture;
    { const auto ignored = fixture.connection.query("select 1", {}); }
    CHECK(fixture.query("select 2")->int64(0, 0) == 2);
  }

  TEST_CASE("thirty thousand parameters and thirty-two megabytes go there and back") {
    Fixture fixture;
    std::string sql = "select count(*) from (values ($1::text)";
    PgParams params{"0"};
    for (int i = 2; i <= 30'000; ++i) {
      sql += ",($" + std::to_string(i) + ")";
      params.emplace_back(std::to_string(i));
    }
    CHECK(fixture.query(sql + ") v", std::move(params))->int64(0, 0) == 30'000);
    const std::string big(32 << 20, 'x');
    std::vector<Co<Result<PgResult>>> replies;
    for (int i = 0; i < 3; ++i)
      replies.push_back(fixture.connection.query("select $1::text", {big}));
    for (auto& reply : replies) {
      const auto result = fixture.wait(std::move(reply));
      REQUIRE(result);
      CHECK(result->text(0, 0) == big);
    }
  }

  TEST_CASE("a Unix socket takes more at once than is usual") {
    Fixture f;
    if (f.send_buffer_bytes() == 0) return;  // a server by TCP
    const FileDescriptor usual(socket(AF_UNIX, SOCK_STREAM, 0));
    const bool is_large = f.bytes_of(usual.get()) >= 4 << 20;
    CHECK((is_large || f.send_buffer_bytes() > f.bytes_of(usual.get())));
  }

  TEST_CASE("a prepared text runs by its name, any other as ever") {
    Fixture fixture;
    const std::string sql = "select $1::int + 1";
    REQUIRE(fixture.prepare(sql));
    CHECK(fixture.query(sql, {"1"})->int64(0, 0) == 2);
    CHECK(fixture.query(sql, {"2"})->int64(0, 0) == 3);
    const auto runs = fixture.query(
        "select generic_plans + custom_plans, name from pg_prepared_statements where statement = "
        "$1",
        {sql});
    REQUIRE(runs->rows() == 1);
    CHECK(runs->int64(0, 0) == 2);
    CHECK(fixture.query("select $1::int + 2", {"1"})->int64(0, 0) == 3);
    // An error of its own is its own alone.
    auto broken = fixture.connection.query(sql, {"no number"});
    auto next = fixture.connection.query(sql, {"3"});
    const auto failed = fixture.wait(std::move(broken));
    REQUIRE_FALSE(failed);
    CHECK(failed.error().code == "22P02");
    CHECK(fixture.wait(std::move(next))->int64(0, 0) == 4);
  }

  TEST_CASE("what cannot be prepared is an error of its own, and its queries go on unprepared") {
    Fixture fixture;
    const std::string sql = "select count(*) from pg_temp.made_later";
    const Result<void> prepared = fixture.prepare(sql);
    REQUIRE_FALSE(prepared);
    CHECK(prepared.error().code == "42P01");
    CHECK(fixture.query("create temp table made_later (n int)"));
    CHECK(fixture.query(sql)->int64(0, 0) == 0);
  }

  TEST_CASE("a statement that the server has lost, or that no longer fits, ends the connection") {
    Fixture fixture;
    int losses = 0;
    fixture.connection.on_lost = [&losses] { ++losses; };
    CHECK(fixture.query("create temp table t (n int)"));
    const std::string sql = "select * from t";
    REQUIRE(fixture.prepare(sql));
    CHECK(fixture.query(sql));
    CHECK_FALSE(fixture.connection.has_lost_statements());
    SUBCASE("as a pooler's next session would not know it") {
      CHECK(fixture.query("deallocate all"));
    }
    SUBCASE("its columns are others now") {
      CHECK(fixture.query("alter table t add m int"));
    }
    auto reply = fixture.connection.query(sql, {});
    auto behind = fixture.connection.query("select 1", {});
    const auto result = fixture.wait(std::move(reply));
    REQUIRE_FALSE(result);
    CHECK(result.error().action == Error::Action::reconnect);
    CHECK_FALSE(fixture.wait(std::move(behind)));
    CHECK_FALSE(fixture.connection.is_open());
    CHECK(fixture.connection.has_lost_statements());
    CHECK(losses == 1);
  }

  TEST_CASE("an unprepared query that fails in the same way ends nothing") {
    Fixture fixture;
    const auto result = fixture.query("execute unknown");
    REQUIRE_FALSE(result);
    CHECK(result.error().code == "26000");
    CHECK(fixture.connection.is_open());
  }

  TEST_CASE("too many parameters, and NUL in one, are refused here, and the connection goes on") {
    Fixture fixture;
    const auto many = fixture.query("select 1", PgParams(70'000, "1"));
    REQUIRE_FALSE(many);
    CHECK(many.error().action == Error::Action::refuse);
    const auto nul = fixture.query("select $1::text", {std::string("a\0b", 3)});
    REQUIRE_FALSE(nul);
    CHECK(nul.error().code == "22021");
    CHECK(fixture.query("select 3")->int64(0, 0) == 3);
  }

  TEST_CASE("texts in an array arrive as they are, nulls and none too") {
    Fixture fixture;
    const std::vector<std::string> texts = {R"(a"b\c,{})", "NULL", "", "\xc3\xa4\n"};
    PgTextArray array;
    for (const std::string& text : texts) array.add(text);
    array.add(std::optional<std::string>());
    const auto there = fixture.query("select t from unnest($1::text[]) t", {array.param()});
    REQUIRE(there);
    REQUIRE(there->rows() == 5);
    for (int row = 0; row < 4; ++row) CHECK(there->text(row, 0) == texts[static_cast<size_t>(row)]);
    CHECK(there->is_null(4, 0));
    CHECK(fixture.query("select cardinality($1::text[])", {pg_array(std::vector<std::string>())})
              ->int64(0, 0) == 0);
  }

  TEST_CASE("a text that is no UTF-8 or holds NUL is refused, in an array by the server") {
    Fixture fixture;
    for (const std::string& text : {std::string("a\0b", 3), std::string("\xff")}) {
      PgTextArray array;
      array.add(text);
      const auto refused = fixture.query("select $1::text[]", {array.param()});
      REQUIRE_FALSE(refused);
      CHECK(refused.error().code == "22021");
      CHECK(refused.error().action == Error::Action::refuse);
    }
    CHECK(fixture.query("select 3")->int64(0, 0) == 3);
  }

  TEST_CASE("an error tells the code of our own functions, and no value of the caller") {
    Fixture fixture;
    const auto own = fixture.query(
        "do $$ begin raise exception 'no such model' using errcode = 'SL001'; end $$");
    REQUIRE_FALSE(own);
    CHECK(own.error().code == "SL001");
    CHECK(own.error().message == "no such model");
    const auto data = fixture.query("select $1::int", {"secret text"});
    REQUIRE_FALSE(data);
    CHECK(data.error().message.find("secret") == std::string::npos);
  }

  TEST_CASE(
      "a killed backend is a loss: pending queries end with reconnect, on_lost is called once") {
    Fixture fixture;
    Fixture killer;
    const std::string pid = fixture.backend_pid();
    int losses = 0;
    fixture.connection.on_lost = [&] { ++losses; };
    auto sleeping = fixture.connection.query("select pg_sleep(60)", {});
    auto behind = fixture.connection.query("select 1", {});
    REQUIRE(killer.query("select pg_terminate_backend($1::int)", {pid}));
    for (auto* reply : {&sleeping, &behind}) {
      const auto result = fixture.wait(std::move(*reply));
      REQUIRE_FALSE(result);
      CHECK(result.error().action == Error::Action::reconnect);
    }
    CHECK(losses == 1);
    CHECK_FALSE(fixture.connection.is_open());
    const auto after = fixture.query("select 1");
    REQUIRE_FALSE(after);
    CHECK(after.error().action == Error::Action::reconnect);
  }

  TEST_CASE("an idle connection notices its loss") {
    Fixture fixture;
    Fixture killer;
    const std::string pid = fixture.backend_pid();
    Signal lost;
    fixture.connection.on_lost = [&] { lost.raise(); };
    REQUIRE(killer.query("select pg_terminate_backend($1::int)", {pid}));
    const auto wait = [&]() -> Co<void> { co_await lost.wait(); };
    run_co(fixture.loop, fixture.clock, wait());
    CHECK_FALSE(fixture.connection.is_open());
  }

  TEST_CASE("the database is away when no session is left, not when one is lost or refused") {
    Fixture fixture;
    Fixture killer;
    LogLines lines;
    PgConnection other(fixture.loop, fixture.clock, fixture.servers);
    REQUIRE(run_co(fixture.loop, fixture.clock, other.connect()));
    const auto kill = [&](PgConnection& connection) {
      Signal lost;
      connection.on_lost = [&] { lost.raise(); };
      REQUIRE(killer.query("select pg_terminate_backend($1::int)",
                           {std::to_string(connection.server_pid())}));
      const auto wait = [&]() -> Co<void> { co_await lost.wait(); };
      run_co(fixture.loop, fixture.clock, wait());
    };
    kill(other);
    fixture.servers.note_away("one too many");
    CHECK(lines.take().empty());
    kill(fixture.connection);
    CHECK(lines.take().starts_with("warning: lost the database, trying again: "));
    PgConnection third(fixture.loop, fixture.clock, fixture.servers);
    REQUIRE(run_co(fixture.loop, fixture.clock, third.connect()));
    CHECK(lines.take().starts_with("info: the database is back after "));
    third.close();
    CHECK(lines.take().empty());
  }

  TEST_CASE("a session that leaves a statement unanswered is given up, and with it who is idle") {
    setenv("SLUICE_DATABASE_SILENCE_MS", "300", 1);
    Fixture fixture;
    unsetenv("SLUICE_DATABASE_SILENCE_MS");
    const auto opened = [&](PgConnection::Statements statements) {
      auto connection =
          std::make_unique<PgConnection>(fixture.loop, fixture.clock, fixture.servers, statements);
      REQUIRE(run_co(fixture.loop, fixture.clock, connection->connect()));
      REQUIRE(fixture.wait(connection->query("select", {})));
      return connection;
    };
    const auto idle = opened(PgConnection::Statements::quick);
    const auto slow = opened(PgConnection::Statements::slow);
    LogLines lines;
    int losses = 0;
    fixture.connection.on_lost = idle->on_lost = slow->on_lost = [&] { ++losses; };
    auto long_one = slow->query("select pg_sleep(0.6)", {});
    auto dumb = fixture.connection.query("select pg_sleep(60)", {});
    auto behind = fixture.connection.query("select 1", {});
    CHECK_FALSE(fixture.connection.is_doubtful());
    for (auto* reply : {&dumb, &behind}) {
      const auto result = fixture.wait(std::move(*reply));
      REQUIRE_FALSE(result);
      CHECK(result.error().action == Error::Action::reconnect);
    }
    CHECK_FALSE(fixture.connection.is_open());
    CHECK_FALSE(idle->is_open());
    CHECK(losses == 2);
    CHECK(lines.take() ==
          "warning: no answer from the database for 0.3 s on a session that seems open: making a "
          "new one\n");
    CHECK(fixture.wait(std::move(long_one)));
    CHECK(slow->is_open());
  }

  TEST_CASE("a session that answers one statement after the other is kept") {
    setenv("SLUICE_DATABASE_SILENCE_MS", "300", 1);
    Fixture fixture;
    unsetenv("SLUICE_DATABASE_SILENCE_MS");
    std::vector<Co<Result<PgResult>>> replies;
    for (int i = 0; i < 6; ++i) {
      replies.push_back(fixture.connection.query("select pg_sleep(0.1)", {}));
    }
    for (auto& reply : replies) CHECK(fixture.wait(std::move(reply)));
  }

  TEST_CASE("a process that stood still itself gives up nothing") {
    setenv("SLUICE_DATABASE_SILENCE_MS", "300", 1);
    Fixture fixture;
    unsetenv("SLUICE_DATABASE_SILENCE_MS");
    auto reply = fixture.connection.query("select pg_sleep(0.1)", {});
    fixture.loop.post([] { std::this_thread::sleep_for(std::chrono::milliseconds(1500)); });
    CHECK(fixture.wait(std::move(reply)));
    CHECK(fixture.connection.is_open());
  }

  TEST_CASE("closing ends pending queries and does not call on_lost") {
    Fixture fixture;
    bool lost = false;
    fixture.connection.on_lost = [&] { lost = true; };
    auto pending = fixture.connection.query("select pg_sleep(60)", {});
    fixture.loop.post([&] { fixture.connection.close(); });
    const auto result = fixture.wait(std::move(pending));
    REQUIRE_FALSE(result);
    CHECK(result.error().action == Error::Action::reconnect);
    CHECK_FALSE(lost);
  }

  TEST_CASE("it knows its server's process, and how long an answer is due") {
    Fixture fixture;
    PgConnection& connection = fixture.connection;
    CHECK(std::to_string(connection.server_pid()) == fixture.backend_pid());
    CHECK(connection.unanswered_ms() == 0);
    int64_t waited_ms = 0;
    fixture.clock.call_at(fixture.clock.now_ns() + 50 * ns_per_ms,
                          [&] { waited_ms = connection.unanswered_ms(); });
    CHECK(fixture.query("select pg_sleep(0.2)"));
    CHECK(waited_ms >= 50);
    CHECK(connection.unanswered_ms() == 0);
  }

  TEST_CASE("notifications arrive on an idle connection, and beside replies") {
    Fixture fixture;
    Fixture other;
    std::vector<std::string> heard;
    Signal both;
    fixture.connection.on_notify = [&](std::string_view channel, std::string_view payload) {
      heard.push_back(std::string(channel) + ":" + std::string(payload));
      if (heard.size() == 2) both.raise();
    };
    REQUIRE(fixture.query("listen sluice_runtime_test"));
    REQUIRE(fixture.query("select pg_notify('sluice_runtime_test', 'mine')"));
    REQUIRE(other.query("select pg_notify('sluice_runtime_test', 'theirs')"));
    const auto wait = [&]() -> Co<void> { co_await both.wait(); };
    run_co(fixture.loop, fixture.clock, wait());
    CHECK(heard ==
          std::vector<std::string>{"sluice_runtime_test:mine", "sluice_runtime_test:theirs"});
  }
}

}  // namespace sluice
