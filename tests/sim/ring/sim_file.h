// One file of the simulated disk: what is on the platter, what the page cache shows, and in between every
// 512-byte sector that was written since, in each of its versions, and every size the file has had. A
// power cut picks from these.
// Owner: SimDisk.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include "engine/base/prng.h"
#include "schemas/runtime/bytes.h"

namespace hayward::sim {

// What power cuts did, over the life of a disk.
struct CrashCounts {
  std::uint64_t sectors_kept = 0;
  std::uint64_t sectors_lost = 0;
  std::uint64_t sizes_lost = 0;    // a file got back an earlier size
  std::uint64_t torn_files = 0;    // some of a file's sectors kept, some lost
  std::uint64_t changes_kept = 0;  // unsynced directory changes
  std::uint64_t changes_lost = 0;
};

class SimFile {
 public:
  static constexpr std::size_t sector_bytes = 512;

  std::uint64_t size() const { return cache_.size(); }
  std::uint64_t durable_size() const { return durable_.size(); }
  Bytes cached() const { return cache_; }
  Bytes durable() const { return durable_; }
  // Space taken, in whole sectors, reservations included.
  std::uint64_t allocated_bytes() const;

  // How much was there to read, at most into.size().
  std::size_t read(std::uint64_t offset, MutableBytes into) const;
  void write(std::uint64_t offset, Bytes bytes);
  void truncate(std::uint64_t length);
  void reserve(std::uint64_t end);

  void sync();
  // As a durable write does: these sectors and the size; other unsynced sectors stay unsynced.
  void sync_range(std::uint64_t offset, std::uint64_t length);
  // A sync of the range failed: its sectors count as clean, the cache still shows them, the platter never
  // saw them, and a later sync will not write them.
  void fail_sync(std::uint64_t offset, std::uint64_t length);
  // The cache forgets clean sectors of the range: they are what the platter has.
  void drop_cache(std::uint64_t offset, std::uint64_t length);

  // The power fails. Afterwards cache and platter agree.
  void crash(Prng& prng, CrashCounts& counts);
  // Damage at rest: inverts one bit, on the platter and in the cache. offset < size().
  void flip_bit(std::uint64_t offset, unsigned bit);

 private:
  using Sector = std::array<std::byte, sector_bytes>;
  static constexpr std::size_t versions_kept = 4;
  static constexpr std::size_t sizes_kept = 16;

  Sector cached_sector(std::uint64_t index) const;
  void put_durable(std::uint64_t index, const Sector& sector);
  void note_version(std::uint64_t index);
  void note_size(std::uint64_t size);
  void apply_sizes(std::size_t count);

  std::vector<std::byte> durable_;
  std::vector<std::byte> cache_;
  std::map<std::uint64_t, std::vector<Sector>> dirty_;  // by sector index; versions oldest first
  std::vector<std::uint64_t> sizes_;                    // sizes since the last sync, oldest first
  std::uint64_t reserved_end_ = 0;
};

}  // namespace hayward::sim
