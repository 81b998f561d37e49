#include "db/database_url.h"

#include <doctest/doctest.h>

#include <cstdlib>
#include <string>

#include "command_error.h"

namespace sluice {
namespace {

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST_CASE("a URL becomes key=value pairs with its password intact") {
  const std::string conninfo = conninfo_of("postgresql://me:it%27s%5C@db.example:5433/tasks");
  CHECK(contains(conninfo, "user='me' "));
  CHECK(contains(conninfo, "password='it\\'s\\\\' "));
  CHECK(contains(conninfo, "host='db.example' "));
  CHECK(contains(conninfo, "port='5433' "));
  CHECK(contains(conninfo, "dbname='tasks' "));
}

TEST_CASE("what may hold a password is told from what holds none") {
  for (const char* url : {"postgresql://me:pw@h/d", "postgresql:///d?password=pw",
                          "postgres://h/d?sslpassword=pw", "host=h password='p w'",
                          "postgresql://me:p%zz@h/d", "password", "postgresql://me:p@w@h/d"}) {
    CAPTURE(url);
    CHECK(may_hold_password(url));
  }
  for (const char* url : {"", "postgresql://me@h:5433/d", "host=h user=me dbname=d"}) {
    CAPTURE(url);
    CHECK_FALSE(may_hold_password(url));
  }
}

TEST_CASE("an empty URL leaves host and name to libpq and still bounds the wait") {
  const std::string conninfo = conninfo_of("");
  CHECK_FALSE(contains(conninfo, "host="));
  CHECK_FALSE(contains(conninfo, "dbname="));
  if (std::getenv("PGCONNECT_TIMEOUT") == nullptr) {
    CHECK(contains(conninfo, "connect_timeout='10'"));
  }
}

TEST_CASE("what the URL says about the time-out and the name holds; the encoding is UTF8 anyway") {
  const std::string conninfo = conninfo_of(
      "connect_timeout=3 fallback_application_name=mine client_encoding=LATIN1 host=/run/pg@home");
  CHECK(contains(conninfo, "connect_timeout='3'"));
  CHECK_FALSE(contains(conninfo, "connect_timeout='10'"));
  CHECK(contains(conninfo, "fallback_application_name='mine'"));
  CHECK(contains(conninfo, "client_encoding='UTF8'"));
  CHECK_FALSE(contains(conninfo, "LATIN1"));
}

TEST_CASE(
    "of several servers one that can be written to is wanted, unless the URL says otherwise") {
  const std::string wish = "target_session_attrs='read-write'";
  CHECK(contains(conninfo_of("postgresql://one,two/db"), wish));
  CHECK(contains(conninfo_of("hostaddr=192.0.2.1,192.0.2.2"), wish));
  CHECK_FALSE(contains(conninfo_of("postgresql://one/db"), "target_session_attrs"));
  CHECK(contains(conninfo_of("postgresql://one,two/db?target_session_attrs=any"),
                 "target_session_attrs='any'"));
  CHECK_FALSE(contains(conninfo_of("postgresql://one,two/db?target_session_attrs=any"), wish));
}

TEST_CASE("who lives long wants a server that can be written to, though it be the only one") {
  const std::string wish = "target_session_attrs='read-write'";
  CHECK(contains(primary_conninfo_of("postgresql://one/db"), wish));
  CHECK(contains(primary_conninfo_of("postgresql://one,two/db"), wish));
  CHECK_FALSE(contains(primary_conninfo_of("postgresql://one/db?target_session_attrs=any"), wish));
}

TEST_CASE("for reads, of several servers a standby is wanted, unless the URL says otherwise") {
  const std::string wish = "target_session_attrs='standby'";
  CHECK(contains(standby_conninfo_of("postgresql://one,two/db"), wish));
  CHECK_FALSE(contains(standby_conninfo_of("postgresql://one/db"), "target_session_attrs"));
  CHECK(contains(standby_conninfo_of("postgresql://one,two/db?target_session_attrs=any"),
                 "target_session_attrs='any'"));
}

TEST_CASE("a malformed URL is bad configuration; what is wrong is said without a word of it") {
  const auto problem_of = [](const char* url) -> std::string {
    CAPTURE(url);
    try {
      conninfo_of(url);
    } catch (const CommandError& error) {
      CHECK(error.code() == ExitCode::bad_configuration);
      CHECK_FALSE(contains(error.what(), "hush"));
      return error.what();
    }
    FAIL("was taken");
    return {};
  };
  CHECK(contains(problem_of("hush"), "neither with postgresql:// nor is it key=value pairs"));
  CHECK(contains(problem_of("http://me:hush@host/db"), "neither with postgresql:// nor"));
  CHECK(contains(problem_of("hush=1 host=db"), "a key is unknown"));
  CHECK(contains(problem_of("password='hush"), "a quote does not end"));
  CHECK(contains(problem_of("postgresql://me:a@hush@host/db"), "an @ too many"));
  CHECK(contains(problem_of("postgresql://me:a/hush@host/db"), "an @ too many"));
  CHECK(contains(problem_of("postgresql://me:12/hush@host/db"), "an @ too many"));
  CHECK(contains(problem_of("postgresql://me:hu%zzsh@host/db"), "a % stands before"));
  CHECK(contains(problem_of("postgresql://me:hush@host/db?nonsense=1"), "a parameter after ?"));
  CHECK(contains(problem_of("postgresql://[::1/db"), "an IPv6 address"));
  CHECK(contains(problem_of("postgresql://one:1,two:65536/db"), "a port is not a number"));
  CHECK(contains(problem_of("host=db port=x"), "a port is not a number"));
}

}  // namespace
}  // namespace sluice
