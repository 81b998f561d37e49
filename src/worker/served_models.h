// ServedModels are the models that this worker serves, as last read. It reports once which of them
// it cannot serve and which somebody has to open. It asks for nothing.
//
// Thread rule: loop thread only.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "backends/backend.h"
#include "worker/database.h"

namespace sluice {

class ServedModels final {
 public:
  // `told`: the models to serve, by name; none: all.
  explicit ServedModels(std::vector<std::string> told) : told_(std::move(told)) {}

  // The models as they are now. Returns those that can be served.
  std::vector<Model> take(const Configuration& configuration);

  bool empty() const { return models_.empty(); }
  // Null: it is not served any more.
  SharedModel find(std::string_view name) const;
  const std::vector<std::string>& names() const { return names_; }
  // One of them may be full: the fleet's calls of it are bounded.
  bool has_ceiling() const { return has_ceiling_; }

 private:
  void warn_of_unknown(const Configuration& configuration);
  void say_what_is_parked(const Configuration& configuration);

  std::vector<std::string> told_;
  std::map<std::string, SharedModel, std::less<>> models_;
  std::vector<std::string> names_;  // of all of them
  bool has_ceiling_ = false;
  std::set<std::string> unknown_;              // of those it was told to serve; each is said once
  std::map<std::string, std::string> parked_;  // likewise
};

}  // namespace sluice
