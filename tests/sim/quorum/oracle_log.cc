// See oracle_log.h.
#include "oracle_log.h"

#include <iterator>
#include <utility>

#include "engine/base/trace.h"
#include "schemas/batch/batch_reader.h"
#include "schemas/batch/control.h"
#include "schemas/runtime/arena.h"

namespace hayward::sim {
namespace {

std::int64_t read_int(Bytes bytes, std::size_t at, std::size_t size) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < size; ++i) value = value << 8 | std::to_integer<std::uint64_t>(bytes[at + i]);
  return static_cast<std::int64_t>(value);
}

}  // namespace

BatchHead read_head(Bytes batch) {
  BatchHead head;
  head.base = read_int(batch, 0, 8);
  head.end = head.base + read_int(batch, 23, 4) + 1;
  head.epoch = static_cast<std::int32_t>(read_int(batch, 12, 4));
  head.control = (read_int(batch, 21, 2) & 0x20) != 0;
  return head;
}

std::uint64_t hash_of(Bytes batch) {
  TraceHash hash;
  hash.add(batch);
  return hash.value();
}

std::optional<std::vector<std::int32_t>> voters_in(Bytes batch) {
  const auto header = parse_batch_header(batch);
  if (!header || !header->is_control()) return std::nullopt;
  Arena arena;
  std::optional<std::vector<std::int32_t>> ids;
  RecordIterator records(*header, batch);
  while (const auto record = records.next()) {
    const auto control = decode_control(*record, arena);
    const auto* voters = control ? std::get_if<records::VotersRecord>(&*control) : nullptr;
    if (voters == nullptr) continue;
    ids.emplace();
    for (const auto& voter : voters->voters) ids->push_back(voter.voter_id.value);
  }
  return ids;
}

const std::vector<std::int32_t>* OracleLog::voters_before(std::int64_t offset) const {
  const auto at = voters_.lower_bound(offset);
  return at == voters_.begin() ? nullptr : &std::prev(at)->second;
}

void OracleLog::commit(Bytes batch) {
  const BatchHead head = read_head(batch);
  entries_[head.base] = {head, hash_of(batch)};
  if (auto voters = voters_in(batch)) voters_[head.base] = std::move(*voters);
}

std::optional<std::string> OracleLog::contradicts(Bytes batch) const {
  const BatchHead head = read_head(batch);
  const std::string where = "the batch at offset " + std::to_string(head.base);
  const auto at = entries_.find(head.base);
  if (at == entries_.end()) return where + " begins where no committed one does";
  if (at->second.hash != hash_of(batch)) {
    return where + " of epoch " + std::to_string(head.epoch) + " is not the committed one of epoch " +
           std::to_string(at->second.head.epoch);
  }
  return std::nullopt;
}

}  // namespace hayward::sim
