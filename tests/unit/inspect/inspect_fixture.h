// A folder with files of a metadata log, and what `inspect` tells of them in JSON.
#pragma once

#include <gtest/gtest.h>
#include <simdjson.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "schemas/batch/control.h"
#include "schemas/records/topic_record.h"
#include "tools/inspect/inspector.h"

namespace hayward::tools {

class InspectTest : public testing::Test {
 protected:
  InspectTest() {
    std::string name = (std::filesystem::temp_directory_path() / "inspect-XXXXXX").string();
    folder = ::mkdtemp(name.data());
  }
  ~InspectTest() override { std::filesystem::remove_all(folder); }

  // A batch of topics "t<offset>" from `base` on.
  static Buffer topics(std::int64_t base, std::int32_t count = 1, std::int32_t epoch = 1) {
    BatchBuilder batch(Offset{base}, Epoch{epoch}, 1'750'000'000'000);
    for (std::int32_t i = 0; i < count; ++i) {
      const std::string name = "t" + std::to_string(base + i);
      records::TopicRecord record;
      record.name = name;
      record.topic_id = TopicId{Uuid{1, static_cast<std::uint64_t>(base + i)}};
      batch.add(record, 0);
    }
    return batch.finish();
  }
  static Buffer leader_change(std::int64_t base, std::int32_t epoch) {
    BatchBuilder batch(Offset{base}, Epoch{epoch}, 1'750'000'000'000, BatchKind::control);
    records::LeaderChangeMessage message;
    message.leader_id = NodeId{3000};
    add_control(batch, message);
    return batch.finish();
  }
  static Buffer join(const std::vector<Buffer>& parts) {
    Buffer all;
    for (const Buffer& part : parts) all.insert(all.end(), part.begin(), part.end());
    return all;
  }
  std::string put(const std::string& name, const Buffer& content) {
    return put(name, std::string(as_text(content)));
  }
  std::string put(const std::string& name, const std::string& content) {
    const std::filesystem::path path = folder / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << content;
    return path;
  }

  // What is told of `path`; `faults` is set to how many there were.
  simdjson::dom::element inspect(const std::string& path, const Selection& selection = {}, bool records = true) {
    std::FILE* out = std::tmpfile();
    const auto printer = make_json_printer(out);
    const auto inspected = Inspector(*printer, selection, records).inspect(path);
    EXPECT_TRUE(inspected.has_value()) << inspected.error();
    EXPECT_TRUE(printer->end());
    faults = printer->faults();
    text.assign(static_cast<std::size_t>(std::ftell(out)), 0);
    std::rewind(out);
    EXPECT_EQ(std::fread(text.data(), 1, text.size(), out), text.size());
    std::fclose(out);
    return parser.parse(text);
  }
  // The offsets of the records that are shown.
  static std::vector<std::int64_t> offsets(simdjson::dom::element told) {
    std::vector<std::int64_t> all;
    for (const simdjson::dom::element file : told["files"].get_array()) {
      simdjson::dom::array batches;
      if (file["batches"].get(batches) != simdjson::SUCCESS) continue;
      for (const simdjson::dom::element batch : batches)
        for (const simdjson::dom::element record : batch["records"].get_array()) all.push_back(std::int64_t(record["offset"]));
    }
    return all;
  }
  static std::string fault(simdjson::dom::element told, std::size_t index = 0) {
    const simdjson::dom::element f = told["faults"].at(index);
    return std::filesystem::path(std::string_view(f["file"])).filename().string() + ":" + std::to_string(std::int64_t(f["position"])) +
           ": expected " + std::string(std::string_view(f["expected"])) + ", found " + std::string(std::string_view(f["found"]));
  }

  std::filesystem::path folder;
  std::size_t faults = 0;
  std::string text;
  simdjson::dom::parser parser;
};

inline const std::string segment_name = "00000000000000000000.log";

}  // namespace hayward::tools
