package k6x

import "reflect"

// Progress returns what a scenario's progress bar shows: the done share (0 to 1) and texts on its
// right.
type Progress func() (done float64, right []string)

// Statuses of the progress bar in k6's executors.
const (
	StatusRunning     = ' '
	StatusInterrupted = '✗'
	StatusDone        = '✓'
)

// SetProgress sets the progress and status of bar, the *pb.ProgressBar of a k6 executor. The type
// is internal to k6, so it is set by reflection, under the bar's own lock. It does nothing if k6
// has renamed the fields.
func SetProgress(bar any, progress Progress, status rune) {
	modify := reflect.ValueOf(bar).MethodByName("Modify")
	option := reflect.MakeFunc(modify.Type().In(0).Elem(), func(args []reflect.Value) []reflect.Value {
		set(args[0].Elem().FieldByName("progress"), reflect.ValueOf((func() (float64, []string))(progress)))
		set(args[0].Elem().FieldByName("status"), reflect.ValueOf(status))

		return nil
	})
	modify.Call([]reflect.Value{option})
}

func set(field, value reflect.Value) {
	if !field.IsValid() || !value.CanConvert(field.Type()) {
		return
	}
	reflect.NewAt(field.Type(), field.Addr().UnsafePointer()).Elem().Set(value.Convert(field.Type()))
}
