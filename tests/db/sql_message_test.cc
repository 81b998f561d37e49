#include "db/sql_message.h"

#include <doctest/doctest.h>

namespace sluice {

TEST_CASE("an SQL error is its message and its hint") {
  const SqlMessage message = parse_sql_message(
      "ERROR:  there is no model or route \"x\"\nHINT:  sluice.models lists what there is.\n"
      "CONTEXT:  PL/pgSQL function sluice.target(text) line 11 at RAISE\nSQL statement \"...\"\n");
  CHECK(message.primary == "there is no model or route \"x\"");
  CHECK(one_line(message) ==
        "there is no model or route \"x\" (sluice.models lists what there is)");
  CHECK(one_line({"no", "", "Known are a, b."}) == "no (known are a, b)");
  CHECK(one_line({"no", "", "POST it"}) == "no (POST it)");
  CHECK(one_line({"no", "", "."}) == "no ()");
}

TEST_CASE("the context of an SQL error, which may quote a prompt, is dropped") {
  const SqlMessage message = parse_sql_message(
      "FEHLER:  unsupported Unicode escape sequence\n"
      "LINE 1: select '{\"prompt\": \"secret\"}'\n               ^\n"
      "DETAIL:  \\u0000 cannot be converted to text.\n"
      "CONTEXT:  JSON data, line 1: {\"prompt\": \"secret...\nmore secret\n");
  CHECK(one_line(message) == "unsupported Unicode escape sequence");
  CHECK(message.detail == "\\u0000 cannot be converted to text.");
}

TEST_CASE("a violated check is said as the fact that its name is") {
  const SqlMessage message = parse_sql_message(
      "ERROR:  new row for relation \"models\" violates check constraint \"rpm_is_positive\"\n"
      "DETAIL:  Failing row contains (secret, 0).\n");
  CHECK(violated_check(message.primary) == "rpm_is_positive");
  CHECK(one_line(message) == "rpm is positive");
  CHECK(violated_check("relation \"x\" does not exist").empty());
}

TEST_CASE("a fact keeps the name of its column, and says more where its own name is not enough") {
  CHECK(concerns("max_queue_is_positive", "max_queue"));
  CHECK(!concerns("max_queue_is_positive", "max_q"));
  CHECK(!concerns("rpm_is_positive", "tpm"));
  CHECK(fact_of("max_queue_is_positive", "max_queue") == "max_queue is positive");
  CHECK(fact_of("max_queue_is_positive") == "max queue is positive");
  CHECK(fact_of("url_is_http", "url") == "url is http://… or https://…, without white space");
}

TEST_CASE("a parameter that could not be read is known by its number") {
  CHECK(misread_parameter("ERROR:  invalid input syntax for type integer: \"60s\"\n"
                          "CONTEXT:  unnamed portal parameter $12 = '60s'\n") == 12);
  CHECK(misread_parameter("ERROR:  value overflows numeric format\n") == 0);
  CHECK(misread_parameter("ERROR:  $3\nCONTEXT:  unnamed portal parameter $\n") == 0);
}

TEST_CASE("a message of several lines becomes one") {
  CHECK(one_line(parse_sql_message("ERROR:  a: b\nsecond line\n")) == "a: b second line");
  CHECK(one_line(parse_sql_message("no label at all")) == "no label at all");
  CHECK(one_line(parse_sql_message("")).empty());
}

}  // namespace sluice
