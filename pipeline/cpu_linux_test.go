package pipeline

import (
	"time"

	"golang.org/x/sys/unix"
)

// cpuTime returns the processor time that the thread took.
func cpuTime() time.Duration {
	var u unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Nano())
}
