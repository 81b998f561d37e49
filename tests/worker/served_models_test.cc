#include "worker/served_models.h"

#include <doctest/doctest.h>

#include "support/log_lines.h"
#include "support/worker_bench.h"

namespace sluice {

TEST_CASE("worker: what is parked is said once, and when it is open again") {
  LogLines lines;
  WorkerBench bench;
  bench.database.served.parked = {{"m", "credential"}};
  bench.start();
  CHECK(lines.take().find("warning: model \"m\" is parked (credential)") != std::string::npos);
  bench.database.on_configuration();
  CHECK(lines.take().find("parked") == std::string::npos);
  bench.database.served.parked.clear();
  bench.database.on_configuration();
  CHECK(lines.take().find("info: model \"m\" is parked no more") != std::string::npos);
}

TEST_CASE("served models: what this release does not speak is left out, the others are found") {
  Configuration configuration;
  for (const char* name : {"b", "a", "c"}) {
    Model model;
    model.name = name;
    model.api = std::string_view(name) == "c" ? "unheard-of" : "solve";
    configuration.models.push_back(model);
  }
  ServedModels models({"a", "b", "c", "d"});
  LogLines lines;
  CHECK(models.take(configuration).size() == 2);
  const std::string said = lines.take();
  CHECK(said.find("model \"c\" needs api \"unheard-of\"") != std::string::npos);
  CHECK(said.find("unknown model \"d\" in --models") != std::string::npos);
  CHECK(models.names() == std::vector<std::string>{"a", "b"});
  CHECK(models.find("a")->name == "a");
  CHECK(models.find("c") == nullptr);
  CHECK_FALSE(models.has_ceiling());
  const SharedModel kept = models.find("b");
  configuration.models.erase(configuration.models.begin());
  configuration.models[0].max_in_flight = 3;
  models.take(configuration);
  CHECK(lines.take().find("\"d\"") == std::string::npos);  // is said once
  CHECK(models.has_ceiling());
  CHECK(models.find("b") == nullptr);
  CHECK(kept->name == "b");  // a call under way has its model
}

}  // namespace sluice
