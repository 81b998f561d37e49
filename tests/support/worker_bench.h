// A worker on fakes, running, and the tasks it is given. Everything happens on this thread, in the
// calls of the test.
#pragma once

#include <doctest/doctest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "support/fake_database.h"
#include "support/fake_http.h"
#include "support/manual_clock.h"
#include "worker/worker.h"

namespace sluice {

inline ClaimedTask task_of(int64_t id, std::optional<int64_t> send_within_ms = std::nullopt) {
  ClaimedTask task;
  task.key = TaskKey{id, 1};
  task.model = "m";
  task.send_within_ms = send_within_ms;
  task.has_body = true;
  task.question.prompt = "prompt " + std::to_string(id);
  task.timeout_ms = 1000;
  return task;
}

inline ClaimedTask urgent_task_of(int64_t id) {
  ClaimedTask task = task_of(id);
  task.priority = 1;
  return task;
}

struct WorkerBench {
  explicit WorkerBench(int slots = 10, bool once = false) {
    Model model;
    model.id = 1;
    model.name = model.upstream_name = "m";
    model.api = "solve";
    model.url = "http://backend";
    database.served.models = {model};
    database.sleep_check.complete = true;
    WorkerOptions options;
    options.slots = slots;
    options.once = once;
    options.secrets.hosts = {{"env:SLUICE_SECRET_TEST", {"http", "backend", "80"}},
                             {"env:SLUICE_SECRET_UNSET", {"http", "backend", "80"}}};
    worker.emplace(options, clock, database, http, metrics);
  }
  ~WorkerBench() {
    http.take_all();
    if (ended) return;
    database.release();
    worker->leave();
    for (int i = 0; i < 20 && !ended; ++i) clock.advance(ns_per_s);
    CHECK(ended);
  }

  void start() { spawn(run()); }
  Co<void> run() {
    result = co_await worker->run();
    ended = true;
  }
  // One more model, like the first but for its name and its id.
  Model& add_model(std::string name) {
    std::vector<Model>& models = database.served.models;
    models.push_back(models.front());
    models.back().name = std::move(name);
    models.back().id = static_cast<int>(models.size());
    return models.back();
  }
  void pass_ms(int64_t ms) { clock.advance(ms * ns_per_ms); }

  const Outcome& outcome(size_t batch, size_t place) {
    return database.batches.at(batch).at(place).outcome;
  }

  ManualClock clock;
  FakeDatabase database;
  FakeHttp http;
  Metrics metrics;
  std::optional<Worker> worker;
  Result<void> result;
  bool ended = false;
};

inline const Error connection_lost{Error::Action::reconnect, "", "no connection"};

}  // namespace sluice
