// A crash at every completion of a format: a directory counts as formatted only with everything in it, and
// formatting again finishes the work.
#include <gtest/gtest.h>

#include "log/format_directory.h"
#include "log/log.h"
#include "log/meta_properties.h"
#include "log/names.h"
#include "log/snapshot_check.h"
#include "tests/sim/ring/sim_port.h"

namespace hayward::sim {
namespace {

log::FormatRequest make_request() {
  log::FormatRequest request;
  request.cluster_id = "V0NsHWTdQzSN92EUnLJ4Ow";
  request.node_id = NodeId{1};
  request.directories = {"/a", "/deep/er/b", "/m"};
  request.metadata_directory = "/m";
  request.metadata_directory_id = DirectoryId{*Uuid::parse("mqYoCkkdSF6oRn4iOr-elA")};
  request.bootstrap_records = {Buffer(40, std::byte{1}), Buffer(900, std::byte{2})};
  request.kraft_version = 1;
  core::Voter voter;
  voter.id = NodeId{1};
  voter.directory = request.metadata_directory_id;
  voter.endpoints.push_back({"CONTROLLER", "localhost", 9093, 0});
  request.voters = {voter};
  return request;
}

// "" if every formatted directory is complete.
std::string check_complete(SimPort& port, SimDisk& disk, int& formatted) {
  const auto whole = [&](const std::string& path) {
    return log::wait(port, log::check_snapshot(port, path, port.file_size(path.c_str()), Epoch{0}, true)).has_value();
  };
  formatted = 0;
  for (const std::string directory : {"/a", "/deep/er/b", "/m"}) {
    const std::string meta = directory + "/meta.properties";
    if (!disk.exists(meta)) continue;
    ++formatted;
    if (!log::parse_meta_properties(disk.content(meta), meta)) return meta;
    if (!whole(directory + "/bootstrap.checkpoint")) return directory + "/bootstrap.checkpoint";
    if (directory == "/m" && !whole("/m/__cluster_metadata-0/00000000000000000000-0000000000.checkpoint")) return "0-0";
  }
  return "";
}

TEST(FormatCrash, AtEveryCompletion) {  // cases.md row 53
  int seen[4] = {};
  bool crashed = true;
  for (std::uint64_t place = 0; crashed; ++place) {
    for (const bool in_order : {true, false}) {
      for (const bool power_cut : {true, false}) {
        SimClock clock;
        SimDisk disk(place);
        disk.changes_in_order = in_order;
        auto port = std::make_unique<SimPort>(clock, disk, place);
        port->crash_at(place);
        const auto first = log::format_directories(*port, make_request());
        crashed = port->crashed();
        ASSERT_TRUE(first.has_value() || crashed);
        port.reset();
        if (power_cut) disk.crash();
        port = std::make_unique<SimPort>(clock, disk, place + 1);
        int formatted = 0;
        ASSERT_EQ(check_complete(*port, disk, formatted), "") << "place " << place << " in order " << in_order;
        ++seen[formatted];
        log::FormatRequest again = make_request();
        again.ignore_formatted = true;
        const auto second = log::format_directories(*port, again);
        ASSERT_TRUE(second) << second.error().to_line();
        ASSERT_EQ(check_complete(*port, disk, formatted), "");
        ASSERT_EQ(formatted, 3);
        log::LogOptions options;
        options.directory = "/m";
        const auto opened = log::Log::open(*port, options);
        ASSERT_TRUE(opened) << opened.error().to_line();
        EXPECT_EQ((*opened)->state().snapshots.size(), 1u);
        port->crash_now();
      }
    }
  }
  for (const int count : seen) EXPECT_GT(count, 0) << "every state between none and all is to come up";
}

}  // namespace
}  // namespace hayward::sim
