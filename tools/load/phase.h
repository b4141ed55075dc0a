// One measured part of a load: requests on many lines, closed loop (the next when the answer is there) or open loop
// (at a fixed rate), and what came of them. What is sent is a Work's business.
// Owner: `hayward load`; must outlive its port's loop turns until done(). One thread.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/host/ring/deadline_timer.h"
#include "schemas/runtime/error_code.h"
#include "tools/load/histogram.h"
#include "tools/load/line.h"
#include "tools/load/schedule.h"

namespace hayward::tools {

// What a phase sends; `slot` is the line's. All its requests are flexible ones: their answers have header version 1.
class Work {
 public:
  virtual ~Work() = default;
  // Whether `slot` has something to send now; asked again after its answer.
  virtual bool has_next(std::size_t slot) = 0;
  // The frame, its size in front; valid until the next call.
  virtual Bytes request(std::size_t slot) = 0;
  // The answer's body. nullopt: malformed.
  virtual std::optional<ErrorCode> answer(std::size_t slot, Bytes body) = 0;
  // Nothing will be sent any more.
  virtual bool finished() const = 0;
};

struct Pace {
  double rate_per_s = 0;                   // over all lines; 0: closed loop
  std::int64_t duration_ns = 0;            // new requests begin for so long
  std::int64_t drain_ns = 10'000'000'000;  // and then their answers are awaited for so long
  std::int64_t offset_ns = 0;              // open loop: the first request's time after the start
};

struct PhaseResult {
  std::string name;
  Histogram latency;  // from the intended send time. What is never answered counts with the time it has waited.
  std::uint64_t sent = 0;
  std::uint64_t ok = 0;
  std::uint64_t unanswered = 0;                 // due, and without an answer when the phase was over
  std::map<std::string, std::uint64_t> errors;  // by Kafka's names, and CONNECTION_LOST, MALFORMED_ANSWER
  double offered_per_s = 0;                     // open loop: the rate that was asked for
  Histogram late;                               // open loop, lines that were free: how late the generator itself was
  std::int64_t cpu_ns = 0;                      // of the generator's threads, whatever else they did meanwhile
  std::size_t threads = 1;
  std::map<std::string, double> details;  // what only this kind of phase has
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;  // the last answer, or the end of waiting

  std::uint64_t error_count() const;
  double seconds() const { return static_cast<double>(end_ns - begin_ns) / 1e9; }
  // Answers a second.
  double rate_per_s() const;
  // The same phase on another thread, at the same time.
  void add(const PhaseResult& other);
};

class Phase final : private LineUser {
 public:
  // Slots of consecutive numbers; none: the phase is over at once. Their owner keeps them in place until it is.
  using Lines = std::span<const std::unique_ptr<Line>>;
  Phase(ring::Port& port, std::string name, Lines lines, Work& work, Pace pace);
  Phase(const Phase&) = delete;
  Phase& operator=(const Phase&) = delete;
  ~Phase();

  // The port must be turned until done().
  void start();
  // No new requests; those sent are awaited.
  void stop();
  bool done() const { return done_; }
  const PhaseResult& result() const { return result_; }

 private:
  struct Slot {
    std::optional<std::int64_t> intended_ns;  // of the request in progress
    std::uint64_t begun = 0;
    std::int32_t correlation_id = 0;
  };
  void on_ready(Line& line) override { pump(line); }
  void on_answer(Line& line, Bytes payload) override;
  void on_lost(Line& line, int error) override;
  void on_timer();
  bool pump(Line& line);
  std::size_t index_of(const Line& line) const { return line.slot() - first_slot_; }
  std::optional<std::int64_t> next_intended_ns(const Slot& slot, std::size_t index) const;
  void settle(Slot& slot, const std::string& error);
  void release_due();
  void set_timer();
  void check_done();
  void end();

  ring::Port& port_;
  Lines lines_;
  std::size_t first_slot_;
  Work& work_;
  Pace pace_;
  PhaseResult result_;
  std::vector<Slot> slots_;
  std::optional<Schedule> schedule_;  // open loop
  std::uint64_t released_ = 0;        // open loop: requests whose time has come
  std::uint64_t settled_ = 0;
  std::uint64_t in_progress_ = 0;
  std::int64_t stop_ns_ = 0;
  std::int64_t cpu_begin_ns_ = 0;
  bool done_ = false;
  ring::DeadlineTimer timer_;
};

}  // namespace hayward::tools
