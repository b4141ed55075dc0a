// Arbitrary bytes in every file that the log reads at start-up, on a simulated disk: recovery opens the log or
// names a fault, never asserts, hangs or changes its mind. What is opened replays, and opens again as the same log.
// The same bytes go to `inspect`'s walk and to the parsers of the small files, which must read what they write.
// The first byte chooses the file; its high bit asks for checksums that fit, for else no mutation passes them.
// links: hayward_log hayward_inspect hayward_sim
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <string>

#include "log/epoch_checkpoint.h"
#include "log/flush_mark.h"
#include "log/index_format.h"
#include "log/log.h"
#include "log/meta_properties.h"
#include "log/names.h"
#include "log/quorum_state.h"
#include "schemas/batch/crc32c.h"
#include "schemas/batch/format.h"
#include "schemas/runtime/assert.h"
#include "tests/sim/ring/sim_port.h"
#include "tools/inspect/walk.h"

namespace {

using namespace hayward;

constexpr std::string_view partition = "/m/__cluster_metadata-0";

std::uint32_t big_endian(Bytes bytes, std::size_t at) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i) value = value << 8 | std::to_integer<std::uint32_t>(bytes[at + i]);
  return value;
}

// Gives each batch whose length fits the checksum that its bytes have.
void mend_checksums(Buffer& file) {
  for (std::size_t at = 0; at + batch_format::records_at <= file.size();) {
    const std::size_t size = std::size_t{12} + big_endian(file, at + batch_format::length_at);
    if (size < batch_format::records_at || size > file.size() - at) return;
    const Bytes covered = Bytes(file).subspan(at + batch_format::attributes_at, size - batch_format::attributes_at);
    const std::uint32_t crc = crc32c(covered);
    for (std::size_t i = 0; i < 4; ++i) file[at + batch_format::crc_at + i] = static_cast<std::byte>(crc >> (24 - 8 * i));
    at += size;
  }
}

// nullopt: refused, by a line.
std::optional<core::LogState> open_and_replay(sim::SimClock& clock, sim::SimDisk& disk) {
  sim::SimPort port(clock, disk, 1);
  log::LogOptions options;
  options.directory = "/m";
  auto opened = log::Log::open(port, options);
  if (!opened) {
    HAYWARD_ASSERT(!opened.error().to_line().empty(), "a refusal says why");
    return std::nullopt;
  }
  const auto accept = [](Bytes) { return std::expected<void, std::string>(); };
  const auto replayed = (*opened)->replay_now(accept, accept);
  HAYWARD_ASSERT(replayed.has_value(), "what recovery took is readable");
  const core::LogState state = (*opened)->state();
  bool closed = false;
  (*opened)->start({});
  (*opened)->close([&closed] { closed = true; });
  while (!closed) port.run_once(true);
  return state;
}

void recover(std::string_view name, Bytes content) {
  sim::SimClock clock;
  sim::SimDisk disk(1);
  disk.put(log::join_path(partition, name), as_text(content));
  const auto first = open_and_replay(clock, disk);
  if (!first) return;
  const auto second = open_and_replay(clock, disk);
  HAYWARD_ASSERT(second && second->start == first->start && second->end == first->end, "recovery is done once");
}

class Silent final : public tools::Printer {
 public:
  void begin_file(const std::string&, std::string_view) override {}
  void batch(const BatchHeader&, std::int64_t, const std::vector<tools::RecordLine>&) override {}
  void end_file(const tools::Facts&) override {}
  bool end() override { return true; }

 private:
  void add_fault(tools::Fault) override {}
};

void inspect(Bytes content) {
  const int fd = ::memfd_create("segment", MFD_CLOEXEC);
  HAYWARD_ASSERT(fd >= 0 && ::write(fd, content.data(), content.size()) == static_cast<ssize_t>(content.size()), "memory");
  auto file = tools::FileBytes::open("/proc/self/fd/" + std::to_string(fd));
  ::close(fd);
  Silent printer;
  tools::LogPosition position;
  std::int64_t end = 0;
  tools::Walk(printer, {}, true, false).file(*file, "f", position, [&](const BatchHeader& header, std::int64_t at) {
    HAYWARD_ASSERT(at >= end, "the walk goes on");
    end = at + static_cast<std::int64_t>(header.size());
  });
  HAYWARD_ASSERT(end <= static_cast<std::int64_t>(content.size()), "within the file");
}

void parse_texts(Bytes bytes) {
  const std::string_view text = as_text(bytes);
  if (const auto meta = log::parse_meta_properties(text, "f"))
    HAYWARD_ASSERT(log::parse_meta_properties(log::render_meta_properties(*meta), "f") == *meta, "meta.properties");
  if (const auto state = log::parse_quorum_state(text, "f"))
    HAYWARD_ASSERT(log::parse_quorum_state(log::render_quorum_state(*state), "f") == *state, "quorum-state");
  if (const auto epochs = log::parse_epoch_checkpoint(text, "f"))
    HAYWARD_ASSERT(log::parse_epoch_checkpoint(log::render_epoch_checkpoint(*epochs), "f") == *epochs, "epochs");
  if (const auto topic = log::parse_partition_metadata(text, "f"))
    HAYWARD_ASSERT(log::parse_partition_metadata(log::render_partition_metadata(*topic), "f") == *topic, "topic id");
  (void)log::parse_segment_file_name(text, log::log_suffix);
  (void)log::parse_snapshot_file_name(text);
  recover(log::quorum_state_name, bytes);
}

void decode_binaries(Bytes bytes) {
  (void)log::decode_flush_mark(bytes);
  HAYWARD_ASSERT(log::encode_index(log::decode_index(bytes)).size() <= bytes.size(), "index");
  HAYWARD_ASSERT(log::encode_time_index(log::decode_time_index(bytes)).size() <= bytes.size(), "time index");
  recover(log::flush_mark_name, bytes);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const auto* begin = reinterpret_cast<const std::byte*>(data);
  Buffer content(begin + 1, begin + size);
  if ((data[0] & 0x80) != 0) mend_checksums(content);
  switch (data[0] & 0x7f) {
    case 's': recover(log::segment_file_name(Offset{0}, log::log_suffix), content); break;
    case 'c': recover(log::snapshot_file_name({Offset{10}, Epoch{1}}), content); break;
    case 'i': inspect(content); break;
    case 't': parse_texts(content); break;
    default: decode_binaries(content); break;
  }
  return 0;
}
