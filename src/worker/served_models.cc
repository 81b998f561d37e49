#include "worker/served_models.h"

#include <spdlog/spdlog.h>

#include <memory>
#include <utility>

namespace sluice {

std::vector<Model> ServedModels::take(const Configuration& configuration) {
  models_.clear();
  names_.clear();
  has_ceiling_ = false;
  std::vector<Model> served;
  for (const Model& model : configuration.models) {
    if (find_backend(model.api)) {
      models_.emplace(model.name, std::make_shared<const Model>(model));
      has_ceiling_ = has_ceiling_ || model.max_in_flight.has_value();
      served.push_back(model);
    } else {
      spdlog::warn(
          "model \"{}\" needs api \"{}\", which this release does not speak; its tasks wait",
          model.name, model.api);
    }
  }
  for (const auto& [name, model] : models_) names_.push_back(name);
  warn_of_unknown(configuration);
  say_what_is_parked(configuration);
  return served;
}

SharedModel ServedModels::find(std::string_view name) const {
  const auto model = models_.find(name);
  return model == models_.end() ? nullptr : model->second;
}

// No error: it may be made later, and is served then.
void ServedModels::warn_of_unknown(const Configuration& configuration) {
  std::set<std::string> unknown(told_.begin(), told_.end());
  for (const Model& model : configuration.models) unknown.erase(model.name);
  for (const std::string& name : unknown) {
    if (unknown_.contains(name)) continue;
    spdlog::warn("unknown model \"{}\" in --models: nothing is served for it until it is made",
                 name);
  }
  unknown_ = std::move(unknown);
}

void ServedModels::say_what_is_parked(const Configuration& configuration) {
  for (const auto& [name, why] : configuration.parked) {
    if (parked_.contains(name)) continue;
    spdlog::warn(
        "model \"{0}\" is parked ({1}), its tasks wait: sluice status says why, "
        "sluice model resume {0} opens it",
        name, why);
  }
  for (const auto& [name, why] : parked_) {
    if (!configuration.parked.contains(name)) spdlog::info("model \"{}\" is parked no more", name);
  }
  parked_ = configuration.parked;
}

}  // namespace sluice
