#include "trace/otlp_target.h"

#include <doctest/doctest.h>

#include <cstdlib>
#include <map>

namespace sluice {

namespace {

constexpr const char* names[] = {
    "OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
    "OTEL_EXPORTER_OTLP_HEADERS",  "OTEL_EXPORTER_OTLP_TRACES_HEADERS",
    "OTEL_SERVICE_NAME",           "OTEL_SDK_DISABLED"};

// Of these variables alone; none is left.
Result<std::optional<OtlpTarget>> target_of(const std::map<std::string, std::string>& variables) {
  for (const char* name : names) unsetenv(name);
  for (const auto& [name, value] : variables) setenv(name.c_str(), value.c_str(), 1);
  auto target = otlp_target_of_environment("sluice-worker");
  for (const char* name : names) unsetenv(name);
  return target;
}

}  // namespace

TEST_CASE("without an endpoint, or with all of it disabled, spans go nowhere") {
  CHECK(!target_of({}).value());
  CHECK(!target_of({{names[0], ""}, {names[2], "a=b"}}).value());
  CHECK(!target_of({{names[0], "http://c"}, {names[5], "true"}}).value());
}

TEST_CASE("the endpoint gets its path, the one of traces is taken as it is") {
  CHECK(target_of({{names[0], "http://c:4318"}}).value()->url == "http://c:4318/v1/traces");
  CHECK(target_of({{names[0], "https://c/otlp/"}}).value()->url == "https://c/otlp/v1/traces");
  CHECK(target_of({{names[0], "http://c"}, {names[1], "http://t/"}}).value()->url == "http://t/");
}

TEST_CASE("headers are a list whose values are percent-encoded") {
  using Lines = std::vector<std::string>;
  const std::map<std::string, std::string> endpoint = {{names[0], "http://c"}};
  const auto headers = [&endpoint](const std::string& list) {
    auto variables = endpoint;
    variables[names[2]] = list;
    return target_of(variables).value()->headers;
  };
  CHECK(headers("a=b") == Lines{"a: b"});
  CHECK(headers("Authorization=Bearer%20x%3D, k = v==,") ==
        Lines{"Authorization: Bearer x=", "k: v=="});
  auto both = endpoint;
  both[names[2]] = "a=b";
  both[names[3]] = "c=d";
  CHECK(target_of(both).value()->headers == Lines{"c: d"});
}

TEST_CASE("what cannot be understood is named, not shown") {
  const auto error_of = [](std::map<std::string, std::string> variables) {
    const auto target = target_of(variables);
    REQUIRE(!target);
    CHECK(target.error().message.find("hush") == std::string::npos);
    return target.error().message;
  };
  CHECK(error_of({{names[0], "hush:4317"}}).starts_with("OTEL_EXPORTER_OTLP_ENDPOINT"));
  CHECK(error_of({{names[1], "ftp://hush"}}).starts_with("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"));
  for (const char* list : {"hush", "a b=hush", "=hush", "a=hush%", "a=hush%0", "a=hush%zz",
                           "a=hush%0d%0ab: c", "a=hush%00"}) {
    CAPTURE(list);
    CHECK(error_of({{names[0], "http://c"}, {names[2], list}})
              .starts_with("OTEL_EXPORTER_OTLP_HEADERS"));
  }
}

TEST_CASE("the service has a name") {
  CHECK(target_of({{names[0], "http://c"}}).value()->service_name == "sluice-worker");
  CHECK(target_of({{names[0], "http://c"}, {names[4], "mine"}}).value()->service_name == "mine");
}

}  // namespace sluice
