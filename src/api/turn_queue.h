// TurnQueue keeps waiting items in order of arrival, separately for each key, and lets the keys
// take turns, of one item or as many as their owner takes: however many items one key has, another
// key's next item waits for only one turn of it.
//
// Thread rule: none of its own. How many wait is bounded by its owner.
#pragma once

#include <algorithm>
#include <deque>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <utility>

namespace sluice {

template <class T>
class TurnQueue final {
 public:
  void push(const std::string& key, T item) {
    waiting_[key].push_back(std::move(item));
    ++size_;
  }

  // The first item of the next key in turn for which `may_go(key, item)`; nullopt: of none.
  template <class MayGo>
  std::optional<T> take(MayGo may_go) {
    auto key = waiting_.upper_bound(last_key_);
    for (size_t looked = 0; looked < waiting_.size(); ++looked, ++key) {
      if (key == waiting_.end()) key = waiting_.begin();
      auto& [name, items] = *key;
      if (!may_go(name, std::as_const(items.front()))) continue;
      last_key_ = name;
      return take_first(key);
    }
    return std::nullopt;
  }

  // The first item of `key` if `may_go(item)`: for a turn of several.
  template <class MayGo>
  std::optional<T> take_of(const std::string& key, MayGo may_go) {
    const auto found = waiting_.find(key);
    if (found == waiting_.end() || !may_go(std::as_const(found->second.front()))) {
      return std::nullopt;
    }
    return take_first(found);
  }

  // Takes those items of `key` for which `is_over(item)`.
  template <class IsOver>
  void erase_if(const std::string& key, IsOver is_over) {
    const auto found = waiting_.find(key);
    if (found == waiting_.end()) return;
    size_ -= std::erase_if(found->second, is_over);
    if (found->second.empty()) waiting_.erase(found);
  }

  bool empty() const { return size_ == 0; }
  size_t size() const { return size_; }
  size_t size_of(const std::string& key) const {
    const auto found = waiting_.find(key);
    return found == waiting_.end() ? 0 : found->second.size();
  }
  size_t keys() const { return waiting_.size(); }

 private:
  using Waiting = std::map<std::string, std::deque<T>>;

  T take_first(typename Waiting::iterator key) {
    T item = std::move(key->second.front());
    key->second.pop_front();
    --size_;
    if (key->second.empty()) waiting_.erase(key);
    return item;
  }

  Waiting waiting_;       // by key; none is empty
  std::string last_key_;  // whose turn was the last
  size_t size_ = 0;
};

}  // namespace sluice
