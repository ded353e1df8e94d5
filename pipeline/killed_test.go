//go:build unix

package pipeline

import (
	"os/exec"
	"testing"
	"time"
)

// killOnce runs a process and kills it a while after it got somewhere. It says whether the process
// ended before it did.
func killOnce(t *testing.T, cmd *exec.Cmd, got func() bool, later time.Duration) (early bool) {
	t.Helper()
	check(t, cmd.Start())
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	for !got() {
		select {
		case <-ended:
			return true
		case <-time.After(time.Millisecond):
		}
	}
	time.Sleep(later)
	_ = cmd.Process.Kill() // it may have ended just now
	<-ended
	return false
}
