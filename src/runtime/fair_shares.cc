#include "runtime/fair_shares.h"

namespace sluice {

bool FairShares::Part::grow(int64_t amount) {
  if (!shares_.may_take(key_, key_factor, amount) ||
      !shares_.may_take(address_, address_factor, amount)) {
    return false;
  }
  shares_.add(key_, amount);
  shares_.add(address_, amount);
  shares_.free_ -= amount;
  held_ += amount;
  return true;
}

void FairShares::Part::give_back(int64_t kept) {
  const int64_t amount = held_ - kept;
  if (amount <= 0) return;
  held_ = kept;
  shares_.add(key_, -amount);
  shares_.add(address_, -amount);
  shares_.free_ += amount;
}

bool FairShares::may_take(const std::string& party, int64_t factor, int64_t amount) const {
  if (party.empty()) return amount <= free_;
  const auto found = held_.find(party);
  const int64_t held = found == held_.end() ? 0 : found->second;
  return held + amount <= factor * (free_ - amount);
}

void FairShares::add(const std::string& party, int64_t amount) {
  if (party.empty()) return;
  const auto entry = held_.try_emplace(party, 0).first;
  entry->second += amount;
  if (entry->second == 0) held_.erase(entry);
}

}  // namespace sluice
