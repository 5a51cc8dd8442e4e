package wireconn_test

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/wireconn"
)

const most = 4 << 10

type answers []string

func (a *answers) Read(into []byte) (int, error) {
	if len(*a) == 0 {
		return 0, io.EOF
	}
	n := copy(into, (*a)[0])
	if (*a)[0] = (*a)[0][n:]; (*a)[0] == "" {
		*a = (*a)[1:]
	}

	return n, nil
}

type sizes struct {
	io.Reader

	asked []int
}

func (s *sizes) Read(into []byte) (int, error) {
	s.asked = append(s.asked, len(into))

	return s.Reader.Read(into)
}

func TestBufferOfShortAnswersStaysSmall(t *testing.T) {
	from := &sizes{Reader: &answers{"STORED\r\n", "END\r\n", "STORED\r\n"}}
	r := wireconn.NewReader(from, most)
	for _, want := range []string{"STORED\r\n", "END\r\n", "STORED\r\n"} {
		line, err := r.ReadSlice('\n')
		require.NoError(t, err)
		require.Equal(t, want, string(line))
		require.Zero(t, r.Buffered())
	}
	require.Equal(t, []int{512, 512, 512}, from.asked)
}

func TestBufferGrowsWithAnswers(t *testing.T) {
	line := strings.Repeat("x", 1500) + "\n"
	from := &sizes{Reader: &answers{line, line, line}}
	r := wireconn.NewReader(from, most)
	for range 3 {
		got, err := r.ReadSlice('\n')
		require.NoError(t, err)
		require.Equal(t, line, string(got))
	}
	require.Equal(t, []int{512, 512, 1024, 2048, 2048}, from.asked)
}

func TestLineOfMaximumLength(t *testing.T) {
	line := strings.Repeat("x", most-1) + "\n"
	got, err := wireconn.NewReader(strings.NewReader(line), most).ReadSlice('\n')
	require.NoError(t, err)
	require.Equal(t, line, string(got))

	got, err = wireconn.NewReader(strings.NewReader("x"+line), most).ReadSlice('\n')
	require.ErrorIs(t, err, bufio.ErrBufferFull)
	require.Len(t, got, most)
}

func TestReaderEndsWithTheErrorOfTheConnection(t *testing.T) {
	broken := errors.New("broken")
	from := io.MultiReader(strings.NewReader("half"), iotest.ErrReader(broken))
	line, err := wireconn.NewReader(from, most).ReadSlice('\n')
	require.ErrorIs(t, err, broken)
	require.Equal(t, "half", string(line))

	_, err = wireconn.NewReader(empty{}, most).Peek(1)
	require.ErrorIs(t, err, io.ErrNoProgress)
}

type empty struct{}

func (empty) Read([]byte) (int, error) { return 0, nil }

func TestRequestsGoOutTogether(t *testing.T) {
	var calls answers
	w := wireconn.NewWriter(callsOf(&calls), most)
	long := strings.Repeat("v", most+1)
	for _, part := range []string{"get a\r\n", "get b\r\n"} {
		_, err := w.Write([]byte(part))
		require.NoError(t, err)
	}
	require.Empty(t, calls)
	require.NoError(t, w.Flush())
	require.NoError(t, w.Flush())
	_, err := w.Write([]byte(long))
	require.NoError(t, err)
	require.Equal(t, answers{"get a\r\nget b\r\n", long}, calls)
}

func callsOf(calls *answers) io.Writer {
	return writerFunc(func(b []byte) (int, error) {
		*calls = append(*calls, string(b))

		return len(b), nil
	})
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(b []byte) (int, error) { return f(b) }

func TestWriterReturnsTheErrorOfTheConnection(t *testing.T) {
	broken := errors.New("broken")
	fails := writerFunc(func([]byte) (int, error) { return 0, broken })
	for _, sizes := range [][]int{{most + 1}, {1, most}} {
		w, last := wireconn.NewWriter(fails, most), error(nil)
		for _, size := range sizes {
			_, last = w.Write(make([]byte, size))
		}
		require.ErrorIs(t, last, broken)
	}
	w := wireconn.NewWriter(fails, most)
	_, err := w.Write([]byte("x"))
	require.NoError(t, err)
	require.ErrorIs(t, w.Flush(), broken)
}

// FuzzAsBufio compares results with package bufio for any split of the input.
func FuzzAsBufio(f *testing.F) {
	f.Add([]byte("VALUE k 0 3\r\nabc\r\nEND\r\n"), []byte{10, 250, 3, 0, 5})
	f.Add(bytes.Repeat([]byte("x"), 9000), []byte{10, 100, 255, 10})
	f.Add(append(bytes.Repeat([]byte("y"), 5000), '\n'), []byte{1, 2, 3, 10, 10})
	f.Fuzz(func(t *testing.T, stream, calls []byte) {
		for _, pieces := range []func(io.Reader) io.Reader{
			func(r io.Reader) io.Reader { return r }, iotest.HalfReader, iotest.OneByteReader, iotest.DataErrReader,
		} {
			ours := wireconn.NewReader(pieces(bytes.NewReader(stream)), most)
			theirs := bufio.NewReaderSize(pieces(bytes.NewReader(stream)), most)
			for _, call := range calls {
				var got, want []byte
				var err, wantErr error
				switch {
				case call < 10:
					got, err = ours.Peek(int(call))
					want, wantErr = theirs.Peek(int(call))
					if err == nil {
						ours.Discard(int(call))
						_, _ = theirs.Discard(int(call))
					}
				case call < 128:
					got, err = ours.ReadSlice('\n')
					want, wantErr = theirs.ReadSlice('\n')
				default:
					got, want = make([]byte, int(call)*8), make([]byte, int(call)*8)
					n, failed := io.ReadFull(ours, got)
					m, failedToo := io.ReadFull(theirs, want)
					got, err, want, wantErr = got[:n], failed, want[:m], failedToo
				}
				require.Equal(t, string(want), string(got), "call %d", call)
				require.Equal(t, wantErr, err, "call %d", call)
			}
		}
	})
}
