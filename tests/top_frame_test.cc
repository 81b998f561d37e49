#include "cli/top_frame.h"

#include <doctest/doctest.h>

#include <algorithm>

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
  CHECK(rates.ended_per_s("model-0") == doctest::Approx(5));      // the last 10 s
  CHECK(rates.began_per_min("model-0") == doctest::Approx(120));  // the last 60 s
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

TEST_CASE("a frame fits its size, whatever there is to show") {
  const CallRates rates;
  for (const size_t models : {0UL, 1UL, 5UL, 1000UL}) {
    for (const size_t failures : {0UL, 1UL, 40UL}) {
      const TopFacts facts = facts_with(models, models, failures);
      for (const FrameSize size : {FrameSize{11, 80}, FrameSize{24, 80}, FrameSize{50, 132}}) {
        const auto lines = top_frame(facts, rates, size, 0, "");
        CHECK(lines.size() <= size.rows);
        CHECK(std::all_of(lines.begin(), lines.end(), [&size](const FrameLine& line) {
          return columns_of(line.text) <= size.columns;
        }));
      }
      for (const FrameLine& line : top_frame(facts, rates, {24, 40}, 0, std::string(200, 'x'))) {
        CHECK(columns_of(line.text) <= 40);
      }
    }
  }
}

TEST_CASE("what does not fit is counted, and scrolled to") {
  const TopFacts facts = facts_with(30, 1, 0);
  const auto text_of = [&facts](size_t scroll) {
    std::string text;
    for (const FrameLine& line : top_frame(facts, CallRates(), {23, 80}, scroll, "")) {
      text += line.text + '\n';
    }
    return text;
  };
  CHECK(text_of(0).find("MODEL 1-14 of 30") != std::string::npos);
  CHECK(text_of(5).find("MODEL 6-19 of 30") != std::string::npos);
  CHECK(text_of(29).find("model-29") != std::string::npos);
  CHECK(text_of(500).find("MODEL") != std::string::npos);
}

TEST_CASE("models that are not open stand out") {
  TopFacts facts = facts_with(2, 0, 0);
  facts.queues[1].is_open = false;
  const auto lines = top_frame(facts, CallRates(), {24, 80}, 0, "");
  const auto style_of = [&lines](std::string_view name) {
    return std::find_if(lines.begin(), lines.end(),
                        [name](const FrameLine& line) { return line.text.starts_with(name); })
        ->style;
  };
  CHECK(style_of("model-0") == FrameLine::Style::plain);
  CHECK(style_of("model-1") == FrameLine::Style::trouble);
}

}  // namespace sluice
