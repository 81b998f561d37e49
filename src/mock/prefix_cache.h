// PrefixCache stands in for a model's memory of how prompts begin: a call whose beginning is in it
// need not be read from the start. It holds the prefixes used last, up to its capacity, as hashes;
// what they cost or save is not its business.
#pragma once

#include <cstddef>
#include <list>
#include <string_view>
#include <unordered_map>

namespace sluice {

class PrefixCache final {
 public:
  explicit PrefixCache(size_t capacity) : capacity_(capacity) {}

  // Whether the prefix is in it; afterwards it is, as the one used last.
  bool use(std::string_view prefix);

 private:
  size_t capacity_;
  std::list<size_t> hashes_;  // used last first
  std::unordered_map<size_t, std::list<size_t>::iterator> places_;
};

}  // namespace sluice
