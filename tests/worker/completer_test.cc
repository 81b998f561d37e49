#include "worker/completer.h"

#include <doctest/doctest.h>

#include "bounds.h"

namespace sluice {
namespace {

EndedCall ended_of(int64_t id, size_t bytes = 0, std::string model = {}) {
  Solved solved;
  solved.answer = std::string(bytes, 'x');
  EndedCall ended{TaskKey{id, 1}, solved};
  ended.model = std::move(model);
  return ended;
}

std::vector<int64_t> ids_of(const Completer::Batch& batch) {
  std::vector<int64_t> ids;
  for (const EndedCall& call : batch.ended) ids.push_back(call.key.task_id);
  return ids;
}

using Ids = std::vector<int64_t>;

}  // namespace

TEST_CASE("a batch has the oldest outcomes, of one worker id") {
  Completer completer;
  CHECK(completer.empty());
  completer.add(1, ended_of(11));
  completer.add(1, ended_of(12));
  completer.add(2, ended_of(13));
  completer.add(1, ended_of(14));
  CHECK(completer.size() == 4);
  CHECK(completer.contains(TaskKey{13, 1}));
  CHECK_FALSE(completer.contains(TaskKey{13, 2}));
  const Completer::Batch first = completer.take();
  CHECK(first.worker == 1);
  CHECK(ids_of(first) == Ids{11, 12});
  CHECK_FALSE(completer.contains(TaskKey{11, 1}));
  const Completer::Batch second = completer.take();
  CHECK(second.worker == 2);
  CHECK(ids_of(second) == Ids{13});
  CHECK(ids_of(completer.take()) == Ids{14});
  CHECK(completer.empty());
}

TEST_CASE("a batch is bounded by bytes, but for one that is larger alone") {
  Completer completer;
  completer.add(1, ended_of(1, bounds::complete_bytes_max + 1));
  for (const int64_t id : {2, 3, 4}) completer.add(1, ended_of(id, bounds::complete_bytes_max / 2));
  CHECK(ids_of(completer.take()) == Ids{1});
  CHECK(ids_of(completer.take()) == Ids{2, 3});
  CHECK(ids_of(completer.take()) == Ids{4});
}

TEST_CASE("a completion is bounded by rows and by bytes, and speaks for one worker id") {
  Completer completer;
  for (int64_t id = 0; id < 1500; ++id) completer.add(1, ended_of(id));
  completer.add(2, ended_of(9000));
  CHECK(completer.take().ended.size() == 1000);
  CHECK(completer.take().ended.size() == 500);
  CHECK(completer.take().worker == 2);
  for (int64_t id = 0; id < 3; ++id) completer.add(1, ended_of(id, size_t{40} << 20));
  CHECK(completer.take().ended.size() == 1);
}

TEST_CASE("outcomes put back keep their order") {
  Completer completer;
  for (int64_t id = 0; id < 3; ++id) completer.add(1, ended_of(id));
  Completer::Batch batch = completer.take();
  completer.add(1, ended_of(3));
  completer.put_back(std::move(batch));
  CHECK(ids_of(completer.take()) == Ids{0, 1, 2});
  CHECK(ids_of(completer.take()) == Ids{3});
}

TEST_CASE("a refused batch goes in halves, until one is stored") {
  Completer completer;
  const Error error{Error::Action::refuse, "22P05", "cannot store it"};
  for (int64_t id = 1; id <= 5; ++id) completer.add(1, ended_of(id));
  completer.put_back_refused(completer.take(), error);
  Completer::Batch half = completer.take();
  CHECK(ids_of(half) == Ids{1, 2});
  completer.put_back_refused(std::move(half), error);
  CHECK(ids_of(completer.take()) == Ids{1});
  CHECK(ids_of(completer.take()) == Ids{2});
  completer.note_stored();
  CHECK(ids_of(completer.take()) == Ids{3, 4, 5});
}

TEST_CASE("an outcome that is refused singly becomes a failure without texts, then waits") {
  Completer completer;
  const Error error{Error::Action::refuse, "22P05", "cannot store it"};
  completer.add(1, ended_of(1));
  completer.put_back_refused(completer.take(), error);
  Completer::Batch batch = completer.take();
  const auto& failed = std::get<Failed>(batch.ended.at(0).outcome);
  CHECK(failed.error_code == "unstorable");
  CHECK(failed.error == "PostgreSQL refused to store the outcome, SQLSTATE 22P05");
  CHECK(failed.billed == true);
  CHECK_FALSE(completer.has_aside());
  completer.put_back_refused(std::move(batch), error);
  CHECK(completer.has_aside());
  CHECK_FALSE(completer.has_next());
  CHECK(completer.size() == 1);
  CHECK(completer.contains(TaskKey{1, 1}));
}

TEST_CASE("only what an outcome says may fail it; of all else it is set aside as it is") {
  using enum Error::Action;
  for (const auto& [action, code, fails] :
       {std::tuple(refuse, "22021", true), std::tuple(refuse, "23514", true),
        std::tuple(bug, "54000", true), std::tuple(bug, "XX000", false),
        std::tuple(bug, "58030", false), std::tuple(bug, "42501", false),
        std::tuple(bug, "3F000", false), std::tuple(bug, "21000", false),
        std::tuple(bug, "54001", false), std::tuple(bug, "", false),
        std::tuple(refuse, "SL004", false)}) {
    CAPTURE(code);
    Completer completer;
    completer.add(1, ended_of(1, 10));
    completer.put_back_refused(completer.take(), Error{action, code, "no"});
    CHECK(completer.has_aside() == !fails);
    const Completer::Batch batch = fails ? completer.take() : completer.take_aside();
    CHECK(batch.was_aside == !fails);
    CHECK(std::holds_alternative<Failed>(batch.ended.at(0).outcome) == fails);
  }
}

TEST_CASE("those set aside are tried one at a time, and go together when one was stored") {
  const Error error{Error::Action::bug, "58030", "input/output error"};
  Completer completer;
  for (const int64_t id : {1, 2, 3}) {
    completer.add(1, ended_of(id));
    completer.put_back_refused(completer.take(), error);
  }
  completer.add(1, ended_of(4));
  CHECK(ids_of(completer.take()) == Ids{4});
  completer.put_back_refused(completer.take_aside(), error);  // behind the others
  CHECK(ids_of(completer.take_aside()) == Ids{2});
  completer.note_stored();
  completer.take_up_aside();
  completer.add(1, ended_of(5));
  CHECK(ids_of(completer.take()) == Ids{3, 1});
  CHECK(ids_of(completer.take()) == Ids{5});
}

TEST_CASE("models take turns, whatever one of them has waiting") {
  constexpr size_t half = bounds::complete_bytes_max / 2;
  Completer completer;
  for (int64_t id = 1; id <= 5; ++id) completer.add(1, ended_of(id, half, "b"));
  completer.add(1, ended_of(11, 100, "a"));
  completer.add(1, ended_of(12, 100, "c"));
  completer.add(1, ended_of(13, 100, "c"));
  CHECK(ids_of(completer.take()) == Ids{11, 1, 12, 13});
  CHECK(ids_of(completer.take()) == Ids{2, 3});
  completer.add(1, ended_of(14, 100, "a"));
  CHECK(ids_of(completer.take()) == Ids{14, 4});
  CHECK(ids_of(completer.take()) == Ids{5});
  CHECK(completer.empty());
}

TEST_CASE("a large outcome goes alone, and models take turns with them") {
  constexpr size_t large = bounds::complete_bytes_max + 1;
  Completer completer;
  for (const int64_t id : {1, 2}) completer.add(1, ended_of(id, large, "a"));
  completer.add(2, ended_of(3, large, "b"));
  CHECK(is_large(ended_of(1, large).outcome));
  CHECK_FALSE(is_large(ended_of(1, large - 1).outcome));
  for (const int64_t id : {1, 3, 2}) CHECK(ids_of(completer.take()) == Ids{id});
  CHECK(completer.empty());
}

}  // namespace sluice
