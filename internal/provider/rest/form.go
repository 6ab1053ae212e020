package rest

import (
	"io"
	"maps"
	"mime"
	"mime/multipart"
	"net/textproto"
	"slices"
)

// Form is a form with files.
type Form struct {
	Fields map[string]string
	Files  []File
}

// File is a file of a form.
type File struct {
	Field, Name string
	Type        string // "" leaves it out
	Content     io.Reader
}

// Open returns the form as the body of a request, with its type. The files are read while
// the body is read. The caller closes the body however the request ended, because the
// writer waits for a reader.
func (f *Form) Open() (body io.ReadCloser, kind string) {
	body, w := io.Pipe()
	form := multipart.NewWriter(w)
	go func() { _ = w.CloseWithError(f.write(form)) }()
	return body, form.FormDataContentType()
}

func (f *Form) write(form *multipart.Writer) error {
	for _, name := range slices.Sorted(maps.Keys(f.Fields)) {
		if err := form.WriteField(name, f.Fields[name]); err != nil {
			return err
		}
	}
	for _, file := range f.Files {
		header := textproto.MIMEHeader{
			"Content-Disposition": {mime.FormatMediaType("form-data", map[string]string{"name": file.Field, "filename": file.Name})},
		}
		if file.Type != "" {
			header.Set("Content-Type", file.Type)
		}
		part, err := form.CreatePart(header)
		if err != nil {
			return err
		}
		if _, err := io.Copy(part, file.Content); err != nil {
			return err
		}
	}
	return form.Close()
}
