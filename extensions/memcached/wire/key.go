package wire

import "encoding/base64"

// Limits: doc/protocol.txt, section "Keys"; KEY_MAX_LENGTH in memcached.
const (
	maxKey       = 250
	maxBinaryKey = maxKey / 4 * 3 // 186: in base64 that is 248
	maxMeta      = 512            // limit for the bytes of a meta command's flags
)

func isPlain(key []byte) bool {
	for _, b := range key {
		if b <= ' ' || b == 0x7f {
			return false
		}
	}

	return true
}

// With base64, a key may have any bytes.
func checkKey(key []byte, base64 bool) *Error {
	switch {
	case len(key) == 0:
		return Errorf(KindUsage, "the key is empty: it must have 1 to %d bytes", maxKey)
	case len(key) > maxKey:
		return Errorf(KindUsage, "the key has %d bytes: at most %d are allowed", len(key), maxKey)
	case isPlain(key):
		return nil
	case !base64:
		return Errorf(KindUsage, "the key %s has a space or a control character: only the meta protocol can send it", quoted(key))
	case len(key) > maxBinaryKey:
		return Errorf(KindUsage, "the key has %d bytes, a space or a control character among them: then at most %d are allowed",
			len(key), maxBinaryKey)
	default:
		return nil
	}
}

func appendBase64(b, key []byte) []byte { return base64.StdEncoding.AppendEncode(b, key) }

// CheckFlags returns an error if the flags of a meta command are not accepted.
func CheckFlags(flags string) error {
	if err := checkMeta([]byte(flags)); err != nil {
		return err
	}

	return nil
}

func checkMeta(flags []byte) *Error {
	if len(flags) == 0 {
		return nil
	}
	if len(flags) > maxMeta {
		return Errorf(KindUsage, "the flags have %d bytes: at most %d are allowed", len(flags), maxMeta)
	}
	for rest := flags; rest != nil; {
		var flag []byte
		flag, rest = nextWord(rest)
		switch {
		case len(flag) == 0 || !isPlain(flag):
			return Errorf(KindUsage, "the flags %s must be letters, some with a value, separated by one space: \"v t T30\"", quoted(flags))
		case flag[0] == 'q':
			return Errorf(KindUsage, "the flag q cannot be used: every request here waits for its reply")
		case flag[0] == 'b':
			return Errorf(KindUsage, "the flag b cannot be used: it is set for a key that needs it")
		}
	}

	return nil
}
