// For people: a line a file, a line a record, faults where they are found and counted at the end.
// Owner: tools/inspect. The main thread.
#include <ctime>

#include <fmt/format.h>

#include "tools/inspect/report.h"

namespace hayward::tools {
namespace {

std::string utc(std::int64_t ms) {
  if (ms < 0) return "no time";
  const std::time_t seconds = ms / 1000;
  std::tm parts{};
  if (!::gmtime_r(&seconds, &parts)) return std::to_string(ms) + " ms";
  char text[40];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &parts);
  return fmt::format("{}.{:03}Z", text, ms % 1000);
}

class TextPrinter final : public Printer {
 public:
  explicit TextPrinter(std::FILE* out) : out_(out) {}

  void begin_file(const std::string& path, std::string_view kind) override { print("{} ({})\n", path, kind); }

  void batch(const BatchHeader& header, std::int64_t position, const std::vector<RecordLine>& records) override {
    print("  batch at byte {}: offsets {} to {}, epoch {}, {}, {} bytes{}\n", position, header.base_offset.value,
          header.last_offset().value, header.epoch.value, utc(header.max_timestamp_ms), header.size(),
          header.is_control() ? ", control" : "");
    for (const RecordLine& record : records) {
      const std::string version = record.version < 0 ? "" : fmt::format(" v{}", record.version);
      print("    {} {}{} {}{}\n", record.offset.value, record.type, version, record.decoded ? "" : "undecoded ", record.data);
    }
  }

  void end_file(const Facts& facts) override {
    std::string line;
    for (const auto& [name, json] : facts.all()) {
      std::string words = name;
      for (char& c : words)
        if (c == '_') c = ' ';
      const bool quoted = json.size() >= 2 && json.front() == '"';
      line += (line.empty() ? "  " : ", ") + words + " " + (quoted ? json.substr(1, json.size() - 2) : json);
    }
    if (!line.empty()) print("{}\n", line);
  }

  bool end() override {
    if (faults() == 0) print("no damage found\n");
    else print("{} found\n", faults() == 1 ? std::string("1 fault") : std::to_string(faults()) + " faults");
    return std::fflush(out_) == 0 && !std::ferror(out_);
  }

 private:
  void add_fault(Fault fault) override {
    print("  DAMAGED {}, byte {}: expected {}, found {}\n", fault.file, fault.position, fault.expected, fault.found);
  }
  template <class... T>
  void print(fmt::format_string<T...> format, T&&... values) {
    const std::string text = fmt::format(format, std::forward<T>(values)...);
    std::fwrite(text.data(), 1, text.size(), out_);
  }

  std::FILE* out_;
};

}  // namespace

std::unique_ptr<Printer> make_text_printer(std::FILE* out) { return std::make_unique<TextPrinter>(out); }

}  // namespace hayward::tools
