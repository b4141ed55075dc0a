#include "log/batch_check.h"

#include <utility>

#include "schemas/batch/batch_reader.h"

namespace hayward::log {
namespace {

// Kafka's limit is a setting, 8 MiB unless changed; this only bounds what a broken length can cost.
constexpr std::size_t longest_batch = 64 << 20;

BatchCheck bad(BatchCheck check, std::string expected, std::string found) {
  check.outcome = BatchCheck::Outcome::bad;
  check.expected = std::move(expected);
  check.found = std::move(found);
  return check;
}

BatchCheck need_more(BatchCheck check, std::size_t needed) {
  check.outcome = BatchCheck::Outcome::need_more;
  check.needed = needed;
  return check;
}

}  // namespace

BatchCheck check_file_batch(Bytes available, std::uint64_t remaining) {
  BatchCheck check;
  if (remaining < batch_format::records_at)
    return bad(std::move(check), "a batch header of 61 bytes", std::to_string(remaining) + " bytes");
  if (available.size() < batch_format::records_at) return need_more(std::move(check), batch_format::records_at);
  const auto header = parse_batch_header(available);
  if (!header) return bad(std::move(check), "a batch header", std::string(name(header.error())));
  check.header = *header;
  const std::size_t size = header->size();
  if (size > remaining)
    return bad(std::move(check), "a batch of " + std::to_string(size) + " bytes", std::to_string(remaining) + " bytes");
  if (size > longest_batch)
    return bad(std::move(check), "a batch of at most 64 MiB", std::to_string(size) + " bytes");
  if (size > available.size()) return need_more(std::move(check), size);
  check.skippable = true;
  if (const auto whole = hayward::check_batch(available.first(size)); !whole)
    return bad(std::move(check), "an intact batch", std::string(name(whole.error())));
  if (header->last_offset().value == INT64_MAX) return bad(std::move(check), "offsets below 2^63 - 1", "the last one");
  if (header->epoch < Epoch{0}) return bad(std::move(check), "an epoch of 0 or more", std::to_string(header->epoch.value));
  check.outcome = BatchCheck::Outcome::valid;
  return check;
}

}  // namespace hayward::log
