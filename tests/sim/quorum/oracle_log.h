// The one true log: what has been committed, in order, as the oracle has seen it happen. Reads batches by itself.
// Owner: Oracle.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "schemas/runtime/bytes.h"

namespace hayward::sim {

// Of a batch, what its first 61 bytes say.
struct BatchHead {
  std::int64_t base = 0;
  std::int64_t end = 0;  // exclusive
  std::int32_t epoch = 0;
  bool control = false;
};
BatchHead read_head(Bytes batch);
std::uint64_t hash_of(Bytes batch);
// The ids of the last Voters record in it; nullopt: it has none.
std::optional<std::vector<std::int32_t>> voters_in(Bytes batch);

class OracleLog {
 public:
  struct Entry {
    BatchHead head;
    std::uint64_t hash = 0;
  };
  std::int64_t end() const { return entries_.empty() ? 0 : entries_.rbegin()->second.head.end; }
  // The next batch is committed.
  void commit(Bytes batch);
  // nullopt: the batch is the one that is committed there. Else what is wrong.
  std::optional<std::string> contradicts(Bytes batch) const;
  // The voters by the last committed record below `offset`; nullptr: none says.
  const std::vector<std::int32_t>* voters_before(std::int64_t offset) const;
  const std::map<std::int64_t, Entry>& entries() const { return entries_; }

 private:
  std::map<std::int64_t, Entry> entries_;  // by base offset
  std::map<std::int64_t, std::vector<std::int32_t>> voters_;  // by base offset of the batch that says so
};

}  // namespace hayward::sim
