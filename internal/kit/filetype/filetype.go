// Package filetype decides which files from outside may be kept and how they may be shown.
// The content determines what a file is: names and declared types are chosen by the sender.
package filetype

import (
	"mime"
	"path"
	"slices"
	"strings"

	"github.com/gabriel-vasile/mimetype"

	"konak/internal/kit/trtext"
)

// HeadSize is the number of bytes at a file's beginning that are needed to detect its type.
const HeadSize = 4096

// Unknown is the type of content that is not recognised.
const Unknown = "application/octet-stream"

// Sniff detects the type of a file from its beginning; the type has no parameters.
func Sniff(head []byte) string {
	return bare(mimetype.Detect(head[:min(len(head), HeadSize)]).String())
}

func bare(kind string) string {
	if t, _, err := mime.ParseMediaType(kind); err == nil {
		return t
	}
	return Unknown
}

// alike lists groups of file name endings whose files have the same kind of content.
var alike = [][]string{
	{".exe", ".dll", ".scr", ".sys", ".cpl", ".ocx", ".com", ".pif", ".efi", ".drv", ".mui", ".xll"},
	{".zip", ".docx", ".xlsx", ".pptx", ".docm", ".xlsm", ".pptm", ".dotx", ".xltx", ".potx", ".odt", ".ods", ".odp", ".odg", ".epub", ".jar", ".apk", ".pages", ".numbers", ".key", ".vsdx", ".xpi", ".kmz"},
	{".jpg", ".jpeg", ".jpe", ".jfif"},
	{".tiff", ".tif"},
	{".html", ".htm"},
	{".mpeg", ".mpg"},
	{".gz", ".tgz", ".svgz"},
	{".bz2", ".tbz2"},
	{".doc", ".dot"},
	{".xls", ".xlt"},
	{".ppt", ".pps"},
	{".mp4", ".m4v"},
	{".mov", ".qt"},
	{".heic", ".heif"},
	{".elf", ".so", ".o", ".bin"},
}

// Endings returns the file name endings of a type, or none if the type does not determine
// them: texts of all kinds look alike.
func Endings(kind string) []string {
	m := mimetype.Lookup(kind)
	if m == nil || m.Extension() == "" || kind == Unknown || strings.HasPrefix(kind, "text/") && kind != "text/x-shellscript" {
		return nil
	}
	for _, family := range alike {
		if family[0] == m.Extension() {
			return family
		}
	}
	return []string{m.Extension()}
}

// Same reports whether two names mean the same type.
func Same(a, b string) bool {
	m := mimetype.Lookup(b)
	return m != nil && m.Is(a)
}

// programs are types that run when they are opened, or make something else run.
var programs = []string{
	"application/vnd.microsoft.portable-executable", "application/x-elf", "application/x-object", "application/x-executable",
	"application/x-sharedlib", "application/x-mach-binary", "application/x-ms-installer", "application/java-archive",
	"application/vnd.android.package-archive", "application/x-java-applet", "application/x-ms-shortcut", "application/wasm",
	"application/vnd.ms-htmlhelp", "application/vnd.debian.binary-package", "application/x-rpm", "text/x-shellscript",
}

// endings are the file name endings with which an operating system runs a file, whatever
// its content.
var endings = []string{
	".ade", ".adp", ".apk", ".app", ".appx", ".bat", ".chm", ".cmd", ".com", ".cpl", ".deb", ".dll", ".dmg", ".exe", ".hta", ".inf",
	".ins", ".iso", ".isp", ".jar", ".js", ".jse", ".lnk", ".mde", ".msc", ".msi", ".msix", ".msp", ".mst", ".pif", ".pkg", ".ps1",
	".psm1", ".reg", ".rpm", ".scr", ".sct", ".sh", ".sys", ".url", ".vb", ".vbe", ".vbs", ".vhd", ".vhdx", ".wsc", ".wsf", ".wsh", ".xll",
}

// Allowed reports whether a file with this type and name may be kept.
func Allowed(kind, name string) bool {
	// Windows drops a trailing dot or space, which would otherwise hide the real ending.
	ending := strings.ToLower(path.Ext(strings.TrimRight(name, ". ")))
	return !slices.Contains(programs, kind) && !slices.Contains(endings, ending)
}

// shown are the types that a browser can show without running code in them. HTML, SVG, XML
// and PDF are not among them.
var shown = []string{
	"image/png", "image/jpeg", "image/gif", "image/webp", "image/avif", "image/bmp",
	"audio/mpeg", "audio/ogg", "audio/wav", "audio/aac", "audio/mp4", "audio/x-m4a", "audio/amr", "audio/flac", "audio/webm",
	"video/mp4", "video/webm", "video/3gpp", "video/quicktime", "video/ogg", "text/plain",
}

// Shown reports whether a browser may show a file of this type inline.
func Shown(kind string) bool { return slices.Contains(shown, kind) }

// maxName is the length in bytes that file systems accept.
const maxName = 200

// Name makes a file name from outside harmless: no folders, no control characters, no
// characters that change the writing direction, not too long and not empty.
func Name(name string) string {
	name = strings.ToValidUTF8(name, "")
	name = name[strings.LastIndexAny(name, `/\`)+1:]
	name = strings.Map(func(r rune) rune {
		switch {
		case r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0, trtext.IsDirectionMark(r):
			return -1
		case strings.ContainsRune(`<>:"|?*`, r):
			return '_'
		}
		return r
	}, name)
	name = strings.Trim(name, ". ")
	if len(name) > maxName {
		ending := path.Ext(name)
		if len(ending) > 20 {
			ending = ""
		}
		name = strings.ToValidUTF8(name[:maxName-len(ending)], "") + ending
	}
	if name == "" {
		return "file"
	}
	return name
}
