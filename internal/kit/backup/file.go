package backup

import (
	"archive/tar"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"filippo.io/age"
)

// IsFile reports whether a backup with this name is one file and not a folder.
func IsFile(name string) bool { return strings.HasSuffix(name, ".tar") || isEncrypted(name) }

// isEncrypted reports whether a file with this name is encrypted.
func isEncrypted(name string) bool { return strings.HasSuffix(name, ".tar.age") }

// ParseRecipients parses age recipients (age1…).
func ParseRecipients(list []string) ([]age.Recipient, error) {
	out := make([]age.Recipient, 0, len(list))
	for _, text := range list {
		r, err := age.ParseRecipients(strings.NewReader(text))
		if err != nil {
			return nil, fmt.Errorf("--age-recipient %q: %w", text, err)
		}
		out = append(out, r...)
	}
	return out, nil
}

// WriteFile writes a backup into one new file, NAME.tar, or NAME.tar.age which only the
// recipients can read. The backup is first built in a folder next to it.
func WriteFile(ctx context.Context, src Source, target string, to []age.Recipient) (m Manifest, err error) {
	if isEncrypted(target) != (len(to) > 0) {
		return m, errors.New("with --age-recipient the backup must be a file NAME.tar.age, and such a file needs --age-recipient")
	}
	if _, err := os.Stat(target); err == nil {
		return m, fmt.Errorf("the backup needs a new file: %s already exists", target)
	}
	dir, err := os.MkdirTemp(filepath.Dir(target), ".backup-*")
	if err != nil {
		return m, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	folder := filepath.Join(dir, "backup")
	if m, err = WriteFolder(ctx, src, folder, ""); err != nil {
		return m, err
	}
	packed := filepath.Join(dir, "packed")
	f, err := os.OpenFile(packed, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return m, err
	}
	if err := errors.Join(pack(folder, f, to), f.Sync(), f.Close()); err != nil {
		return m, err
	}
	return m, os.Rename(packed, target)
}

// pack writes the files of a folder as one archive.
func pack(folder string, w io.Writer, to []age.Recipient) error {
	if len(to) > 0 {
		sealed, err := age.Encrypt(w, to...)
		if err != nil {
			return err
		}
		return errors.Join(writeTar(folder, sealed), sealed.Close())
	}
	return writeTar(folder, w)
}

func writeTar(folder string, w io.Writer) error {
	out := tar.NewWriter(w)
	if err := out.AddFS(os.DirFS(folder)); err != nil {
		return err
	}
	return out.Close()
}

// Encrypt returns a writer that encrypts for the recipients, as the file's name requires:
// NAME.tar.age needs recipients, and NAME.tar must have none. Closing it does not close w.
func Encrypt(w io.Writer, name string, to []age.Recipient) (io.WriteCloser, error) {
	if !IsFile(name) || isEncrypted(name) != (len(to) > 0) {
		return nil, errors.New("name a file NAME.tar, or NAME.tar.age with --age-recipient")
	}
	if len(to) == 0 {
		return nopCloser{w}, nil
	}
	return age.Encrypt(w, to...)
}

type nopCloser struct{ io.Writer }

// Close implements io.Closer.
func (nopCloser) Close() error { return nil }

// Decrypt returns the content of a file with this name. The file of age identities is
// needed for an encrypted one.
func Decrypt(r io.Reader, name, identityFile string) (io.Reader, error) {
	if !isEncrypted(name) {
		return r, nil
	}
	if identityFile == "" {
		return nil, fmt.Errorf("%s is encrypted; give the file of your age identity with --age-identity", name)
	}
	keys, err := os.ReadFile(identityFile)
	if err != nil {
		return nil, fmt.Errorf("--age-identity: %w", err)
	}
	identities, err := age.ParseIdentities(strings.NewReader(string(keys)))
	if err != nil {
		return nil, fmt.Errorf("--age-identity: %w", err)
	}
	plain, err := age.Decrypt(r, identities...)
	if _, other := errors.AsType[*age.NoIdentityMatchError](err); other {
		return nil, fmt.Errorf("%s was encrypted for others: none of the identities in %s can decrypt it", name, identityFile)
	}
	if err != nil {
		return nil, fmt.Errorf("%s is cut off or damaged at its beginning, or not encrypted with age (%w)", name, err)
	}
	return plain, nil
}

// Unpack writes the content of a backup file into a new folder. The file of age identities
// is needed for an encrypted one.
func Unpack(ctx context.Context, name, identityFile, folder string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	r, err := Decrypt(f, name, identityFile)
	if err != nil {
		return err
	}
	if err := os.Mkdir(folder, 0o700); err != nil {
		return err
	}
	return unpack(ctx, &Watched{Reader: r}, name, folder)
}

// Watched is a reader that remembers the error of a failed read.
type Watched struct {
	io.Reader
	Err error
}

// Read implements io.Reader.
func (w *Watched) Read(p []byte) (int, error) {
	n, err := w.Reader.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		w.Err = err
	}
	return n, err
}

// unpack writes the files of an archive into a folder.
func unpack(ctx context.Context, r *Watched, name, folder string) error {
	in, at := tar.NewReader(r), "at its beginning"
	whole := false // the manifest was there
	for {
		h, err := in.Next()
		switch {
		case errors.Is(err, io.EOF) && whole:
			return nil
		case errors.Is(err, io.EOF):
			return fmt.Errorf("%s has no %s: it is cut off %s, or not a backup", name, ManifestFile, at)
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			return Damage("backup", name, at, err)
		case strings.HasPrefix(h.Name, workspaceTables):
			return fmt.Errorf("%s is a workspace archive, not a backup: use `konak workspace import`", name)
		case !filepath.IsLocal(h.Name):
			return fmt.Errorf("%s contains %q, which is outside the backup", name, h.Name)
		}
		path := filepath.Join(folder, filepath.FromSlash(h.Name))
		switch h.Typeflag {
		case tar.TypeDir:
			err = os.MkdirAll(path, 0o700)
		case tar.TypeReg:
			if err = os.MkdirAll(filepath.Dir(path), 0o700); err == nil {
				err = writeSynced(path, in)
			}
		default:
			err = fmt.Errorf("%s contains %q, which is neither a file nor a folder", name, h.Name)
		}
		if r.Err != nil || errors.Is(err, io.ErrUnexpectedEOF) {
			return Damage("backup", name, "in "+h.Name, err)
		}
		if err != nil {
			return err
		}
		at, whole = "after "+h.Name, whole || h.Name == ManifestFile
	}
}

// workspaceTables is the folder of the rows in a workspace archive.
const workspaceTables = "tables/"

// Damage returns the error for an archive that ends too early or is damaged.
func Damage(what, name, where string, err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("%s is cut off %s: copy it again, or take another one", name, where)
	}
	return fmt.Errorf("%s is damaged %s, or not a valid %s (%w): copy it again, or take another one", name, where, what, err)
}

// WithFolder calls fn with the folder of a backup, which it unpacks first if the backup is
// one file.
func WithFolder(ctx context.Context, name, identityFile, scratch string, fn func(folder string) error) (err error) {
	info, err := os.Stat(name)
	if err != nil {
		return err
	}
	if info.IsDir() {
		return fn(name)
	}
	dir, err := os.MkdirTemp(scratch, ".restore-*")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	folder := filepath.Join(dir, "backup")
	if err := Unpack(ctx, name, identityFile, folder); err != nil {
		return err
	}
	return fn(folder)
}
