// Package filetype decides what files from outside may be kept and how they may
// be shown. A file is what its content says: names and declared types are
// written by whoever sends it.
package filetype

import (
	"mime"
	"path"
	"slices"
	"strings"

	"github.com/gabriel-vasile/mimetype"

	"konak/internal/kit/trtext"
)

// HeadSize is how much of a file tells what it is.
const HeadSize = 4096

// Unknown is the type of bytes that look like nothing in particular.
const Unknown = "application/octet-stream"

// Sniff tells the type of a file from its beginning, without parameters.
func Sniff(head []byte) string {
	return bare(mimetype.Detect(head[:min(len(head), HeadSize)]).String())
}

func bare(kind string) string {
	if t, _, err := mime.ParseMediaType(kind); err == nil {
		return t
	}
	return Unknown
}

// alike are endings whose files have the same kind of content.
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

// Endings returns the endings that files of a type have, none for a type whose content
// says little: texts of all kinds look alike.
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

// Same says whether two names mean the same type.
func Same(a, b string) bool {
	m := mimetype.Lookup(b)
	return m != nil && m.Is(a)
}

// programs run when they are opened, or make something else run.
var programs = []string{
	"application/vnd.microsoft.portable-executable", "application/x-elf", "application/x-object", "application/x-executable",
	"application/x-sharedlib", "application/x-mach-binary", "application/x-ms-installer", "application/java-archive",
	"application/vnd.android.package-archive", "application/x-java-applet", "application/x-ms-shortcut", "application/wasm",
	"application/vnd.ms-htmlhelp", "application/vnd.debian.binary-package", "application/x-rpm", "text/x-shellscript",
}

// endings make an operating system run a file whatever is in it.
var endings = []string{
	".ade", ".adp", ".apk", ".app", ".appx", ".bat", ".chm", ".cmd", ".com", ".cpl", ".deb", ".dll", ".dmg", ".exe", ".hta", ".inf",
	".ins", ".iso", ".isp", ".jar", ".js", ".jse", ".lnk", ".mde", ".msc", ".msi", ".msix", ".msp", ".mst", ".pif", ".pkg", ".ps1",
	".psm1", ".reg", ".rpm", ".scr", ".sct", ".sh", ".sys", ".url", ".vb", ".vbe", ".vbs", ".vhd", ".vhdx", ".wsc", ".wsf", ".wsh", ".xll",
}

// Allowed says whether a file of this type and name may be kept.
func Allowed(kind, name string) bool {
	// A trailing dot or space is dropped by Windows, and with it the disguise.
	ending := strings.ToLower(path.Ext(strings.TrimRight(name, ". ")))
	return !slices.Contains(programs, kind) && !slices.Contains(endings, ending)
}

// shown are the types that a browser can show without running anything of
// theirs. HTML, SVG, XML and PDF are not among them.
var shown = []string{
	"image/png", "image/jpeg", "image/gif", "image/webp", "image/avif", "image/bmp",
	"audio/mpeg", "audio/ogg", "audio/wav", "audio/aac", "audio/mp4", "audio/x-m4a", "audio/amr", "audio/flac", "audio/webm",
	"video/mp4", "video/webm", "video/3gpp", "video/quicktime", "video/ogg", "text/plain",
}

// Shown says whether a browser may show a file of this type in place.
func Shown(kind string) bool { return slices.Contains(shown, kind) }

// maxName is what file systems take, in bytes.
const maxName = 200

// Name makes a name from outside harmless: no folders, no control characters,
// nothing that changes the direction of writing, not too long and not empty.
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
