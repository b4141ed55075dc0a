#include "tools/inspect/walk.h"

#include <chrono>
#include <thread>
#include <utility>

#include "log/error.h"
#include "schemas/batch/batch_reader.h"
#include "tools/inspect/record_line.h"

namespace hayward::tools {
namespace {

using log::BatchCheck;

constexpr int looks_at_a_live_tail = 4;
constexpr std::chrono::milliseconds between_looks{50};

std::string number(auto id) { return std::to_string(id.value); }

}  // namespace

Walked Walk::file(FileBytes& file, const std::string& path, LogPosition& log, const Visit& visit) {
  file_ = &file;
  path_ = path;
  walked_ = {};
  std::int64_t position = 0;
  while (position < file.size()) {
    const BatchCheck check = check_patiently(position);
    if (file.error() != 0) {
      fault(position, "to be read", log::errno_text(file.error()));
      break;
    }
    if (position >= file.size()) break;  // truncated meanwhile
    if (check.outcome == BatchCheck::Outcome::valid) {
      take(check.header, position, log);
      visit(check.header, position);
      position += static_cast<std::int64_t>(check.header.size());
      continue;
    }
    const std::int64_t next = next_after(position, check);
    const std::string skipped = "; " + std::to_string(next - position) + " bytes passed over";
    fault(position, check.expected, check.found + skipped);
    log.next = std::nullopt;
    position = next;
  }
  return std::move(walked_);
}

BatchCheck Walk::check_at(std::int64_t position) {
  std::size_t wanted = batch_format::records_at;
  for (;;) {
    const Bytes bytes = file_->at(position, wanted);
    const bool at_end = bytes.size() < wanted;  // all that the file holds (or an error)
    const BatchCheck check =
        log::check_file_batch(bytes, at_end ? bytes.size() : static_cast<std::uint64_t>(file_->size() - position));
    if (check.outcome != BatchCheck::Outcome::need_more) return check;
    wanted = check.needed;
  }
}

BatchCheck Walk::check_patiently(std::int64_t position) {
  BatchCheck check = check_at(position);
  for (int look = 1; live_ && look < looks_at_a_live_tail && check.outcome == BatchCheck::Outcome::bad; ++look) {
    std::this_thread::sleep_for(between_looks);
    file_->look_again();
    check = check_at(position);
  }
  return check;
}

// Where the walk goes on: behind the bad batch if another follows there, else at the next place that holds
// a whole one.
std::int64_t Walk::next_after(std::int64_t position, const BatchCheck& bad) {
  const auto holds_batch = [this](std::int64_t at) { return check_at(at).outcome == BatchCheck::Outcome::valid; };
  if (bad.skippable) {
    const std::int64_t behind = position + static_cast<std::int64_t>(bad.header.size());
    if (behind >= file_->size() || holds_batch(behind)) return behind;
  }
  for (std::int64_t at = position + 1; at + static_cast<std::int64_t>(batch_format::records_at) <= file_->size(); ++at) {
    const Bytes head = file_->at(at, batch_format::records_at);
    if (head.size() < batch_format::records_at) break;
    if (std::to_integer<std::int8_t>(head[batch_format::magic_at]) == batch_format::magic && holds_batch(at)) return at;
  }
  return file_->size();
}

void Walk::take(const BatchHeader& header, std::int64_t position, LogPosition& log) {
  if (log.next && header.base_offset != *log.next)
    fault(position, "a batch at offset " + number(*log.next), "one at offset " + number(header.base_offset));
  if (!log.epochs.empty() && header.epoch < log.epochs.back().epoch)
    fault(position, "epoch " + number(log.epochs.back().epoch) + " or later", "epoch " + number(header.epoch));
  else if (log.epochs.empty() || header.epoch > log.epochs.back().epoch)
    log.epochs.push_back({header.epoch, header.base_offset});
  log.next = log::end_of(header);
  if (walked_.batches++ == 0) {
    walked_.first = header.base_offset;
    walked_.first_ms = header.max_timestamp_ms;
  }
  walked_.last_ms = header.max_timestamp_ms;
  take_records(header, position);
}

void Walk::take_records(const BatchHeader& header, std::int64_t position) {
  const Bytes bytes = file_->at(position, header.size());
  RecordIterator records(header, bytes);
  std::vector<RecordLine> lines;
  Offset next = header.base_offset;
  while (const auto record = records.next()) {
    next = Offset{record->offset.value + 1};
    DecodedRecord decoded = decode_record(*record, header.is_control(), arena_);
    if (decoded.fault) {
      const auto into = record->value ? record->value->data() - bytes.data() : 0;
      fault(position + into, "a record of a known type at offset " + number(record->offset), decoded.line.type + ": " + *decoded.fault);
    }
    if (walked_.records++ == 0) walked_.first_type = decoded.line.type;
    walked_.last_type = decoded.line.type;
    if (show_ && selected(decoded.line)) lines.push_back(std::move(decoded.line));
  }
  if (const auto error = records.error())
    fault(position, "whole records in the batch at offset " + number(header.base_offset),
          std::string(name(*error)) + ", at offset " + number(next));
  if (!lines.empty()) printer_.batch(header, position, lines);
}

bool Walk::selected(const RecordLine& line) const {
  return line.offset.value >= selection_.from && line.offset.value <= selection_.to &&
         (selection_.type.empty() || selection_.type == type_key(line.type));
}

void Walk::fault(std::int64_t position, std::string expected, std::string found) {
  ++walked_.faults;
  printer_.fault({path_, position, std::move(expected), std::move(found)});
}

}  // namespace hayward::tools
