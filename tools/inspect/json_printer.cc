// For programs: one object {"files": [{"file", "kind", "batches"?, facts...}], "faults": [...]}, written as it
// comes, so that a log of any size is read in little memory.
// Owner: tools/inspect. The main thread.
#include "tools/inspect/report.h"

namespace hayward::tools {
namespace {

constexpr std::size_t flush_bytes = 1 << 16;

class JsonPrinter final : public Printer {
 public:
  explicit JsonPrinter(std::FILE* out) : out_(out) { json_.begin_object().key("files").begin_array(); }

  void begin_file(const std::string& path, std::string_view kind) override {
    json_.begin_object().key("file").value(path).key("kind").value(kind);
  }

  void batch(const BatchHeader& header, std::int64_t position, const std::vector<RecordLine>& records) override {
    if (!in_batches_) json_.key("batches").begin_array();
    in_batches_ = true;
    json_.begin_object();
    json_.key("position").value(position).key("base_offset").value(header.base_offset.value);
    json_.key("last_offset").value(header.last_offset().value).key("epoch").value(header.epoch.value);
    json_.key("timestamp_ms").value(header.max_timestamp_ms).key("bytes").value(header.size());
    json_.key("control").value(header.is_control()).key("records").begin_array();
    for (const RecordLine& record : records) {
      json_.begin_object().key("offset").value(record.offset.value).key("type").value(record.type);
      if (record.version >= 0) json_.key("version").value(record.version);
      json_.key(record.decoded ? "data" : "undecoded").raw(record.data).end_object();
    }
    json_.end_array().end_object();
    flush_if_long();
  }

  void end_file(const Facts& facts) override {
    if (in_batches_) json_.end_array();
    in_batches_ = false;
    for (const auto& [name, json] : facts.all()) json_.key(name).raw(json);
    json_.end_object();
    flush_if_long();
  }

  bool end() override {
    json_.end_array().key("faults").begin_array();
    for (const Fault& fault : list_) {
      json_.begin_object().key("file").value(fault.file).key("position").value(fault.position);
      json_.key("expected").value(fault.expected).key("found").value(fault.found).end_object();
    }
    json_.end_array().end_object();
    flush();
    std::fputc('\n', out_);
    return std::fflush(out_) == 0 && !std::ferror(out_);
  }

 private:
  void add_fault(Fault fault) override { list_.push_back(std::move(fault)); }
  void flush_if_long() {
    if (json_.text().size() >= flush_bytes) flush();
  }
  void flush() {
    const std::string text = json_.take();
    std::fwrite(text.data(), 1, text.size(), out_);
  }

  std::FILE* out_;
  Json json_;
  bool in_batches_ = false;
  std::vector<Fault> list_;
};

}  // namespace

std::unique_ptr<Printer> make_json_printer(std::FILE* out) { return std::make_unique<JsonPrinter>(out); }

}  // namespace hayward::tools
