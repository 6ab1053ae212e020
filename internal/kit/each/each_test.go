package each_test

import (
	"slices"
	"strconv"
	"testing"

	"konak/internal/kit/each"
)

func TestMap(t *testing.T) {
	t.Parallel()
	if got := each.Map([]int{3, 1, 2}, strconv.Itoa); !slices.Equal(got, []string{"3", "1", "2"}) {
		t.Errorf("got %q", got)
	}
	if got := each.Map(nil, strconv.Itoa); got == nil || len(got) != 0 {
		t.Errorf("got %#v of nothing", got)
	}
}
