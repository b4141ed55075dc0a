#include "log/snapshot_check.h"

#include <optional>
#include <utility>
#include <variant>

#include "log/batch_cursor.h"
#include "log/files.h"
#include "schemas/batch/batch_reader.h"
#include "schemas/batch/control.h"
#include "schemas/runtime/arena.h"

namespace hayward::log {
namespace {

// The batch's first or last record as a control record of type T.
template <class T>
std::optional<T> control_record(const BatchHeader& header, Bytes batch, Arena& arena) {
  if (!header.is_control()) return std::nullopt;
  RecordIterator records(header, batch);
  const auto record = records.next();
  if (!record) return std::nullopt;
  const auto decoded = decode_control(*record, arena);
  if (!decoded || !std::holds_alternative<T>(*decoded)) return std::nullopt;
  return std::get<T>(*decoded);
}

class Checker {
 public:
  Checker(ring::Port& port, ring::Fd fd, std::string path, std::int64_t size, Epoch epoch)
      : cursor_(port, fd, 0, size), path_(std::move(path)), epoch_(epoch) {}

  Step<Result<std::int64_t>> run(bool whole) {
    if (cursor_.at_end()) co_return fault("a snapshot header", "an empty file");
    while (!cursor_.at_end() && (whole || !timestamp_ms_)) {
      const BatchCheck check = cursor_.peek();
      if (check.outcome == BatchCheck::Outcome::need_more) {
        const std::int32_t error = co_await cursor_.fill(check.needed);
        if (error < 0) co_return io_error(path_, "to be read", error);
        continue;
      }
      if (check.outcome == BatchCheck::Outcome::bad) co_return fault(check.expected, check.found);
      if (auto taken = take(check); !taken) co_return std::unexpected(taken.error());
    }
    if (whole && !footer_) co_return fault("a snapshot footer at the end", "none");
    co_return *timestamp_ms_;
  }

 private:
  Result<void> take(const BatchCheck& check) {
    const Bytes batch = cursor_.bytes(check);
    Arena arena;
    if (footer_) return fault("nothing after the snapshot footer", "another batch");
    if (check.header.base_offset != next_)
      return fault("offset " + std::to_string(next_.value), std::to_string(check.header.base_offset.value));
    if (check.header.epoch != epoch_)
      return fault("epoch " + std::to_string(epoch_.value), std::to_string(check.header.epoch.value));
    if (!timestamp_ms_) {
      const auto header = control_record<records::SnapshotHeaderRecord>(check.header, batch, arena);
      if (!header) return fault("a snapshot header", "another batch");
      timestamp_ms_ = header->last_contained_log_timestamp;
    }
    footer_ = control_record<records::SnapshotFooterRecord>(check.header, batch, arena).has_value();
    next_ = end_of(check.header);
    cursor_.advance(check.header.size());
    return {};
  }

  std::unexpected<LogError> fault(std::string expected, std::string found) const {
    return std::unexpected(LogError{LogError::Kind::damaged, path_,
                                    std::move(expected) + " at byte " + std::to_string(cursor_.position()), std::move(found),
                                    "restore the file from a backup"});
  }

  BatchCursor cursor_;
  std::string path_;
  Epoch epoch_;
  std::optional<std::int64_t> timestamp_ms_;
  bool footer_ = false;
  Offset next_{0};
};

}  // namespace

Step<Result<std::int64_t>> check_snapshot(ring::Port& port, std::string path, std::int64_t size, Epoch epoch, bool whole) {
  const std::int32_t fd = co_await open_file(port, path, O_RDONLY);
  if (fd < 0) co_return io_error(path, "to be opened", fd);
  Checker checker(port, fd, path, size, epoch);
  auto checked = co_await checker.run(whole);
  co_await close_file(port, fd);
  co_return checked;
}

}  // namespace hayward::log
