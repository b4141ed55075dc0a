// What `inspect` tells: a file with its facts, its batches with their records, faults. Two printers, one for
// people and one for programs, take the same calls.
// Owner: tools/inspect. The main thread.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "schemas/batch/format.h"
#include "tools/json.h"

namespace hayward::tools {

// Something that is not as it should be, in a way that a restart would not mend.
struct Fault {
  std::string file;
  std::int64_t position = 0;  // byte in the file
  std::string expected;
  std::string found;
};

// Named values in order, each as JSON.
class Facts {
 public:
  struct Fact {
    std::string name;
    std::string json;
  };
  template <class T>
  Facts& add(std::string name, const T& value) { return add_json(std::move(name), Json().value(value).take()); }
  Facts& add_json(std::string name, std::string json) {
    all_.push_back({std::move(name), std::move(json)});
    return *this;
  }
  const std::vector<Fact>& all() const { return all_; }

 private:
  std::vector<Fact> all_;
};

struct RecordLine {
  Offset offset;
  std::string type;           // "TopicRecord", "LEADER_CHANGE"; "unknown 99"
  std::int32_t version = -1;  // -1: not known
  std::string data;           // JSON: an object of the fields, or base64 text if it could not be decoded
  bool decoded = true;
};

class Printer {
 public:
  virtual ~Printer() = default;
  virtual void begin_file(const std::string& path, std::string_view kind) = 0;
  virtual void batch(const BatchHeader& header, std::int64_t position, const std::vector<RecordLine>& records) = 0;
  virtual void end_file(const Facts& facts) = 0;
  // At any time; counted.
  void fault(Fault fault) {
    ++faults_;
    add_fault(std::move(fault));
  }
  // Nothing more comes; returns false if the output could not be written.
  virtual bool end() = 0;
  std::size_t faults() const { return faults_; }

 private:
  virtual void add_fault(Fault fault) = 0;

  std::size_t faults_ = 0;
};

// `out` stays the caller's.
std::unique_ptr<Printer> make_text_printer(std::FILE* out);
std::unique_ptr<Printer> make_json_printer(std::FILE* out);

}  // namespace hayward::tools
