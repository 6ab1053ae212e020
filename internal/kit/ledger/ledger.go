// Package ledger is the privacy ledger: what was done with personal data, by
// whom and when.
//
// Invariants:
//   - A line is written in the transaction of what it is about.
//   - Lines of a workspace are numbered from one without gaps, and each contains
//     the hash of the one before it, so that a changed, removed or inserted line
//     is detected.
//   - Lines are never changed or deleted; the database refuses it.
//   - Personal values are sealed with a key of their subject. When that key is
//     dropped they are unreadable, and the chain is still valid.
package ledger

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/google/uuid"

	"konak/internal/kit/api"
	"konak/internal/kit/caller"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/secret"
)

// Ledger writes and reads the lines of all workspaces.
type Ledger struct{ box *secret.Box }

// New creates a ledger whose subjects' keys are sealed with box.
func New(box *secret.Box) *Ledger { return &Ledger{box: box} }

// Entry is a line to be written.
type Entry struct {
	Action string
	// Subject is whom the line is about, such as an address. It is stored as a hash.
	Subject string
	// Details must not contain personal values; those belong in Personal.
	Details  map[string]any
	Personal map[string]string
}

// Actor is who did it.
type Actor struct {
	ID   *uuid.UUID `json:"id" nullable:"true" format:"uuid"`
	Kind string     `json:"kind" example:"agent"`
}

// Line is a line of the ledger.
type Line struct {
	Seq        int64             `json:"seq" example:"1" doc:"Line number; starts at 1, without gaps"`
	ID         uuid.UUID         `json:"id" format:"uuid"`
	At         clock.Time        `json:"at"`
	Actor      Actor             `json:"actor"`
	Action     string            `json:"action" example:"gdpr.erasure.received"`
	SubjectRef string            `json:"subject_ref" example:"9f86d081884c7d65" doc:"Pseudonym of the subject; the same for the same address"`
	Details    map[string]any    `json:"details" nullable:"false"`
	Personal   map[string]string `json:"personal" nullable:"true" doc:"Personal values; null once erased"`
	PrevHash   string            `json:"prev_hash" doc:"Hash of the previous line; empty for the first"`
	Hash       string            `json:"hash" doc:"SHA-256 of prev_hash and the line in canonical JSON, in hex"`

	details string // as stored
	sealed  string // personal, as stored
}

