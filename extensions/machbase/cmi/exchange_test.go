package cmi

import (
	"bytes"
	"encoding/binary"
	"io"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

func packets(n, size int) []byte {
	var all []byte
	for i := range n {
		flag := uint32(2)
		switch i {
		case 0:
			flag = 1
		case n - 1:
			flag = 3
		}
		all = append(all, 0, 0, 0, msgFetch)
		all = binary.BigEndian.AppendUint32(all, flag<<30|uint32(size))
		all = append(all, make([]byte, 8)...)
		for at := range size {
			all = append(all, byte((i*size+at)%251))
		}
	}

	return all
}

func TestMessagesOfManyPacketsAreReadInLinearTime(t *testing.T) {
	for name, c := range map[string]struct{ packets, size, most int }{
		"many packets":                 {packets: 256, size: 64 << 10, most: maxMessage},
		"small packets":                {packets: 16 << 10, size: 64, most: maxMessage},
		"empty packets":                {packets: 64 << 10, size: 0, most: maxMessage},
		"as many bytes as are allowed": {packets: 64, size: 1 << 10, most: 64*(1<<10) + 63*headerSize},
	} {
		t.Run(name, func(t *testing.T) {
			says := packets(c.packets, c.size)
			r := reader{from: bytes.NewReader(says), most: c.most}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			m, err := r.read()
			runtime.ReadMemStats(&after)
			require.NoError(t, err)
			require.Len(t, m.body, c.packets*c.size)
			for i, b := range m.body {
				if b != byte(i%251) {
					require.Failf(t, "a byte is not that of the server", "byte %d", i)
				}
			}
			require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(5*len(says)+2*firstBuffer), "what each growth has copied")
		})
	}
}

type endless struct {
	first, again []byte
	given        int
}

func (e *endless) Read(b []byte) (int, error) {
	if e.given > 1<<22 {
		return 0, io.ErrUnexpectedEOF
	}
	if len(e.first) == 0 {
		e.first = e.again
	}
	n := copy(b, e.first)
	e.first = e.first[n:]
	e.given += n

	return n, nil
}

func TestMessagesWithoutAnEnd(t *testing.T) {
	const most = 64 << 10
	for _, size := range []int{0, 1, 8, 1000} {
		all := packets(3, size)
		packet := headerSize + size
		r := reader{from: &endless{first: all[:packet], again: all[packet : 2*packet]}, most: most}
		_, err := r.read()
		requireProtocolError(t, err)
		require.ErrorContains(t, err, "a message has more than 65536 bytes")
		require.LessOrEqual(t, len(r.buf), 2*most+firstBuffer, "packets of %d bytes", size)
	}
}

func FuzzReader(f *testing.F) {
	f.Add(packets(3, 9), 5)
	f.Add(packets(1, 40), 1)
	f.Add(packets(4, 0), 7)
	f.Fuzz(func(t *testing.T, says []byte, step int) {
		const most = 32 << 10
		whole := reader{from: bytes.NewReader(says), most: most}
		pieces := reader{from: &stepped{says, max(1, step)}, most: most}
		for {
			m, err := whole.read()
			same, again := pieces.read()
			require.Equal(t, err == nil, again == nil, "%v, in pieces %v", err, again)
			if err != nil {
				return
			}
			require.Equal(t, m.kind, same.kind)
			require.Equal(t, m.statement, same.statement)
			require.True(t, bytes.Equal(m.body, same.body))
			require.LessOrEqual(t, len(whole.buf), 2*most+firstBuffer)
		}
	})
}

type stepped struct {
	left []byte
	step int
}

func (s *stepped) Read(b []byte) (int, error) {
	if len(s.left) == 0 {
		return 0, io.EOF
	}
	n := copy(b[:min(len(b), s.step)], s.left)
	s.left = s.left[n:]

	return n, nil
}
