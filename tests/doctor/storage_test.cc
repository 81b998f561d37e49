#include "doctor/storage.h"

#include <doctest/doctest.h>

namespace sluice {
namespace {

constexpr int64_t gib = int64_t{1} << 30;

// The only finding's text.
std::string the_one(const Findings& findings, const char* check) {
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].check == check);
  CHECK_FALSE(findings[0].way_out.empty());
  return findings[0].what;
}

TableFacts table(int64_t bytes, int64_t live, int64_t dead, std::optional<double> vacuumed_s_ago) {
  return {"queue_7", bytes, live, dead, vacuumed_s_ago, true};
}

}  // namespace

TEST_CASE("a disk is too full when two checkpoints' WAL may not fit") {
  DiskFacts facts;
  CHECK(judge_disk(facts).empty());  // somebody else's disk
  facts.max_wal_bytes = gib;
  facts.disk_bytes = 100 * gib;
  facts.free_bytes = 2 * gib;
  CHECK(judge_disk(facts).empty());
  facts.free_bytes = 2 * gib - 1;
  CHECK(the_one(judge_disk(facts), "disk").find("free of 100 GiB") != std::string::npos);
  facts.max_wal_bytes = 0;  // and never below 1 GiB
  CHECK(judge_disk(facts).empty());
  facts.free_bytes = gib - 1;
  CHECK(the_one(judge_disk(facts), "disk").find("1023 MiB") != std::string::npos);
}

TEST_CASE("a replication slot that keeps much WAL, or has lost it, is a finding") {
  DiskFacts facts;
  facts.slots = {{"a", "extended", 10 * gib}, {"b", "", 0}};
  CHECK(judge_disk(facts).empty());
  facts.slots[0].retained_bytes += 1;
  CHECK(the_one(judge_disk(facts), "disk").find("slot a keeps 10 GiB") != std::string::npos);
  facts.slots = {{"c", "lost", 0}};
  CHECK(the_one(judge_disk(facts), "disk").find("slot c has lost") != std::string::npos);
}

TEST_CASE("WAL that is not archived is a finding") {
  DiskFacts facts;
  facts.archive_fails = true;
  facts.archive_segment = "000000010000000000000007";
  CHECK(the_one(judge_disk(facts), "archive").find("000000010000000000000007") !=
        std::string::npos);
}

TEST_CASE("nine of ten connections may be taken") {
  CHECK(judge_capacity({90, 100, 0, 200'000'000}).empty());
  CHECK(the_one(judge_capacity({91, 100, 0, 200'000'000}), "connections").starts_with("91 of 100"));
}

TEST_CASE("rows may be twice as old as vacuum keeps them, and never a billion transactions") {
  CHECK(judge_capacity({1, 100, 400'000'000, 200'000'000}).empty());
  the_one(judge_capacity({1, 100, 400'000'001, 200'000'000}), "wraparound");
  the_one(judge_capacity({1, 100, 1'000'000'001, 1'500'000'000}), "wraparound");
}

TEST_CASE("dead rows are a finding when vacuum leaves them") {
  CHECK(judge_tables({table(0, 0, 5'000'000, {})}).empty());
  CHECK(judge_tables({table(0, 0, 5'000'001, 600.0)}).empty());       // it has just been there
  CHECK(judge_tables({table(0, 6'000'000, 5'000'001, {})}).empty());  // a great table
  CHECK(the_one(judge_tables({table(0, 0, 5'000'001, {})}), "bloat").ends_with("never"));
  CHECK(the_one(judge_tables({table(0, 0, 5'000'001, 601.0)}), "bloat").ends_with("10m ago"));
}

TEST_CASE("a line's file that is mostly empty is a finding from a gigabyte on") {
  CHECK(judge_tables({table(gib, 1, 0, 1.0)}).empty());
  CHECK(the_one(judge_tables({table(gib + 1, 1, 0, 1.0)}), "bloat").find("1.0 GiB for 1 rows") !=
        std::string::npos);
  CHECK(judge_tables({table(2 * gib, 2'000'000, 0, 1.0)}).empty());
  TableFacts results = table(2 * gib, 1, 0, 1.0);
  results.is_line = false;  // retention drops it whole
  CHECK(judge_tables({results}).empty());
}

TEST_CASE("partitions must be there, reach ahead, and leave some numbers for bursts") {
  CHECK(judge_partitions({1, 1'000'001, 2, 32, ""}).empty());
  CHECK(the_one(judge_partitions({2, 1'000'001, 2, 32, ""}), "partitions").find("999999 ids") !=
        std::string::npos);
  CHECK(the_one(judge_partitions({10, 5, 2, 32, ""}), "partitions").find("reach 0 ids") !=
        std::string::npos);
  CHECK(the_one(judge_partitions({1, 1'000'001, 2, 32, "task_1, result_1"}), "partitions")
            .find("task_1, result_1") != std::string::npos);
  CHECK(judge_partitions({1, 1'000'001, 29, 32, ""}).empty());
  the_one(judge_partitions({1, 1'000'001, 30, 32, ""}), "partitions");
}

TEST_CASE("live workers of another version are a finding") {
  CHECK(judge_versions({}, "0.2.0").empty());
  CHECK(judge_versions({{"0.2.0", 7}}, "0.2.0").empty());
  CHECK(the_one(judge_versions({{"0.1.0", 1}, {"0.2.0", 7}}, "0.2.0"), "versions") ==
        "1 live worker runs version 0.1.0, this is 0.2.0");
}

}  // namespace sluice
