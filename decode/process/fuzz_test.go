package process

import (
	"cmp"
	"slices"
	"testing"

	"github.com/tracelake/tracelake/schema"
)

// A model is what replaying the events up to a time gives: of each process, of each address the
// index of the event that maps it.
type model struct {
	maps map[int32][modelAddresses]int // 0 is none, else index + 1
	pids map[int32]int32
}

const modelAddresses = 64

func replay(events []Event, time uint64) model {
	m := model{map[int32][modelAddresses]int{}, map[int32]int32{}}
	for i, e := range events {
		if e.Time > time {
			break
		}
		m.pids[e.TID] = e.PID
		maps := m.maps[e.PID]
		switch {
		case e.Kind == Mapped && e.Executable:
			for a := e.Map.Address; a < e.Map.End(); a++ {
				maps[a] = i + 1
			}
		case e.Kind == Executed, e.Kind == Synthesized && e.PID != e.Parent:
			maps = [modelAddresses]int{}
		case e.Kind == Forked && e.PID != e.Parent:
			maps = m.maps[e.Parent]
		}
		m.maps[e.PID] = maps
	}
	return m
}

// eventsOf makes an event of every 6 bytes, of few processes, times and addresses.
func eventsOf(data []byte) []Event {
	var events []Event
	for ; len(data) >= 6 && len(events) < 200; data = data[6:] {
		address := schema.Address(data[3] % 32)
		pid, parent := int32(data[2]%4), int32(data[2]>>4%4)
		events = append(events, Event{
			Kind: Kind(data[0] % 8), Executable: data[0] < 128, Time: uint64(data[1] % 8), PID: pid,
			TID: pid + 8*int32(data[5]%2), Parent: parent, ParentTID: parent,
			Map: Map{Address: address, Size: uint64(data[4] % 32), Offset: uint64(address), File: File{Name: string(data[5:6])}},
		})
	}
	return events
}

// FuzzTimeline: at every time, maps are what replaying the events up to then gives; parts do not
// overlap and are in order.
func FuzzTimeline(f *testing.F) {
	f.Add([]byte("\x01\x00\x01\x02\x09a\x02\x01\x12\x00\x00a\x01\x01\x02\x04\x02b\x05\x03\x01\x00\x00a"))
	f.Fuzz(func(t *testing.T, data []byte) {
		events := eventsOf(data)
		tl := timeline(events...)
		slices.SortStableFunc(events, func(a, b Event) int { return cmp.Compare(a.Time, b.Time) })
		for time := range uint64(8) {
			m := replay(events, time)
			for tid, pid := range m.pids {
				checkMaps(t, tl.At(tid, time), m.maps[pid], events)
			}
		}
	})
}

func checkMaps(t *testing.T, maps *Maps, want [modelAddresses]int, events []Event) {
	t.Helper()
	for a, i := range want {
		p, ok := maps.Find(schema.Address(a))
		if ok != (i > 0) || ok && *p.Map != events[i-1].Map {
			t.Fatalf("address %#x: %+v, %v; want event %d", a, p.Map, ok, i-1)
		}
	}
	end := schema.Address(0)
	for p := range maps.All() {
		if p.From < end || p.To <= p.From || p.From < p.Map.Address || p.To > p.Map.End() {
			t.Fatalf("part %#x-%#x of %+v after %#x", p.From, p.To, p.Map, end)
		}
		end = p.To
	}
}
