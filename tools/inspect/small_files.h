// The files beside the log: each is read whole, checked, and told as facts.
// Owner: tools/inspect. The main thread.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engine/core/types.h"
#include "log/flush_mark.h"
#include "log/index_format.h"
#include "tools/inspect/report.h"

namespace hayward::tools {

void inspect_meta_properties(Printer& printer, const std::string& path);
void inspect_quorum_state(Printer& printer, const std::string& path);
// The entries; empty if it is damaged.
std::vector<core::EpochStart> inspect_epoch_checkpoint(Printer& printer, const std::string& path);
void inspect_partition_metadata(Printer& printer, const std::string& path);
// The producers of a partition's .snapshot; the metadata log has none.
void inspect_producer_snapshot(Printer& printer, const std::string& path);
// Whether a process holds the directory. Neither takes nor changes the lock.
void inspect_lock(Printer& printer, const std::string& path);
bool is_locked(const std::string& path);

// Read early and told later: a mark never names what the log read after it lacks. nullopt: not readable as
// one; the fault is told then.
std::optional<log::FlushMark> read_flush_mark(const std::string& path);
void inspect_flush_mark(Printer& printer, const std::string& path, const std::optional<log::FlushMark>& mark,
                        std::string_view fit);

// The entries up to the room that a running Java leaves, zeroed, behind them. `list`: they are told too.
std::vector<log::IndexEntry> inspect_index(Printer& printer, const std::string& path, bool list);
std::vector<log::TimeIndexEntry> inspect_time_index(Printer& printer, const std::string& path, bool list);

// The file's content, if it can be read (faults are told) and is not absurdly long.
std::optional<Buffer> read_whole(Printer& printer, const std::string& path);

}  // namespace hayward::tools
