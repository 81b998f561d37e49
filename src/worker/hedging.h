// Hedging decides which calls under way may ask for an extra one. The database keeps the budget
// that all models share; this class keeps each model to a few times its own share. It owns the
// calls that wait for the database's answer, and counts the extra ones under way; it sends nothing.
//
// Thread rule: loop thread only.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "worker/database.h"

namespace sluice {

class Hedging final {
 public:
  // A task's own call begins.
  void note_call(const std::string& model);

  // This call wants an extra one. False: the extra calls among the model's last ones, those asked
  // for included, are not under what it may have, or one was refused just now.
  bool ask(const Model& model, const TaskKey& key, int64_t now_ns);
  bool has_asked() const { return !waiting_.empty(); }

  // The calls to ask the database for, no more than a flush takes.
  std::vector<TaskKey> take();
  // Notes the database's answer, and whether the call begins: the task may have ended meanwhile.
  void note_answer(const TaskKey& key, bool begins);
  // It said no: the model's other calls need not ask for the same at once.
  void note_refusal(const TaskKey& key);
  // The call has ended, its extra ones too: if the database has not been asked yet, it need not be.
  void forget(const TaskKey& key);
  // Extra calls under way, and those asked for.
  size_t size() const { return begun_.size() + asked_.size(); }

 private:
  struct Window {
    std::deque<bool> calls;  // the last ones; true: extra
    int extra = 0;           // of these
    int asked = 0;           // not answered yet
    int64_t asked_at_ns = 0;
    int64_t again_at_ns = 0;
    void add(bool is_extra);
  };
  std::map<std::string, Window> windows_;
  std::map<TaskKey, std::string> asked_;  // and for which model; not answered yet
  std::multiset<TaskKey> begun_;          // one for each extra call under way
  std::set<TaskKey> waiting_;  // of those asked for, those that the database has not been asked for
};

}  // namespace sluice
