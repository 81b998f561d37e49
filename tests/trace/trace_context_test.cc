#include "trace/trace_context.h"

#include <doctest/doctest.h>

namespace sluice {

namespace {

constexpr std::string_view given = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

}  // namespace

TEST_CASE("a traceparent says trace, span and whether it is sampled") {
  const auto context = parse_traceparent(given);
  REQUIRE(context);
  CHECK(context->trace_id == "0af7651916cd43dd8448eb211c80319c");
  CHECK(context->span_id == "b7ad6b7169203331");
  CHECK(context->is_sampled());
  CHECK(context->traceparent() == given);
}

TEST_CASE("the lowest bit of the flags is the sampled one; the others are kept") {
  const auto with_flags = [](std::string_view flags) {
    return parse_traceparent(std::string(given.substr(0, 53)) + std::string(flags));
  };
  CHECK(!with_flags("00")->is_sampled());
  CHECK(!with_flags("02")->is_sampled());
  CHECK(with_flags("03")->is_sampled());
  CHECK(with_flags("ff")->is_sampled());
  CHECK(with_flags("03")->traceparent().ends_with("-03"));
}

TEST_CASE("what is no traceparent of version 00 is none") {
  for (const std::string_view text :
       {"", "00-abc", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-0",
        "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-011",
        "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-more",
        "01-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
        "ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
        "00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01",
        "00-0af7651916cd43dd8448eb211c80319c-b7ad6b716920333g-01",
        "00-0af7651916cd43dd8448eb211c80319c_b7ad6b7169203331-01",
        "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331_01",
        "00-00000000000000000000000000000000-b7ad6b7169203331-01",
        "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01"}) {
    CAPTURE(text);
    CHECK(!parse_traceparent(text));
  }
}

}  // namespace sluice
