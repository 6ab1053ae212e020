package dlp

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/bzip2"
	"compress/gzip"
	"errors"
	"io"
	"path"
	"strings"

	"konak/internal/mail/dlp/zipcheck"
)

// scanPacked scans content that contains other content, by its format.
func (x *extractor) scanPacked(p part, format string, content *spool, depth int) {
	switch format {
	case "zip":
		x.scanZip(p.where, content, depth)
	case "tar":
		x.scanTar(p.where, content, depth)
	case "pdf":
		x.scanPDF(p.where, content, depth)
	case "gzip":
		z, err := gzip.NewReader(content.reader())
		if err != nil {
			x.c.fail(p.where, ReasonDamaged)
			x.scanBinary(p.where, content)
			return
		}
		x.checkFileName(p.where, strings.ToValidUTF8(z.Name+"\n"+z.Comment, " "))
		x.scanPart(innerPart(p), x.unpacked(z, content.size), depth+1)
	case "bzip2":
		x.scanPart(innerPart(p), x.unpacked(bzip2.NewReader(content.reader()), content.size), depth+1)
	case "compound":
		// Old office files store their text uncompressed. New ones with a password are
		// wrapped in this format.
		if x.contains(content, "E\x00n\x00c\x00r\x00y\x00p\x00t\x00e\x00d\x00P\x00a\x00c\x00k\x00a\x00g\x00e\x00") {
			x.c.fail(p.where, ReasonEncrypted)
			x.scanBinary(p.where, content)
		} else {
			x.scanOldOffice(p.where, content, depth)
		}
	default:
		x.c.fail(p.where, ReasonUnsupported)
		x.scanBinary(p.where, content)
	}
}

// innerPart returns the single file inside a compressed one. Its name is that of the
// compressed file without the extension.
func innerPart(p part) part {
	name := strings.TrimSuffix(path.Base(p.where.Name), path.Ext(p.where.Name))
	return part{where: inside(p.where, name), name: name}
}

// inside returns the place of a member of an archive.
func inside(w Where, name string) Where {
	const maxWhere = 400
	name = w.Name + "/" + strings.ToValidUTF8(name, "�")
	if len(name) > maxWhere {
		name = strings.ToValidUTF8(name[:maxWhere], "")
	}
	return Where{Field: FieldAttachment, Name: name}
}

// unpacked limits the output of decompression by the compression ratio.
func (x *extractor) unpacked(r io.Reader, packed int64) io.Reader {
	return &ratioReader{r: r, left: max(1<<20, packed*x.limits.Ratio)}
}

type ratioReader struct {
	r    io.Reader
	left int64
}

func (r *ratioReader) Read(b []byte) (int, error) {
	n, err := r.r.Read(b)
	if r.left -= int64(n); r.left < 0 {
		return n, errRatio
	}
	return n, err
}

// maxDirectory limits the size of a zip file's table of contents.
const maxDirectory = 4 << 20

// directoryReader fails after maxDirectory bytes while a zip file is being opened, because
// the library keeps every entry in memory.
type directoryReader struct {
	r     io.ReaderAt
	left  int64
	ready bool
}

var errDirectory = errors.New("dlp: the table of contents is too long")

func (d *directoryReader) ReadAt(b []byte, off int64) (int, error) {
	if !d.ready {
		if d.left -= int64(len(b)); d.left < 0 {
			return 0, errDirectory
		}
	}
	return d.r.ReadAt(b, off)
}

// emptyPacked is the compressed size of empty content.
const emptyPacked = 2

