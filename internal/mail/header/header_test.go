package header_test

import (
	"errors"
	"runtime"
	"slices"
	"strings"
	"testing"

	"konak/internal/mail/header"
)

const mail = "From: \"Elif Kaya\" <elif@kaya.example>\r\n" +
	"To: info@firma.example,\r\n\tali@third.example\r\n" +
	"Cc: Ayse@Third.example\r\n" +
	"SUBJECT: =?utf-8?q?Sipari=C5=9F?= \r\n no 7\r\n" +
	"Reply-To: nobody at all\r\n" +
	"\r\nFrom: body@kaya.example\r\n"

func TestHeader(t *testing.T) {
	t.Parallel()
	h, whole := header.Parse([]byte(mail))
	if !whole || mail[h.Size:] != "From: body@kaya.example\r\n" || len(h.Fields) != 5 {
		t.Errorf("got %+v", h)
	}
	if got := h.Text("subject"); got != "Sipariş no 7" {
		t.Errorf("subject %q", got)
	}
	if h.Value("date") != "" || h.Count("from") != 1 || h.Count("date") != 0 {
		t.Error("finds what is not there")
	}
	if list, ok := h.Addresses("to"); !ok || !slices.Equal(list, []string{"info@firma.example", "ali@third.example"}) {
		t.Errorf("to %q, %t", list, ok)
	}
	if _, ok := h.Addresses("reply-to"); ok {
		t.Error("reads what is no address")
	}
	for addr, want := range map[string]string{"ALI@third.example": "to", "ayse@third.example": "cc", "elif@kaya.example": ""} {
		if got := h.Names(addr); got != want {
			t.Errorf("%s: %q, want %q", addr, got, want)
		}
	}
}

func TestHeaderEnd(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{"": false, "\r\n": true, "\r\nx": true, "A: b\r\n": false, "A: b": false, "A: b\n\nx": true, " folded\r\n\r\n": true} {
		if _, whole := header.Parse([]byte(text)); whole != want {
			t.Errorf("%q: %t, want %t", text, whole, want)
		}
	}
	long := "A: " + strings.Repeat("x", header.MaxSize)
	if _, err := header.Read(strings.NewReader(long)); !errors.Is(err, header.ErrTooLong) {
		t.Errorf("got %v", err)
	}
	if h, err := header.Read(strings.NewReader("A: b\r\n\r\n" + long)); err != nil || h.Size != 8 {
		t.Errorf("got %+v, %v", h, err)
	}
	h, _ := header.Parse([]byte("Subject: a\x00b\rc\r\n\r\n"))
	if got := h.Value("subject"); got != "a b c" {
		t.Errorf("got %q", got)
	}
}

// Reading a folded field takes linear memory: four times the length takes about four times
// as much.
func TestFoldedFieldTakesLinearMemory(t *testing.T) { // not parallel because it measures memory use
	cost := func(lines int) uint64 {
		text := []byte("Subject: x\r\n" + strings.Repeat(" =?utf-8?q?x\r\n", lines) + "\r\n")
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		h, _ := header.Parse(text)
		h.Text("subject")
		runtime.ReadMemStats(&after)
		if h.Size != int64(len(text)) || len(h.Fields) != 1 {
			t.Fatalf("got %d fields in %d bytes", len(h.Fields), h.Size)
		}
		return after.TotalAlloc - before.TotalAlloc
	}
	if short, long := cost(4000), cost(16000); long > 8*short {
		t.Errorf("%d bytes, %d for four times the length", short, long)
	}
	folded := func(lines int) string { return "A: b\r\n" + strings.Repeat(" c\r\n", lines) + "\r\n" }
	if _, err := header.Read(strings.NewReader(folded(header.MaxLines))); !errors.Is(err, header.ErrTooLong) {
		t.Errorf("got %v", err)
	}
	if _, err := header.Read(strings.NewReader(folded(header.MaxLines - 1))); err != nil {
		t.Error(err)
	}
}
