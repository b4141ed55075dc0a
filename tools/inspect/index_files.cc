// .index and .timeindex: entries ascend, and only zeros follow them.
#include <algorithm>

#include "tools/inspect/small_files.h"

namespace hayward::tools {
namespace {

// What differs between the two.
struct OffsetFormat {
  using Entry = log::IndexEntry;
  static constexpr std::size_t bytes = log::index_entry_bytes;
  static constexpr std::string_view kind = "offset index";
  static std::vector<Entry> decode(Bytes file) { return log::decode_index(file); }
  static bool ascends(const Entry& before, const Entry& entry) {
    return entry.relative > before.relative && entry.position > before.position;
  }
  static std::string text(const Entry& entry) {
    return "relative offset " + std::to_string(entry.relative) + " at byte " + std::to_string(entry.position);
  }
  static void write(Json& json, const Entry& entry) {
    json.begin_object().key("relative_offset").value(entry.relative).key("position").value(entry.position).end_object();
  }
};

struct TimeFormat {
  using Entry = log::TimeIndexEntry;
  static constexpr std::size_t bytes = log::time_index_entry_bytes;
  static constexpr std::string_view kind = "time index";
  static std::vector<Entry> decode(Bytes file) { return log::decode_time_index(file); }
  static bool ascends(const Entry& before, const Entry& entry) {
    return entry.timestamp_ms > before.timestamp_ms && entry.relative >= before.relative;
  }
  static std::string text(const Entry& entry) {
    return std::to_string(entry.timestamp_ms) + " ms at relative offset " + std::to_string(entry.relative);
  }
  static void write(Json& json, const Entry& entry) {
    json.begin_object().key("timestamp_ms").value(entry.timestamp_ms).key("relative_offset").value(entry.relative).end_object();
  }
};

bool is_blank(const log::IndexEntry& entry) { return entry == log::IndexEntry{}; }
bool is_blank(const log::TimeIndexEntry& entry) { return entry == log::TimeIndexEntry{0, 0}; }

template <class Format>
std::vector<typename Format::Entry> inspect_entries(Printer& printer, const std::string& path, bool list) {
  printer.begin_file(path, Format::kind);
  std::vector<typename Format::Entry> entries;
  Facts facts;
  if (const auto content = read_whole(printer, path)) {
    entries = Format::decode(*content);
    const std::size_t room = entries.size();
    while (!entries.empty() && is_blank(entries.back())) entries.pop_back();
    for (std::size_t i = 1; i < entries.size(); ++i) {
      if (!Format::ascends(entries[i - 1], entries[i]))
        printer.fault({path, static_cast<std::int64_t>(i * Format::bytes), "more than " + Format::text(entries[i - 1]),
                       Format::text(entries[i])});
    }
    const std::size_t odd = content->size() % Format::bytes;
    if (odd != 0)
      printer.fault({path, static_cast<std::int64_t>(content->size() - odd), "entries of " + std::to_string(Format::bytes) + " bytes",
                     std::to_string(odd) + " bytes"});
    facts.add("entries", entries.size());
    if (room > entries.size()) facts.add("unused_entries", room - entries.size());
    if (list) {
      Json json;
      json.begin_array();
      for (const auto& entry : entries) Format::write(json, entry);
      facts.add_json("list", json.end_array().take());
    }
  }
  printer.end_file(facts);
  return entries;
}

}  // namespace

std::vector<log::IndexEntry> inspect_index(Printer& printer, const std::string& path, bool list) {
  return inspect_entries<OffsetFormat>(printer, path, list);
}
std::vector<log::TimeIndexEntry> inspect_time_index(Printer& printer, const std::string& path, bool list) {
  return inspect_entries<TimeFormat>(printer, path, list);
}

}  // namespace hayward::tools
