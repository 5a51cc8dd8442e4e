package k6glue

import "reflect"

// Progress is what k6's progress bar shows of a scenario: the part that is done (0 to 1) and texts
// to its right.
type Progress func() (done float64, right []string)

// Statuses of the progress bar, as k6's executors use them.
const (
	StatusRunning     = ' '
	StatusInterrupted = '✗'
	StatusDone        = '✓'
)

// SetProgress makes bar, the *pb.ProgressBar of a k6 executor, show progress and status. The type's
// package is internal to k6, and so are the options that its method Modify takes: an option is made
// here by reflection. It sets the two fields under the bar's own lock, as k6's options do. Where k6
// has renamed them, nothing happens.
func SetProgress(bar any, progress Progress, status rune) {
	modify := reflect.ValueOf(bar).MethodByName("Modify")
	option := reflect.MakeFunc(modify.Type().In(0).Elem(), func(args []reflect.Value) []reflect.Value {
		set(args[0].Elem().FieldByName("progress"), reflect.ValueOf((func() (float64, []string))(progress)))
		set(args[0].Elem().FieldByName("status"), reflect.ValueOf(status))

		return nil
	})
	modify.Call([]reflect.Value{option})
}

// set writes to a field that its package does not export.
func set(field, value reflect.Value) {
	if !field.IsValid() || !value.CanConvert(field.Type()) {
		return
	}
	reflect.NewAt(field.Type(), field.Addr().UnsafePointer()).Elem().Set(value.Convert(field.Type()))
}
