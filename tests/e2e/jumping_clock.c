/* Preloaded into PostgreSQL: its wall clock is the machine's plus what the file $JUMPING_CLOCK says, in seconds (int64_t).
 * The monotonic clock stays as it is. */
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static int64_t ahead_s(void) {
  static volatile int64_t* ahead;
  if (ahead == NULL) {
    const char* path = getenv("JUMPING_CLOCK");
    const int file = path == NULL ? -1 : open(path, O_RDONLY);
    void* page = file < 0 ? MAP_FAILED : mmap(NULL, sizeof *ahead, PROT_READ, MAP_SHARED, file, 0);
    if (file >= 0) close(file);
    if (page == MAP_FAILED) return 0;
    ahead = page;
  }
  return *ahead;
}

int clock_gettime(clockid_t clock, struct timespec* time) {
  const long status = syscall(SYS_clock_gettime, clock, time);
  if (status == 0 && clock == CLOCK_REALTIME) time->tv_sec += ahead_s();
  return (int)status;
}

int gettimeofday(struct timeval* restrict time, void* restrict zone) {
  (void)zone;
  struct timespec now;
  if (clock_gettime(CLOCK_REALTIME, &now) != 0) return -1;
  time->tv_sec = now.tv_sec;
  time->tv_usec = now.tv_nsec / 1000;
  return 0;
}
