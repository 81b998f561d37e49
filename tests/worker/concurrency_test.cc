#include "worker/concurrency.h"

#include <doctest/doctest.h>

#include <numeric>
#include <random>

#include "runtime/clock.h"

namespace sluice {

namespace {

Model model_of(const std::string& name, std::optional<int> max_in_flight = std::nullopt,
               int min_in_flight = 2) {
  Model model;
  model.name = name;
  model.max_in_flight = max_in_flight;
  model.min_in_flight = min_in_flight;
  return model;
}

// So many models of one backend, and their names.
std::vector<Model> models_of_backend(int count, const std::string& url) {
  std::vector<Model> models;
  for (int i = 0; i < count; ++i) {
    models.push_back(model_of(url + '/' + std::to_string(i)));
    models.back().url = models.back().name;
  }
  return models;
}

std::vector<std::string> names_of(const std::vector<Model>& models) {
  std::vector<std::string> names;
  for (const Model& model : models) names.push_back(model.name);
  return names;
}

// Claims of `names` that have more work than there is room, and whose calls do not end, until
// nothing is asked. Returns how many began.
int flood(Concurrency& concurrency, const std::vector<std::string>& names, int slots_free) {
  int begun = 0;
  for (int round = 0; round < 1000; ++round) {
    const std::vector<int> shares = concurrency.shares(names, slots_free - begun);
    const int asked = concurrency.claim_max(names, shares, slots_free - begun);
    if (asked <= 0) return begun;
    std::map<std::string, int> taken;
    for (size_t i = 0, left = static_cast<size_t>(asked); i < names.size() && left > 0; ++i) {
      // As evenly as the claim does.
      const size_t even = (left - 1) / (names.size() - i) + 1;
      const size_t count = std::min(static_cast<size_t>(shares[i]), even);
      if (count == 0) continue;
      left -= count;
      begun += static_cast<int>(count);
      taken[names[i]] = static_cast<int>(count);
      for (size_t call = 0; call < count; ++call) concurrency.note_begun(names[i]);
    }
    concurrency.note_claimed(asked, names, shares, taken);
  }
  return begun;
}

void begin(Concurrency& concurrency, const std::string& model, int calls) {
  for (int i = 0; i < calls; ++i) concurrency.note_begun(model);
}

Concurrency::End failure(int64_t begun_ms, int64_t ended_ms) {
  Concurrency::End end;
  end.begun_ns = begun_ms * ns_per_ms;
  end.ended_ns = ended_ms * ns_per_ms;
  end.is_overload = true;
  return end;
}

Concurrency::End answer(int64_t first_token_ms) {
  Concurrency::End end;
  end.first_token_after_ns = end.ended_ns = first_token_ms * ns_per_ms;
  return end;
}

// One round trip at the limit: as many answers as there are calls.
void round_trip(Concurrency& concurrency, int64_t first_token_ms) {
  const int calls = concurrency.limit("m");
  begin(concurrency, "m", calls);
  for (int i = 0; i < calls; ++i) {
    concurrency.note_ended("m", answer(first_token_ms));
    concurrency.note_begun("m");
  }
  for (int i = 0; i < calls; ++i) concurrency.note_ended("m", Concurrency::End());
}

}  // namespace

TEST_CASE("a limit begins at its ceiling and halves once per round trip, down to its floor") {
  Concurrency concurrency(100);
  concurrency.serve({model_of("m", 40)});
  CHECK(concurrency.limit("m") == 40);
  begin(concurrency, "m", 40);
  concurrency.note_ended("m", failure(0, 1000));
  CHECK(concurrency.limit("m") == 20);
  concurrency.note_ended("m", failure(0, 1001));  // began before that
  CHECK(concurrency.limit("m") == 20);
  for (int64_t i = 1; i < 10; ++i)
    concurrency.note_ended("m", failure(1000 * i + 1, 1000 * (i + 1)));
  CHECK(concurrency.limit("m") == 2);
}

TEST_CASE("a limit grows by one per round trip while the time to first token holds") {
  Concurrency concurrency(100);
  concurrency.serve({model_of("m")});
  begin(concurrency, "m", 1);
  concurrency.note_ended("m", failure(0, 1));
  REQUIRE(concurrency.limit("m") == 50);
  round_trip(concurrency, 100);
  round_trip(concurrency, 100);
  CHECK(concurrency.limit("m") >= 51);
  CHECK(concurrency.limit("m") <= 52);
  for (int i = 0; i < 100; ++i) round_trip(concurrency, 100);
  CHECK(concurrency.limit("m") == 100);
}

TEST_CASE("a limit does not grow while the time to first token rises") {
  Concurrency concurrency(100);
  concurrency.serve({model_of("m")});
  for (int i = 0; i < 10; ++i) round_trip(concurrency, 100);
  begin(concurrency, "m", 1);
  concurrency.note_ended("m", failure(0, 1));
  begin(concurrency, "m", 60);
  for (int i = 0; i < 10; ++i) concurrency.note_ended("m", answer(1000));
  const int before = concurrency.limit("m");
  for (int i = 0; i < 10; ++i) concurrency.note_ended("m", answer(1000));
  CHECK(concurrency.limit("m") == before);
}

TEST_CASE("a limit that is not used does not grow") {
  Concurrency concurrency(100);
  concurrency.serve({model_of("m")});
  begin(concurrency, "m", 1);
  concurrency.note_ended("m", failure(0, 1));
  for (int i = 0; i < 1000; ++i) {
    concurrency.note_begun("m");
    concurrency.note_ended("m", answer(100));
  }
  CHECK(concurrency.limit("m") == 50);
}

TEST_CASE("a model at its limit gives its slots to the others") {
  Concurrency concurrency(10);
  concurrency.serve({model_of("a", 3), model_of("b")});
  begin(concurrency, "a", 1);
  CHECK(concurrency.shares({"a", "b", "gone"}, 9) == std::vector<int>{2, 9, 0});
}

TEST_CASE("slots are kept for models without calls, an eighth of all at most") {
  Concurrency concurrency(100);
  concurrency.serve({model_of("a"), model_of("b"), model_of("c")});
  begin(concurrency, "a", 90);
  CHECK(concurrency.shares({"a", "b"}, 10) == std::vector<int>{6, 8});
  std::vector<Model> many = {model_of("a")};
  for (int i = 0; i < 50; ++i) many.push_back(model_of("m" + std::to_string(i)));
  concurrency.serve(many);
  CHECK(concurrency.shares({"a"}, 16) == std::vector<int>{4});
}

TEST_CASE("however many models there are, each that has no call finds a slot") {
  for (const int slots : {8, 100, 400}) {
    for (const int models : {2, 51, 1000}) {
      Concurrency concurrency(slots);
      std::vector<Model> served;
      for (int i = 0; i < models; ++i) served.push_back(model_of("m" + std::to_string(i)));
      concurrency.serve(served);
      int free = slots;
      for (int took = 1; took > 0; free -= took) {
        took = concurrency.shares({"m0"}, free)[0];
        begin(concurrency, "m0", took);
        concurrency.note_claimed(took, {"m0"}, {took}, {{"m0", took}});
      }
      CAPTURE(slots);
      CAPTURE(models);
      CHECK(free > 0);
      CHECK(free <= std::max(1, slots / 8));
      CHECK(concurrency.shares({"m1"}, free)[0] > 0);
      // Those that come first have one each, up to the last that is kept.
      for (int i = 1; i < models && free > 0; ++i) {
        CHECK(concurrency.shares({"m0", "m" + std::to_string(i)}, free)[1] > 0);
        begin(concurrency, "m" + std::to_string(i), 1);
        --free;
      }
    }
  }
}

TEST_CASE("a slow model never takes the slots that another needs") {
  Concurrency concurrency(10);
  concurrency.serve({model_of("fast"), model_of("slow")});
  begin(concurrency, "fast", 5);
  begin(concurrency, "slow", 5);
  concurrency.note_claimed(10, {"fast", "slow"}, {10, 10}, {{"fast", 5}, {"slow", 5}});
  for (int i = 0; i < 3; ++i) concurrency.note_ended("fast", answer(10));
  CHECK(concurrency.shares({"fast", "slow"}, 3) == std::vector<int>{3, 0});
  // The fast one has no more: the slow one may have the rest.
  concurrency.note_claimed(3, {"fast", "slow"}, {3, 0}, {{"fast", 1}});
  CHECK(concurrency.is_held_back());
  CHECK(concurrency.shares({"slow"}, 2) == std::vector<int>{2});
  concurrency.note_claimed(2, {"slow"}, {2}, {{"slow", 1}});
  CHECK_FALSE(concurrency.is_held_back());
}

TEST_CASE("two slow models leave the slots that are kept for each other one") {
  Concurrency concurrency(100);
  concurrency.serve({model_of("first"), model_of("second"), model_of("other")});
  begin(concurrency, "first", 94);
  concurrency.note_claimed(94, {"first"}, {94}, {{"first", 94}});
  begin(concurrency, "second", 2);
  concurrency.note_claimed(6, {"second"}, {6}, {{"second", 2}});
  concurrency.note_claimed(2, {"second"}, {2}, {{"second", 2}});
  CHECK(concurrency.shares({"first", "second", "other"}, 4) == std::vector<int>{0, 2, 2});
  begin(concurrency, "second", 2);
  CHECK(concurrency.shares({"first", "second", "other"}, 2) == std::vector<int>{0, 0, 2});
  // Also when it uses them, and has more.
  begin(concurrency, "other", 2);
  concurrency.note_claimed(2, {"other"}, {2}, {{"other", 2}});
  concurrency.note_ended("other", answer(10));
  CHECK(concurrency.shares({"first", "second", "other"}, 1) == std::vector<int>{0, 0, 1});
}

TEST_CASE("several slow models that claim together leave the slots that are kept, too") {
  Concurrency concurrency(400);
  const std::vector<std::string> names = {"first", "second", "third", "other"};
  concurrency.serve({model_of("first"), model_of("second"), model_of("third"), model_of("other")});
  int slots_free = 400;
  for (int round = 0; round < 10; ++round) {
    const std::vector<int> shares = concurrency.shares(names, slots_free);
    const int asked = concurrency.claim_max(names, shares, slots_free);
    std::map<std::string, int> taken;
    for (int left = asked, i = 0; i < 3; ++i) {  // as evenly as the claim does
      const int count = std::min(shares[i], (left + 2 - i) / (3 - i));
      left -= count;
      if (count > 0) taken[names[i]] = count;
      begin(concurrency, names[i], count);
      slots_free -= count;
    }
    concurrency.note_claimed(asked, names, shares, taken);
  }
  CHECK(slots_free == 2);
  CHECK(concurrency.claim_max({"other"}, concurrency.shares({"other"}, 2), 2) == 2);
}

TEST_CASE("many models of one backend leave the slots that are kept for those of another") {
  for (const auto& [slots, count] : {std::pair(40, 20), {40, 200}, {400, 80}, {400, 110}}) {
    CAPTURE(slots);
    CAPTURE(count);
    std::vector<Model> models = models_of_backend(count, "http://hangs:8000");
    const std::vector<std::string> hanging = names_of(models);
    models.push_back(models_of_backend(1, "http://answers:8000").front());
    const std::vector<std::string> all = names_of(models);
    Concurrency concurrency(slots);
    concurrency.serve(models);
    SUBCASE("that asks for nothing") {
      CHECK(flood(concurrency, hanging, slots) == slots - 2);
      CHECK(concurrency.shares({all.back()}, 2) == std::vector<int>{2});
      begin(concurrency, all.back(), 1);  // beside those that have none, too
      CHECK(concurrency.shares({all.back()}, 1) == std::vector<int>{1});
    }
    SUBCASE("that is asked for beside them") {
      const std::vector<int> shares = concurrency.shares(all, slots);
      const int most = concurrency.claim_max(all, shares, slots);
      CHECK(most <= slots - 2);
      CHECK(most >= slots - slots / 8 - 1);
    }
  }
}

TEST_CASE("many models of the only backend have all slots but those kept for each other's") {
  std::vector<Model> models = models_of_backend(80, "https://backend");
  Concurrency concurrency(400);
  concurrency.serve(models);
  const std::vector<std::string> names = names_of(models);
  CHECK(flood(concurrency, names, 400) == 400);
  Concurrency anew(400);
  anew.serve(models);
  CHECK(flood(anew, {names.front()}, 400) == 400 - 50);
}

TEST_CASE("slow models of two backends leave the slots that are kept for each other one of both") {
  std::vector<Model> models = models_of_backend(2, "http://one");
  const std::vector<Model> more = models_of_backend(2, "http://two");
  models.insert(models.end(), more.begin(), more.end());
  Concurrency concurrency(400);
  concurrency.serve(models);
  CHECK(flood(concurrency, {"http://one/0", "http://two/0"}, 400) == 396);
  CHECK(flood(concurrency, {"http://one/1"}, 4) == 2);
  CHECK(flood(concurrency, {"http://two/1"}, 2) == 2);
}

TEST_CASE("however many backends there are, each that has no call finds a slot") {
  std::vector<Model> models;
  for (int i = 0; i < 1000; ++i) {
    models.push_back(models_of_backend(1, "http://" + std::to_string(i)).front());
  }
  const std::vector<std::string> names = names_of(models);
  Concurrency concurrency(400);
  concurrency.serve(models);
  CHECK(flood(concurrency, {names.front()}, 400) == 350);
  for (size_t i = 1; i <= 50; ++i) {
    CHECK(concurrency.shares({names[i]}, 51 - static_cast<int>(i))[0] > 0);
    begin(concurrency, names[i], 1);
  }
}

TEST_CASE("of the slots for urgent tasks a model beside others has half, as has a backend") {
  std::vector<Model> models = models_of_backend(3, "http://hangs");
  models.push_back(models_of_backend(1, "http://answers").front());
  Concurrency concurrency(400);
  const auto begin_urgent = [&concurrency](const std::string& model, int calls) {
    for (int i = 0; i < calls; ++i) concurrency.note_begun(model, true);
  };
  SUBCASE("one model alone has all") {
    concurrency.serve({models[0]});
    CHECK(concurrency.urgent().most == 12);
    begin_urgent(models[0].name, 12);
    CHECK_FALSE(concurrency.has_urgent_slot());
    concurrency.note_ended(models[0].name, Concurrency::End());
    CHECK(concurrency.urgent_in_flight() == 11);
    CHECK(concurrency.urgent().most == 1);
  }
  SUBCASE("one model of several") {
    concurrency.serve({models[0], models[1]});
    CHECK(concurrency.urgent().most == 6);
    begin_urgent(models[0].name, 6);
    CHECK(concurrency.urgent().models == std::vector<std::string>{models[1].name});
    CHECK(concurrency.urgent().most == 6);
  }
  SUBCASE("several models of one backend") {
    concurrency.serve(models);
    begin_urgent(models[0].name, 4);
    CHECK(concurrency.urgent().most == 2);
    begin_urgent(models[1].name, 2);
    CHECK(concurrency.urgent().models == std::vector<std::string>{models.back().name});
    CHECK(concurrency.has_urgent_slot());
    concurrency.serve({models[0], models[2]});  // the others are gone, with their calls
    CHECK(concurrency.urgent_in_flight() == 4);
  }
}

TEST_CASE("no free slot waits while one model has more than its part") {
  Concurrency concurrency(90);
  std::vector<Model> models;
  std::vector<std::string> names;
  std::vector<int> asked;
  std::map<std::string, int> taken;
  for (int i = 0; i < 9; ++i) {
    names.push_back("m" + std::to_string(i));
    models.push_back(model_of(names.back()));
    asked.push_back(90);
    taken[names.back()] = i == 0 ? 50 : 5;
  }
  concurrency.serve(models);
  for (const auto& [name, calls] : taken) begin(concurrency, name, calls);
  concurrency.note_claimed(90, names, asked, taken);
  concurrency.note_ended("m0", answer(10));
  concurrency.note_ended("m0", answer(10));
  // Two are free, and eight models lack five each: any of them may have both.
  CHECK(concurrency.shares(names, 2) == std::vector<int>{0, 2, 2, 2, 2, 2, 2, 2, 2});
}

TEST_CASE("an untroubled model follows a raised ceiling at once, a troubled one grows into it") {
  Concurrency concurrency(100);
  concurrency.serve({model_of("m", 10), model_of("n", 10)});
  begin(concurrency, "n", 1);
  concurrency.note_ended("n", failure(0, 1));
  concurrency.serve({model_of("m", 50), model_of("n", 50)});
  CHECK(concurrency.limit("m") == 50);
  CHECK(concurrency.limit("n") == 5);
}

TEST_CASE("has_room says what shares of all models would, whatever has happened") {
  const std::vector<std::string> names = {"a", "b", "c"};
  std::mt19937 random(1);
  const auto below = [&random](int end) {
    return std::uniform_int_distribution<int>(0, end - 1)(random);
  };
  Concurrency concurrency(12);
  std::map<std::string, int> under_way;
  for (int step = 0; step < 5'000; ++step) {
    if (step % 500 == 0) {
      concurrency.serve({model_of("a", 1 + below(6)), model_of("b", 1 + below(6)), model_of("c")});
    }
    const std::string& name = names[static_cast<size_t>(below(3))];
    if (below(2) == 0) {
      concurrency.note_begun(name);
      ++under_way[name];
    } else if (under_way[name] > 0) {
      concurrency.note_ended(name, below(3) == 0 ? failure(step, step + 1) : answer(10));
      --under_way[name];
    }
    const int slots_free = 1 + below(12);
    const std::vector<int> shares = concurrency.shares(names, slots_free);
    CHECK(concurrency.has_room() == (std::accumulate(shares.begin(), shares.end(), 0) > 0));
    concurrency.note_claimed(slots_free, names, shares, {{name, below(3)}});
  }
}

TEST_CASE("what is kept for a model is kept while its urgent calls are under way") {
  Concurrency concurrency(400);
  std::vector<Model> models = models_of_backend(2, "http://slow:1");
  models.push_back(model_of("other"));
  concurrency.serve(models);
  const std::vector<std::string> slow = {models[0].name, models[1].name};
  const int begun = flood(concurrency, slow, 400);
  CHECK(begun == 398);
  for (int call = 0; call < 2; ++call) concurrency.note_begun("other", true);
  CHECK(flood(concurrency, slow, 400 - begun) == 0);
  CHECK(flood(concurrency, {"other"}, 400 - begun) == 2);
}

TEST_CASE("calls of a model that is renamed meanwhile still count") {
  Concurrency concurrency(40);
  std::vector<Model> models = {model_of("slow"), model_of("other")};
  models[0].id = 7;
  models[1].id = 8;
  concurrency.serve(models);
  const int begun = flood(concurrency, {"slow"}, 40);
  CHECK(begun == 38);
  models[0].name = "slow-2";
  concurrency.serve(models);
  CHECK(flood(concurrency, {"slow-2"}, 40 - begun) == 0);
  models[0].name = "slow-3";
  concurrency.serve(models);
  CHECK(flood(concurrency, {"slow-3"}, 40 - begun) == 0);
  for (int call = 0; call < begun; ++call) concurrency.note_ended("slow", {});
  CHECK(flood(concurrency, {"slow-3"}, 40) == 38);
  // Its first name is another model's now.
  models.push_back(model_of("slow"));
  models[2].id = 9;
  concurrency.serve(models);
  concurrency.note_begun("slow");
  concurrency.note_ended("slow", {});
  CHECK(flood(concurrency, {"slow-3"}, 2) == 0);
}

}  // namespace sluice
