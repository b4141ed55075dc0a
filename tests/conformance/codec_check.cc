// codec_check recode CORPUS                 decodes and re-encodes each entry; says what came out different
// codec_check produce SEED ROUNDS CORPUS    writes ROUNDS random entries per name and version; Hayward's own
//                                           messages are left out, which Kafka does not know
// codec_check errors | apis                 our error codes; our api table
// A corpus is entries of: u16 length and name, i16 version, u32 length and bytes, all big-endian.
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "schemas/messages/api_keys.h"
#include "tests/conformance/codec.h"

namespace {

using namespace hayward;
using namespace hayward::conformance;

[[noreturn]] void give_up(const std::string& message) {
  std::fprintf(stderr, "codec_check: %s\n", message.c_str());
  std::exit(2);
}

Buffer read_file(const char* path) {
  std::FILE* file = std::fopen(path, "rb");
  if (!file) give_up(std::string("cannot read ") + path);
  Buffer bytes;
  std::vector<std::byte> block(1 << 20);
  while (const std::size_t got = std::fread(block.data(), 1, block.size(), file)) {
    bytes.insert(bytes.end(), block.begin(), block.begin() + static_cast<std::ptrdiff_t>(got));
  }
  std::fclose(file);
  return bytes;
}

std::string hex(Bytes bytes) {
  std::string text;
  char two[3];
  for (const std::byte b : bytes) {
    std::snprintf(two, sizeof two, "%02x", static_cast<unsigned>(b));
    text += two;
  }
  return text;
}

int recode(const char* path) {
  const Buffer bytes = read_file(path);
  Reader r(bytes);
  std::size_t entries = 0;
  std::size_t wrong = 0;
  Buffer out;
  while (r.remaining() > 0) {
    const std::string name(r.read_string(false));
    const std::int16_t version = r.read_i16();
    const Bytes in = r.read_bytes(false);
    if (!r.ok()) give_up("the corpus is cut short");
    const Codec* codec = find_codec(name);
    if (!codec) give_up("no such message: " + name);
    ++entries;
    out.clear();
    const bool decoded = codec->recode(in, version, out);
    if (decoded && same_bytes(in, Bytes(out))) continue;
    if (++wrong <= 10) {
      std::printf("%s v%d: %s\n  in  %s\n  out %s\n", name.c_str(), version, decoded ? "differs" : "refused",
                  hex(in).c_str(), hex(out).c_str());
    }
  }
  std::printf("%zu entries, %zu wrong\n", entries, wrong);
  return wrong == 0 && entries > 0 ? 0 : 1;
}

int produce(std::uint64_t seed, int rounds, const char* path) {
  std::FILE* file = std::fopen(path, "wb");
  if (!file) give_up(std::string("cannot write ") + path);
  Buffer out;
  for_each_codec([&](const Codec& codec) {
    if (codec.name.starts_with("Hayward")) return;
    for (std::int16_t version = codec.min_version; version <= codec.max_version; ++version) {
      Random random(seed++);
      for (int i = 0; i < rounds; ++i) {
        if (!codec.produce(random, version, out)) give_up(std::string(codec.name) + ": no round trip");
        Buffer entry(2 + codec.name.size() + 2 + 4 + out.size());
        Writer writer{MutableBytes(entry)};
        writer.write_string(codec.name, false);
        writer.write_i16(version);
        writer.write_bytes(out, false);
        std::fwrite(entry.data(), 1, entry.size(), file);
      }
    }
  });
  return std::fclose(file) == 0 ? 0 : 1;
}

int errors() {
  for (int code = -1; is_known(static_cast<ErrorCode>(code)); ++code) {
    std::printf("%d %s\n", code, std::string(name(static_cast<ErrorCode>(code))).c_str());
  }
  return 0;
}

// key name min max, then per version: request header version, response header version
int apis() {
  for (const messages::ApiInfo& api : messages::apis) {
    std::printf("%d %s %d %d", api.key, std::string(api.name).c_str(), api.min_version, api.max_version);
    for (std::int16_t version = api.min_version; version <= api.max_version; ++version) {
      std::printf(" %d/%d", api.request_header_version(version), api.response_header_version(version));
    }
    std::printf("\n");
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string command = argc > 1 ? argv[1] : "";
  if (command == "recode" && argc == 3) return recode(argv[2]);
  if (command == "produce" && argc == 5)
    return produce(std::strtoull(argv[2], nullptr, 10), std::atoi(argv[3]), argv[4]);
  if (command == "errors") return errors();
  if (command == "apis") return apis();
  give_up("usage: recode CORPUS | produce SEED ROUNDS CORPUS | errors | apis");
}
