#include "backends/solve_batch.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "backends/verdict.h"
#include "support/body_text.h"
#include "support/exchange.h"

namespace sluice {

namespace {

std::vector<Outcome> outcomes_of(int status, std::string body, size_t prompts) {
  return outcomes_of_batch(response_of(status, std::move(body)), prompts);
}

template <class Kind>
bool all_are(const std::vector<Outcome>& outcomes) {
  for (const Outcome& outcome : outcomes) {
    if (!std::holds_alternative<Kind>(outcome)) return false;
  }
  return true;
}

}  // namespace

TEST_CASE("batch: prompts are sent as JSON whatever they contain") {
  const HttpRequest request =
      batch_request_for(model_at("http://host/"), {"a \"quoted\" \\ line\nand \x01", "two"}, {});
  CHECK(request.url == "http://host/batch");
  CHECK(request.method == "POST");
  CHECK(text_of(request.body) ==
        R"({"model":"m","prompts":["a \"quoted\" \\ line\nand \u0001","two"]})");
  CHECK(text_of(batch_request_for(model_at("http://host"), {"p", "q"}, 5).body) ==
        R"({"model":"m","prompts":["p","q"],"max_output_tokens":5})");
}

TEST_CASE("batch: an answer is a text, or the object that /single would have answered") {
  const auto outcomes = outcomes_of(
      200, R"({"answers":["a\nb",{"answer":"c","usage":{"input_tokens":3,"output_tokens":4}}]})",
      2);
  REQUIRE(outcomes.size() == 2);
  const auto& bare = std::get<Solved>(outcomes[0]);
  CHECK(bare.answer == "a\nb");
  CHECK(bare.response == R"("a\nb")");
  CHECK(bare.http_status == 200);
  CHECK_FALSE(bare.input_tokens.has_value());
  const auto& object = std::get<Solved>(outcomes[1]);
  CHECK(object.answer == "c");
  CHECK(object.response == R"({"answer":"c","usage":{"input_tokens":3,"output_tokens":4}})");
  CHECK(object.input_tokens == 3);
  CHECK(object.output_tokens == 4);
}

TEST_CASE("batch: one bad item fails alone, and by its own word") {
  const auto outcomes = outcomes_of(
      200,
      R"({"answers":["a",{"error":"no","retryable":false},{"error":"no"},null,7,["x"],{},"b"]})",
      8);
  REQUIRE(outcomes.size() == 8);
  CHECK(std::get<Solved>(outcomes[0]).answer == "a");
  CHECK(std::holds_alternative<Failed>(outcomes[1]));
  CHECK(std::get<Retry>(outcomes[2]).error_code == "http_500");
  for (size_t i = 3; i < 7; ++i) {
    CHECK(std::get<Retry>(outcomes[i]).error_code == "bad_response");
  }
  CHECK(std::get<Solved>(outcomes[7]).answer == "b");
}

TEST_CASE("batch: a poisoned answer is made harmless") {
  const auto outcomes = outcomes_of(200, "{\"answers\":[\"a\\u0000b\",\"c\"]}", 2);
  CHECK(std::get<Solved>(outcomes.at(0)).answer ==
        "a\xEF\xBF\xBD"
        "b");
}

TEST_CASE("batch: a call that failed as a whole is one failure, charged to none of its tasks") {
  for (const auto& [status, body, code] : {
           std::tuple(500, R"({"error":"no"})", "http_500"),
           std::tuple(400, "", "http_400"),
           std::tuple(403, "", "http_403"),
           std::tuple(404, "not found", "http_404"),
           std::tuple(200, "<html>", "bad_response"),
           std::tuple(200, "", "bad_response"),
           std::tuple(200, R"({"answer":"one for all"})", "bad_response"),
           std::tuple(200, R"({"answers":"a"})", "bad_response"),
           std::tuple(200, R"({"answers":["a","b"]})", "bad_response"),
           std::tuple(200, R"({"answers":[null,7,["x"]]})", "bad_response"),
           std::tuple(200, R"({"answers":["a","b","c","d"]})", "bad_response"),
           std::tuple(200, R"({"error":{"type":"server_error"}})", "http_500"),
       }) {
    CAPTURE(body);
    const auto outcomes = outcomes_of(status, body, 3);
    REQUIRE(outcomes.size() == 3);
    REQUIRE(all_are<BatchFailed>(outcomes));
    CHECK(std::get<BatchFailed>(outcomes[0]).error_code == code);
    CHECK(std::get<BatchFailed>(outcomes[1]).error_code == "batch_failed");
    CHECK(std::get<BatchFailed>(outcomes[2]).error_code == "batch_failed");
    CHECK(std::get<BatchFailed>(outcomes[1]).error == std::get<BatchFailed>(outcomes[0]).error);
  }
}

TEST_CASE("batch: what a backend says of one prompt is told to no other's tenant") {
  const std::string body = R"({"error":{"message":"rejected <SECRET>","code":"SECRET"}})";
  for (const int status : {400, 403, 500}) {
    CAPTURE(status);
    for (const Outcome& outcome : outcomes_of(status, body, 3)) {
      CHECK(std::get<BatchFailed>(outcome).error ==
            fmt::format("HTTP {} for 3 prompts in one call", status));
    }
  }
  CHECK(std::get<Retry>(outcomes_of(500, body, 1).at(0)).error.find("SECRET") != std::string::npos);
}

TEST_CASE("batch: what speaks of no prompt is the same for all") {
  CHECK(all_are<Throttled>(outcomes_of(429, "", 3)));
  CHECK(all_are<Parked>(outcomes_of(401, "", 3)));
  const auto failed = [](HttpFailure::Kind kind) {
    const HttpFailure failure{kind, "no"};
    return outcomes_of_batch(tl::unexpected(outcome_of_failure(failure)), 3);
  };
  CHECK(all_are<Unsent>(failed(HttpFailure::Kind::not_sent)));
  CHECK(all_are<Returned>(failed(HttpFailure::Kind::aborted)));
  CHECK(all_are<BatchFailed>(failed(HttpFailure::Kind::timed_out)));
  CHECK(all_are<BatchFailed>(failed(HttpFailure::Kind::unanswered)));
  CHECK(all_are<BatchFailed>(failed(HttpFailure::Kind::too_large)));
}

TEST_CASE("batch: what is left of a batch alone has its failure to itself") {
  CHECK(std::holds_alternative<Retry>(outcomes_of(500, "", 1).at(0)));
  CHECK(std::holds_alternative<Failed>(outcomes_of(400, "", 1).at(0)));
}

}  // namespace sluice