// SubjectRef returns the hash that stands for a subject. It cannot be reversed without the
// installation's key.
func (l *Ledger) SubjectRef(tenant uuid.UUID, subject string) string {
	h := hmac.New(sha256.New, l.box.Derive("ledger"))
	h.Write(tenant[:])
	h.Write([]byte(subject))
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// Write adds a line in tx.
func (l *Ledger) Write(tx *db.Tx, e Entry) (Line, error) {
	seq, hash, err := lockHead(tx)
	if err != nil {
		return Line{}, fmt.Errorf("ledger: lock head: %w", err)
	}
	who := caller.From(tx.Context())
	line := Line{
		Seq: seq + 1, ID: tx.NewID(), At: clock.At(tx.Now()), Actor: Actor{Kind: string(who.Kind), ID: who.Actor()}, Action: e.Action,
		SubjectRef: l.SubjectRef(tx.Tenant(), e.Subject), Details: e.Details, Personal: e.Personal, PrevHash: hash,
	}
	if line.Details == nil {
		line.Details = map[string]any{}
	}
	details, err := canonical(line.Details)
	if err != nil {
		return Line{}, err
	}
	line.details = string(details)
	if line.sealed, err = l.seal(tx, line.SubjectRef, e.Personal); err != nil {
		return Line{}, err
	}
	if line.Hash, err = line.hash(); err != nil {
		return Line{}, err
	}
	if err := putLine(tx, &line); err != nil {
		return Line{}, fmt.Errorf("ledger: put line: %w", err)
	}
	return line, saveHead(tx, line.Seq, line.Hash)
}

// canonical returns JSON with sorted keys, without spaces and unnecessary escapes (RFC
// 8785, as far as a ledger needs it: no fractions).
func canonical(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	out := bytes.TrimRight(b.Bytes(), "\n")
	out = bytes.ReplaceAll(out, []byte(`\u2028`), []byte("\u2028"))
	return bytes.ReplaceAll(out, []byte(`\u2029`), []byte("\u2029")), nil
}

// hash computes the hash of a line from what is stored.
func (n *Line) hash() (string, error) {
	actor := ""
	if n.Actor.ID != nil {
		actor = n.Actor.ID.String()
	}
	text, err := canonical(map[string]any{
		"seq": n.Seq, "id": n.ID.String(), "at": n.At.UnixMicro(), "actor_kind": n.Actor.Kind, "actor_id": actor, "action": n.Action,
		"subject_ref": n.SubjectRef, "details": json.RawMessage(n.details), "personal": n.sealed, "prev_hash": n.PrevHash,
	})
	if err != nil {
		return "", err
	}
	h := sha256.New()
	h.Write([]byte(n.PrevHash))
	h.Write(text)
	return hex.EncodeToString(h.Sum(nil)), nil
}

// seal encrypts personal values under the subject's key, which it creates if there is none.
func (l *Ledger) seal(tx *db.Tx, subject string, personal map[string]string) (string, error) {
	if len(personal) == 0 {
		return "", nil
	}
	fresh := make([]byte, 32)
	if _, err := rand.Read(fresh); err != nil {
		return "", err
	}
	if err := putKey(tx, subject, l.box.Seal(tx.Tenant(), keyPlace(subject), fresh)); err != nil {
		return "", err
	}
	gcm, err := l.key(&tx.Reader, subject)
	if err != nil {
		return "", err
	}
	plain, err := canonical(personal)
	if err != nil {
		return "", err
	}
	nonce := make([]byte, gcm.NonceSize())
	if _, err := rand.Read(nonce); err != nil {
		return "", err
	}
	return base64.StdEncoding.EncodeToString(gcm.Seal(nonce, nonce, plain, []byte(subject))), nil
}

func keyPlace(subject string) string { return "privacy_subject_key/" + subject }

// key returns the cipher of a subject; db.ErrNoRow if its key was dropped.
func (l *Ledger) key(r *db.Reader, subject string) (cipher.AEAD, error) {
	sealed, err := findKey(r, subject)
	if err != nil {
		return nil, err
	}
	key, err := l.box.Open(r.Tenant(), keyPlace(subject), sealed)
	if err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	return cipher.NewGCM(block)
}

// open decrypts the personal values of a line, if the key still exists.
func (l *Ledger) open(r *db.Reader, n *Line) error {
	if n.sealed == "" {
		n.Personal = map[string]string{}
		return nil
	}
	gcm, err := l.key(r, n.SubjectRef)
	if err != nil {
		return db.IgnoreNoRow(err)
	}
	raw, err := base64.StdEncoding.DecodeString(n.sealed)
	if err != nil || len(raw) < gcm.NonceSize() {
		return errors.Join(err, errors.New("ledger: the sealed values are damaged"))
	}
	plain, err := gcm.Open(nil, raw[:gcm.NonceSize()], raw[gcm.NonceSize():], []byte(n.SubjectRef))
	if err != nil {
		return nil // sealed with a key that was dropped; the subject has a new one now
	}
	return json.Unmarshal(plain, &n.Personal)
}

// EraseSubject drops the key of a subject: its personal values in all lines can no longer
// be read.
func (l *Ledger) EraseSubject(tx *db.Tx, subject string) error {
	return dropKey(tx, l.SubjectRef(tx.Tenant(), subject))
}

// List returns lines, newest first; an empty subject means all.
func (l *Ledger) List(r *db.Reader, subject string, p db.Page) (db.List[Line], error) {
	ref := ""
	if subject != "" {
		ref = l.SubjectRef(r.Tenant(), subject)
	}
	list, err := listLines(r, ref, p)
	if err != nil {
		return list, err
	}
	for i := range list.Rows {
		if err := l.open(r, &list.Rows[i]); err != nil {
			return list, err
		}
	}
	return list, nil
}

// Verification is the result of checking the whole chain.
type Verification struct {
	OK    bool  `json:"ok" example:"true"`
	Lines int64 `json:"lines" example:"12" doc:"Number of lines checked"`
	// FirstBad is the first line that fails the check, nil if all pass.
	FirstBad *int64                   `json:"first_bad" nullable:"true" example:"7" doc:"Number of the first line that fails the check"`
	Hash     string                   `json:"hash" doc:"Hash of the last line; keep a copy elsewhere to prove later that nothing was rewritten"`
	Signed   api.Nullable[SignedHead] `json:"signed" doc:"Last line of the latest signed day; null if none is signed"`
}

// verifyBatch is the number of lines read at once.
const verifyBatch = 1000

// Verify checks every line of a workspace: that the numbers have no gaps, that each line
// has its own hash and that of the line before it, that signed lines are unchanged since,
// and that the last line matches the head.
func (l *Ledger) Verify(r *db.Reader) (v Verification, err error) {
	signed, err := signatures(r)
	if err != nil {
		return v, err
	}
	heads := map[int64]SignedHead{}
	for _, h := range signed {
		h.complete(l)
		heads[h.Seq], v.Signed = h, api.Some(h)
	}
	bad := func(seq int64) (Verification, error) {
		v.OK, v.FirstBad = false, &seq
		return v, nil
	}
	for {
		lines, err := linesAfter(r, v.Lines, verifyBatch)
		if err != nil {
			return v, err
		}
		for i := range lines {
			n := &lines[i]
			want, err := n.hash()
			if n.Seq != v.Lines+1 || n.PrevHash != v.Hash || err != nil || n.Hash != want {
				return bad(v.Lines + 1)
			}
			if h, ok := heads[n.Seq]; ok && (h.Hash != n.Hash || !h.isSigned(l, r.Tenant())) {
				return bad(n.Seq)
			}
			v.Lines, v.Hash = n.Seq, n.Hash
		}
		if len(lines) < verifyBatch {
			break
		}
	}
	seq, hash, err := findHead(r)
	if err != nil {
		return v, err
	}
	if seq != v.Lines || hash != v.Hash || v.Signed.V != nil && v.Signed.V.Seq > v.Lines {
		return bad(v.Lines + 1)
	}
	v.OK = true
	return v, nil
}
