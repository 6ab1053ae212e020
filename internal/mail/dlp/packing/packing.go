// Package packing recognises content that contains other content, by its first bytes and
// its file extension.
package packing

import (
	"bytes"
	"strings"
)

// Format returns the format of content that contains other content, or "" for other
// content.
func Format(head []byte, ending string) string {
	has := func(s string) bool { return bytes.HasPrefix(head, []byte(s)) }
	switch {
	case has("PK\x03\x04"), has("PK\x05\x06"), ending == ".zip" && !has("Rar!"):
		return "zip"
	case has("\x1F\x8B"):
		return "gzip"
	case has("BZh"):
		return "bzip2"
	case len(head) > 262 && string(head[257:262]) == "ustar", ending == ".tar":
		return "tar"
	case has("Rar!\x1A"), has("7z\xBC\xAF\x27\x1C"), has("\xFD7zXZ\x00"), has("\x28\xB5\x2F\xFD"), has("MSCF"), has("LZIP"):
		return "other"
	case has(CompoundHead):
		return "compound"
	case bytes.Contains(head[:min(len(head), 1024)], []byte("%PDF-")):
		return "pdf"
	case strings.HasPrefix(ending, ".7z") || ending == ".rar" || unreadEndings[ending] || isUnread(head):
		return "other"
	}
	return ""
}

// CompoundHead is the first bytes of files from old office programs.
const CompoundHead = "\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1"

// unreadEndings are the file extensions of unsupported archive formats that the first bytes
// may not reveal.
var unreadEndings = map[string]bool{
	".lzma": true, ".z": true, ".lzh": true, ".lha": true, ".arj": true, ".ace": true, ".br": true, ".lz4": true,
	".chm": true, ".lzo": true, ".sz": true, ".zpaq": true, ".axx": true, ".qcow2": true,
	".pst": true, ".ost": true, ".iso": true, ".dmg": true, ".wim": true, ".deb": true, ".rpm": true, ".cpio": true, ".sit": true, ".vhd": true, ".vhdx": true, ".vmdk": true,
}

// isUnread recognises further unsupported formats by their first bytes.
func isUnread(head []byte) bool {
	has := func(s string) bool { return bytes.HasPrefix(head, []byte(s)) }
	switch {
	case has("\x1F\x9D"), has("\x1F\xA0"), has("\x04\x22\x4D\x18"): // compress, and lz4
		return true
	case has("!BDN"), has("!<arch>\n"), has("\xED\xAB\xEE\xDB"), has("xar!"), has("MSWIM\x00"), has("SIT!"), has("StuffIt (c)"), has("hsqs"),
		has("070701"), has("070702"), has("070707"), has("QFI\xFB"), has("KDMV"):
		return true // mailboxes of Outlook, packages of Linux and macOS, and images of disks
	case has("ITSF"), has("\x89LZO\x00"), has("\xFF\x06\x00\x00sNaPpY"), has("7kSt"), has("zPQ"), has("\x4C\x6F\xA7\x94"), has("\x78\x9C"), has("\x78\xDA"), has("\xC0\xB9\x07\x2E"):
		return true // help files of Windows, XML in EBCDIC, lzo, snappy, zpaq, zlib, and what AxCrypt encrypts
	case len(head) > 6 && head[2] == '-' && head[3] == 'l' && (head[4] == 'h' || head[4] == 'z') && head[6] == '-': // lzh
		return true
	case len(head) > 13 && string(head[7:14]) == "**ACE**":
		return true
	case len(head) > 4 && has("\x60\xEA"): // arj: its header is short
		size := int(head[2]) | int(head[3])<<8
		return size >= 30 && size <= 2600
	case len(head) > 13 && has("\x5D\x00\x00"): // lzma: of unknown or plausible size
		return bytes.Equal(head[5:13], bytes.Repeat([]byte{0xFF}, 8)) || head[10] == 0 && head[11] == 0 && head[12] == 0
	}
	return false
}
