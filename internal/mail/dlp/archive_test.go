package dlp_test

import (
	"archive/tar"
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"testing"

	"konak/internal/mail/dlp/dlptest"
)

// tarOf returns a complete tar file with one member of a type.
func tarOf(t *testing.T, kind byte, content string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	err := w.WriteHeader(&tar.Header{Name: "a.html", Size: int64(len(content)), Mode: 0o600, Typeflag: tar.TypeReg})
	if err == nil {
		_, err = w.Write([]byte(content))
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	out := b.Bytes()
	out[156] = kind
	copy(out[148:156], "        ")
	sum := 0
	for _, c := range out[:512] {
		sum += int(c)
	}
	copy(out[148:156], fmt.Sprintf("%06o\x00 ", sum))
	return out
}

// Tar members of every type are scanned, and so is data after the end of the file.
func TestTar(t *testing.T) {
	t.Parallel()
	const secret = "<p>PRJ<b>-12</b>34"
	for _, kind := range []byte{tar.TypeReg, tar.TypeCont, 'Z'} {
		if got := scanFile(t, "a.tar", tarOf(t, kind, secret)); !slices.Equal(got, []string{"regex attachment:a.tar/a.html 1"}) {
			t.Errorf("type %c: %q", kind, got)
		}
	}
	second := append(tarOf(t, tar.TypeReg, "x"), tarOf(t, tar.TypeReg, secret)...)
	if got := scanFile(t, "a.tar", second); !slices.Equal(got, []string{"regex attachment:a.tar/rest/a.html 1"}) {
		t.Errorf("a second one: %q", got)
	}
	if got := scanFile(t, "a.tar", append(tarOf(t, tar.TypeReg, "x"), make([]byte, 8192)...)); got != nil {
		t.Errorf("filled up: %q", got)
	}
	old := tarOf(t, tar.TypeReg, secret)
	copy(old[257:265], make([]byte, 8))
	copy(old[148:156], "        ")
	sum := 0
	for _, c := range old[:512] {
		sum += int(c)
	}
	copy(old[148:156], fmt.Sprintf("%06o\x00 ", sum))
	if got := scanFile(t, "a.tar", old); !slices.Equal(got, []string{"regex attachment:a.tar/a.html 1"}) {
		t.Errorf("an old one: %q", got)
	}
}

// A zip file with members that its table of contents does not list is reported.
func TestHiddenZipMembersAreReported(t *testing.T) {
	t.Parallel()
	// hide removes the n-th member from the table of contents.
	hide := func(zip []byte, n int) []byte {
		zip = bytes.Clone(zip)
		mark := []byte("PK\x01\x02")
		from := bytes.Index(zip, mark)
		for range n {
			from += 4 + bytes.Index(zip[from+4:], mark)
		}
		size := 46 + int(binary.LittleEndian.Uint16(zip[from+28:])) + int(binary.LittleEndian.Uint16(zip[from+30:])) + int(binary.LittleEndian.Uint16(zip[from+32:]))
		zip = append(zip[:from], zip[from+size:]...)
		end := bytes.LastIndex(zip, []byte("PK\x05\x06"))
		for _, at := range []int{8, 10} {
			binary.LittleEndian.PutUint16(zip[end+at:], binary.LittleEndian.Uint16(zip[end+at:])-1)
		}
		binary.LittleEndian.PutUint32(zip[end+12:], binary.LittleEndian.Uint32(zip[end+12:])-uint32(size))
		return zip
	}
	three := dlptest.Zip(t, "a.txt", "x", "b.txt", "PRJ-1234", "c.txt", "y")
	damaged := []string{"!damaged attachment:a.zip"}
	for n := range 3 {
		if got := scanFile(t, "a.zip", hide(three, n)); !slices.Contains(got, damaged[0]) {
			t.Errorf("member %d: %q", n, got)
		}
	}
	dir := bytes.ReplaceAll(dlptest.Zip(t, "a.txt1", "PRJ-1234"), []byte("a.txt1"), []byte("a.txt/"))
	if got := scanFile(t, "a.zip", dir); !slices.Equal(got, damaged) {
		t.Errorf("a directory with content: %q", got)
	}
	for name, content := range map[string][]byte{
		"members and directories": dlptest.Zip(t, "d/", "", "d/a.txt", "x", "e.txt", "", "f.txt", "y"),
		"a zip in a zip":          dlptest.Zip(t, "a.zip", string(dlptest.Zip(t, "a.txt", "x"))),
	} {
		if got := scanFile(t, "a.zip", content); got != nil {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// Mailboxes, packages and disk images are reported.
func TestImages(t *testing.T) {
	t.Parallel()
	rest := string(noise(600))
	for file, content := range map[string]string{
		"a.bin": "!BDN" + rest, "b.bin": "!<arch>\ndebian-binary   " + rest, "c.bin": "xar!" + rest, "d.bin": "MSWIM\x00\x00\x00" + rest,
		"a.pst": rest, "a.iso": strings.Repeat("\x00", 40000), "a.dmg": rest, "a.vhdx": rest,
	} {
		if got := scanFile(t, file, []byte(content)); !slices.Equal(got, []string{"!unsupported attachment:" + file}) {
			t.Errorf("%s: %q", file, got)
		}
	}
}
