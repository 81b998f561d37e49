// FairShares divides a scarce resource among keys and addresses. No share lies idle: a key may hold
// as much as would then still be free (an address, which may be a proxy's, seven times that). So a
// single key has half of the resource, two keys have a third each, and nobody, however long he
// keeps his share, takes the last of it from a newcomer.
//
// Thread rule: loop thread only; it outlives its parts.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>

namespace sluice {

class FairShares final {
 public:
  static constexpr int64_t key_factor = 1;
  static constexpr int64_t address_factor = 7;

  explicit FairShares(int64_t total) : free_(total) {}
  FairShares(const FairShares&) = delete;
  FairShares& operator=(const FairShares&) = delete;

  // The share of one request or connection; given back when it is destroyed.
  class Part final {
   public:
    // `key`: empty if there is none.
    Part(FairShares& shares, std::string key, std::string address)
        : shares_(shares), key_(std::move(key)), address_(std::move(address)) {}
    ~Part() { give_back(); }
    Part(const Part&) = delete;
    Part& operator=(const Part&) = delete;

    // Takes `amount` more. False: that is more than its key or its address may have now, and
    // nothing changes.
    bool grow(int64_t amount);
    // Gives back all beyond `kept`.
    void give_back(int64_t kept = 0);

   private:
    FairShares& shares_;
    std::string key_;
    std::string address_;
    int64_t held_ = 0;
  };

  int64_t free() const { return free_; }

 private:
  bool may_take(const std::string& party, int64_t factor, int64_t amount) const;
  void add(const std::string& party, int64_t amount);

  int64_t free_;
  std::unordered_map<std::string, int64_t> held_;  // by key and by address; no zeros
};

}  // namespace sluice
