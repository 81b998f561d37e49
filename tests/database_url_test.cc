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

TEST_CASE("a malformed URL is refused without a word of it") {
  for (const char* url :
       {"hush", "postgresql://me:a@hush@host/db", "postgresql://me:hush/x@host/db",
        "postgresql://me:12/hush@host/db", "postgresql://me:hush@host/db?nonsense=1"}) {
    CAPTURE(url);
    try {
      conninfo_of(url);
      FAIL("was taken");
    } catch (const CommandError& error) {
      CHECK(error.code() == ExitCode::database_unreachable);
      CHECK_FALSE(contains(error.what(), "hush"));
    }
  }
}

}  // namespace
}  // namespace sluice
