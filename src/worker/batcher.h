// Batcher gathers the cold tasks of models that take batches, decides when a batch goes and how
// large it is, and makes one call of it. It owns what waits, and the calls under way; it neither
// claims nor stores, and hedges nothing.
//
// Each task keeps its own slot, permit, deadline and end. Cancelling one drops its result only: the
// call goes on for the others. Its size: at most batch_max, halved each time that the task was
// handed back uncharged (the fence counts claims, `attempt` those that were charged). So the tasks
// of a batch that failed come back in halves, at last alone: then they are no batch, and a failure
// is theirs.
//
// Thread rule: loop thread only. It outlives its tasks' ask().
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>

#include "worker/batch_pace.h"
#include "worker/call.h"

namespace sluice {

class Batcher final {
 public:
  explicit Batcher(Clock& clock) : clock_(clock) {}
  ~Batcher();
  Batcher(const Batcher&) = delete;
  Batcher& operator=(const Batcher&) = delete;

  // Whether this task of the model goes with others. Not so urgent ones (priority above 0),
  // verbatim requests, and those that have failed with others until they are alone.
  static bool takes(const Model& model, const ClaimedTask& task);

  // Its answer from the call of its batch. The call outlives it.
  Co<Answer> ask(Calling calling, SharedModel model, Call& call);

  // No more will come to wait for.
  void send_all();

 private:
  struct Member;
  struct Batch;
  // Tasks of one group may go together: their model, the batch size that all bear, their output
  // limit.
  using Group = std::tuple<std::string, size_t, std::optional<int64_t>>;

  void gather(const Group& group, const Calling& calling, SharedModel model, Member& member);
  void set_timer(const Group& group, Batch& batch);
  void send(const Group& group);
  static void leave(Batch& batch, Member& member);
  static HttpRequest request_of(Batch& batch);
  Co<void> call(std::shared_ptr<Batch> batch);

  Clock& clock_;
  std::map<Group, std::shared_ptr<Batch>> gathering_;
  std::map<std::string, BatchPace> paces_;  // by model
};

}  // namespace sluice