func (x *extractor) scanZip(where Where, content *spool, depth int) {
	d := &directoryReader{r: content, left: maxDirectory}
	z, err := zip.NewReader(d, content.size)
	if err != nil {
		if errors.Is(err, errDirectory) {
			x.c.fail(where, ReasonTooMany)
		} else {
			x.c.fail(where, ReasonDamaged)
		}
		if !x.reading {
			x.scanBinary(where, content)
		}
		return
	}
	d.ready = true
	if zipcheck.HasHidden(content, content.size, z.File) {
		x.c.fail(where, ReasonDamaged)
	}
	office := false
	for _, f := range z.File {
		office = office || f.Name == "[Content_Types].xml" || f.Name == "mimetype"
	}
	if !x.reading {
		x.text.scanText(where, strings.ToValidUTF8(z.Comment, " "))
	}
	for _, f := range z.File {
		if x.reading && !documentMembers[f.Name] {
			continue
		}
		if strings.HasSuffix(f.Name, "/") {
			if f.UncompressedSize64 > 0 || f.CompressedSize64 > emptyPacked {
				x.c.fail(where, ReasonDamaged) // a directory has no content
			}
			continue
		}
		member := inside(where, f.Name)
		if ending := path.Ext(f.Name); !x.reading && !office || ending != ".xml" && ending != ".rels" {
			x.checkFileName(member, f.Name)
		}
		if f.Flags&1 != 0 {
			if !x.countPart(member) {
				return
			}
			x.c.fail(member, ReasonEncrypted)
			continue
		}
		r, err := f.Open()
		if err != nil {
			if !x.countPart(member) {
				return
			}
			if errors.Is(err, zip.ErrAlgorithm) {
				x.c.fail(member, ReasonUnsupported)
			} else {
				x.c.fail(member, ReasonDamaged)
			}
			continue
		}
		x.scanPart(part{where: member, name: f.Name, office: office}, x.unpacked(r, int64(f.CompressedSize64)), depth+1)
		_ = r.Close()
		if x.parts > x.limits.Parts || x.ctx.Err() != nil {
			return // recorded by scanPart
		}
	}
}

// notFiles are the types of tar members without content. Programs unpack all other types as
// files.
var notFiles = []byte{tar.TypeLink, tar.TypeSymlink, tar.TypeChar, tar.TypeBlock, tar.TypeDir, tar.TypeFifo}

func (x *extractor) scanTar(where Where, content *spool, depth int) {
	r := io.NewSectionReader(content, 0, content.size)
	t := tar.NewReader(r)
	for {
		h, err := t.Next()
		if err == io.EOF {
			x.scanBehindTar(where, content, r, depth)
			return
		}
		if err != nil {
			x.c.fail(where, ReasonDamaged)
			x.scanBinary(where, content)
			return
		}
		member := inside(where, h.Name)
		x.checkFileName(member, strings.ToValidUTF8(h.Name, " "))
		x.checkFileName(member, strings.ToValidUTF8(h.Linkname, " "))
		if !bytes.Contains(notFiles, []byte{h.Typeflag}) {
			// The zeros of a sparse file are not stored in the archive.
			x.scanPart(part{where: member, name: h.Name}, x.unpacked(t, content.size), depth+1)
		} else if !x.countPart(member) {
			return
		}
		if x.parts > x.limits.Parts || x.ctx.Err() != nil {
			return
		}
	}
}

// scanBehindTar scans data after the end of a tar file, which some programs append. The end
// itself is padded with zeros.
func (x *extractor) scanBehindTar(where Where, content *spool, r *io.SectionReader, depth int) {
	at, _ := r.Seek(0, io.SeekCurrent)
	buf := make([]byte, 512)
	for ; at < content.size && x.ctx.Err() == nil; at += int64(len(buf)) {
		n, _ := content.ReadAt(buf, at)
		if len(bytes.Trim(buf[:n], "\x00")) == 0 {
			continue
		}
		if depth >= x.limits.Depth {
			x.c.fail(where, ReasonTooDeep)
			return
		}
		x.scanPart(part{where: inside(where, "rest")}, io.NewSectionReader(content, at, content.size-at), depth+1)
		return
	}
}

// contains reports whether content contains a text.
func (x *extractor) contains(content *spool, text string) bool {
	for range zipcheck.Find(&timedReader{x: x, r: content.reader()}, []byte(text)) {
		return true
	}
	return false
}

// timedReader returns errTime with what it has read once the scan's time is over. So the first
// block, which shows what kind of file it is, is searched in any case.
type timedReader struct {
	x *extractor
	r io.Reader
}

func (t *timedReader) Read(p []byte) (int, error) {
	n, err := t.r.Read(p)
	if err == nil && t.x.ctx.Err() != nil {
		err = errTime
	}
	return n, err
}
