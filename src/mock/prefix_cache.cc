#include "mock/prefix_cache.h"

#include <functional>

namespace sluice {

bool PrefixCache::use(std::string_view prefix) {
  if (capacity_ == 0) return false;
  const size_t hash = std::hash<std::string_view>()(prefix);
  const auto found = places_.find(hash);
  if (found != places_.end()) {
    hashes_.splice(hashes_.begin(), hashes_, found->second);
    return true;
  }
  if (hashes_.size() == capacity_) {
    places_.erase(hashes_.back());
    hashes_.pop_back();
  }
  hashes_.push_front(hash);
  places_.emplace(hash, hashes_.begin());
  return false;
}

}  // namespace sluice
