#include "mock/latency_spec.h"

#include <doctest/doctest.h>

namespace sluice {
namespace {

constexpr int64_t ms = 1'000'000;

LatencySpec parsed(std::string_view text) {
  auto spec = LatencySpec::parse(text);
  REQUIRE_MESSAGE(spec, (spec ? "" : spec.error().message));
  return *spec;
}

}  // namespace

TEST_CASE("a plain duration is always that long") {
  CHECK(parsed("10ms").latency_ns(0.7, 0.3) == 10 * ms);
  CHECK(parsed("0").latency_ns(0, 0) == 0);
  CHECK(parsed("0.5s").latency_ns(0, 0.9) == 500 * ms);
}

TEST_CASE("a range is even between its ends") {
  const LatencySpec spec = parsed("1s-5s");
  CHECK(spec.latency_ns(0.9, 0) == 1000 * ms);
  CHECK(spec.latency_ns(0.1, 0.5) == 3000 * ms);
}

TEST_CASE("a mixture gives each range its share") {
  const LatencySpec spec = parsed("95%:1s-5s,5%:20s-40s");
  CHECK(spec.latency_ns(0.949, 0) == 1000 * ms);
  CHECK(spec.latency_ns(0.951, 0) == 20'000 * ms);
  CHECK(spec.latency_ns(0.999999, 0.25) == 25'000 * ms);
  CHECK(parsed("33.3%:1ms,33.3%:2ms,33.4%:3ms").latency_ns(0.9999999999, 0) == 3 * ms);
}

TEST_CASE("a spec that says nothing clear is refused with its text") {
  for (const char* text : {"", "fast", "10", "10h", "5s-1s", "-5s", "90%:1s", "60%:1s,60%:2s",
                           "1s,2s", "50:1s,50:2s", "95%:1s-5s,", "1e3s", "nan", "2000m"}) {
    CAPTURE(text);
    const auto spec = LatencySpec::parse(text);
    REQUIRE_FALSE(spec);
    CHECK(spec.error().action == Error::Action::refuse);
    CHECK(spec.error().message.starts_with("latency '"));
  }
}

}  // namespace sluice
