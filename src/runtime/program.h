// run_program runs another program to its end and gives what it has written to its standard output.
// It owns the child: who drops the coroutine kills it. Standard error goes nowhere, for it may say
// what is for the operator's eyes alone.
//
// Thread rule: loop thread only; the loop and the clock outlive the coroutine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "result.h"
#include "runtime/clock.h"
#include "runtime/co.h"

namespace sluice {

class Loop;

struct ProgramOptions {
  std::string path;
  std::vector<std::string> argv;
  std::vector<std::string> environment;  // NAME=value; nothing of ours reaches it besides
  size_t output_bytes_max;               // more of it, or another moment of it, and it is killed
  int64_t run_ns_max;
};

struct ProgramEnd {
  int exit_code;
  std::string output;
};

// Errors: it could not be started, was killed by a signal, or had to be (see ProgramOptions).
Co<Result<ProgramEnd>> run_program(Loop& loop, Clock& clock, ProgramOptions options);

}  // namespace sluice
