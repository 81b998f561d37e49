#include "cli/top_frame.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "cli/progress.h"
#include "cli/terminal.h"

namespace sluice {
namespace {

TopFacts facts_with(size_t models, size_t workers, size_t failures) {
  TopFacts facts;
  facts.queues.resize(models);
  for (size_t i = 0; i < models; ++i) facts.queues[i].model = "model-" + std::to_string(i);
  facts.workers.resize(workers, {"worker-with-a-long-name/12345", "alive", 10, 4, 0, "0.1.0"});
  facts.failures.resize(failures, {"model-0", "retry", "http_500", 3, 1});
  return facts;
}

TopFacts counted(std::optional<int64_t> began, std::optional<int64_t> ended) {
  TopFacts facts = facts_with(1, 0, 0);
  facts.queues[0].began = began;
  facts.queues[0].ended = ended;
  return facts;
}

}  // namespace

TEST_CASE("rates need two looks, and forget what is older than their window") {
  CallRates rates;
  CHECK(!rates.ended_per_s("model-0"));
  rates.add(counted(0, 0), 0);
  CHECK(!rates.ended_per_s("model-0"));
  rates.add(counted(30, 10), 20);
  rates.add(counted(60, 60), 30);
  CHECK(rates.ended_per_s("model-0") == doctest::Approx(5));  // the last 10 s
  CHECK(!rates.ended_per_s("another"));
}

TEST_CASE("counters that step back or are lost make no negative and no invented rate") {
  CallRates rates;
  rates.add(counted(100, 100), 0);
  rates.add(counted(90, 90), 1);
  CHECK(rates.ended_per_s("model-0") == doctest::Approx(0));
  rates.add(counted(std::nullopt, std::nullopt), 2);
  CHECK(!rates.ended_per_s("model-0"));
}

TEST_CASE("the use of a quota is measured against what its bucket allowed, and is never above 1") {
  const auto at = [](double now_s, int64_t began, std::optional<int64_t> permits) {
    return std::pair(now_s, [=] {
      TopFacts facts = counted(began, began);
      facts.queues[0].quota_rpm = 60;
      facts.queues[0].permits = permits;
      return facts;
    }());
  };
  const auto use = [](const auto&... moments) {
    CallRates rates;
    std::optional<double> last;
    ((rates.add(moments.second, moments.first), last = rates.quota_use(moments.second.queues[0])),
     ...);
    return last;
  };
  CHECK(!use(at(0, 0, 5)));
  CHECK(use(at(0, 0, 5), at(10, 15, 0)) ==
        doctest::Approx(1));  // the bucket was full, and is empty
  CHECK(use(at(0, 0, 0), at(10, 10, 0)) == doctest::Approx(1));  // it was empty all the time
  CHECK(use(at(0, 0, 5), at(10, 3, 5)) == doctest::Approx(0.2));
  CHECK(use(at(0, 0, 0), at(1, 2, 0)) == doctest::Approx(1));  // a permit was half there
  CHECK(use(at(0, 0, 5), at(100, 65, 5), at(160, 125, 0)) == doctest::Approx(60.0 / 65));
}

TEST_CASE("models can be sorted") {
  TopFacts facts = facts_with(3, 0, 0);
  facts.queues[1].queued = 5;
  facts.recent.models["model-2"].p99_s = 3;
  facts.failures = {{"model-1", "retry", "http_500", 3, 1}};
  const auto first_by = [&facts](TopOrder order) {
    return top_frame(facts, CallRates(), {24, 80}, {0, order, ""})[5].text.substr(0, 7);
  };
  CHECK(first_by(TopOrder::trouble) == "model-0");
  CHECK(first_by(TopOrder::queued) == "model-1");
  CHECK(first_by(TopOrder::p99) == "model-2");
  CHECK(first_by(TopOrder::failed) == "model-1");
}

TEST_CASE("a frame of 80 columns has latencies and tokens, one of 120 everything") {
  TopFacts facts = facts_with(3, 1, 1);
  facts.recent.models["model-1"] = {"model-1", 10, 0, 12'345, 1.24, 31.2};
  facts.recent.tenants = {{"acme", 7, 1, 500, 1, 2}};
  const auto text_of = [&facts](size_t columns) {
    std::string text;
    for (const FrameLine& line : top_frame(facts, CallRates(), {30, columns}, {})) {
      text += line.text + '\n';
    }
    return text;
  };
  const std::string narrow = text_of(80);
  for (const char* part :
       {"WAITING", "P50", "P99", "TOK/MIN", "1.2s", "31s", "12k", "TENANT", "acme"}) {
    CHECK(narrow.find(part) != std::string::npos);
  }
  CHECK(text_of(120).find(
            "WAITING  QUEUED  BUSY  OLDEST  CALLS/S  QUOTA   P50  P99  TOK/MIN  FAILED") !=
        std::string::npos);
  CHECK(top_help({24, 80})[8].text.find("its time or for a budget") != std::string::npos);
  for (const FrameLine& line : top_help({24, 80})) {
    CHECK(columns_of(line.text) <= 80);
    CHECK(line.text.find("…") == std::string::npos);
  }
}

TEST_CASE("nothing that the database says drives the terminal") {
  TopFacts facts = facts_with(1, 0, 0);
  facts.time = "\x1b[2J";
  CHECK(top_frame(facts, CallRates(), {24, 80}, {})[0].text.starts_with("sluice ?[2J "));
  CHECK(progress_line(1, 2, "1 of 2 \u009b2J").ends_with("1 of 2 ?2J"));
}

TEST_CASE("a frame fits its size, whatever there is to show") {
  const CallRates rates;
  for (const size_t models : {0UL, 1UL, 5UL, 1000UL}) {
    for (const size_t failures : {0UL, 1UL, 40UL}) {
      const TopFacts facts = facts_with(models, models, failures);
      for (const FrameSize size : {FrameSize{15, 80}, FrameSize{24, 80}, FrameSize{50, 132}}) {
        const auto lines = top_frame(facts, rates, size, {});
        CHECK(lines.size() <= size.rows);
        CHECK(std::all_of(lines.begin(), lines.end(), [&size](const FrameLine& line) {
          return columns_of(line.text) <= size.columns;
        }));
      }
      for (const FrameLine& line :
           top_frame(facts, rates, {24, 40}, {0, TopOrder::p99, std::string(200, 'x')})) {
        CHECK(columns_of(line.text) <= 40);
      }
    }
  }
}

TEST_CASE("what does not fit is counted, and scrolled to") {
  const TopFacts facts = facts_with(30, 1, 0);
  const auto text_of = [&facts](size_t scroll) {
    std::string text;
    for (const FrameLine& line :
         top_frame(facts, CallRates(), {23, 80}, {scroll, TopOrder::trouble, ""})) {
      text += line.text + '\n';
    }
    return text;
  };
  CHECK(text_of(0).find("MODEL 1-15 of 30") != std::string::npos);
  CHECK(text_of(5).find("MODEL 6-20 of 30") != std::string::npos);
  CHECK(text_of(29).find("model-29") != std::string::npos);
  CHECK(text_of(500).find("MODEL") != std::string::npos);
}

TEST_CASE("models that are not open stand out") {
  TopFacts facts = facts_with(2, 0, 0);
  facts.queues[1].is_open = false;
  const auto lines = top_frame(facts, CallRates(), {24, 80}, {});
  const auto style_of = [&lines](std::string_view name) {
    return std::find_if(lines.begin(), lines.end(),
                        [name](const FrameLine& line) { return line.text.starts_with(name); })
        ->style;
  };
  CHECK(style_of("model-0") == FrameLine::Style::plain);
  CHECK(style_of("model-1") == FrameLine::Style::trouble);
}

}  // namespace sluice
