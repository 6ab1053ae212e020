package whatsapp

import (
	"cmp"
	"encoding/base64"
	"io"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	wire "konak/internal/provider/whatsapp"
	"konak/internal/sandbox/meta"
)

// barred is how long Meta blocks the name of a deleted template.
const barred = 30 * 24 * time.Hour

func (s *Server) listTemplates(r *http.Request, b *Business) (any, *meta.Refusal) {
	s.mu.Lock()
	defer s.mu.Unlock()
	q := r.URL.Query()
	limit, err := strconv.Atoi(q.Get("limit"))
	if err != nil || limit < 1 {
		limit = 25
	}
	from := 0
	if after := q.Get("after"); after != "" {
		if from, err = strconv.Atoi(after); err != nil || from < 0 || from > len(b.Templates) {
			return nil, parameter("after is no cursor")
		}
	}
	until := min(from+limit, len(b.Templates))
	page := wire.TemplatePage{Data: []wire.TemplateRecord{}, Paging: &wire.Paging{Cursors: wire.Cursors{Before: strconv.Itoa(from), After: strconv.Itoa(until)}}}
	for _, t := range b.Templates[from:until] {
		page.Data = append(page.Data, *t)
	}
	if until < len(b.Templates) {
		next := *r.URL
		q.Set("after", strconv.Itoa(until))
		next.RawQuery = q.Encode()
		page.Paging.Next = "http://" + r.Host + next.String()
	}
	return page, nil
}

func (s *Server) createTemplate(r *http.Request, b *Business) (any, *meta.Refusal) {
	var t wire.TemplateRecord
	if err := body(r, &t); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.checkRecord(b, &t); err != nil {
		return nil, err
	}
	t.ID, t.Status, t.Quality = s.id(), "PENDING", &wire.Quality{Score: "UNKNOWN"}
	b.Templates = append(b.Templates, &t)
	s.keep()
	s.review(b, &t)
	return map[string]string{"id": t.ID, "status": "PENDING", "category": t.Category}, nil
}

func userError(subcode int, title, text string) *meta.Refusal {
	r := refuse(400, 100, subcode, "OAuthException", "Invalid parameter", "")
	r.Err.UserTitle, r.Err.UserMsg = title, text
	return r
}

func (s *Server) checkRecord(b *Business, t *wire.TemplateRecord) *meta.Refusal {
	switch {
	case t.Name == "" || t.Language == "" || t.Category == "":
		return parameter("name, language and category are required")
	case slices.ContainsFunc(b.Templates, func(k *wire.TemplateRecord) bool { return k.Name == t.Name && k.Language == t.Language }):
		return userError(2388024, "Content in This Language Already Exists", "There is already "+t.Language+" content for this template. You can create a new template and try again.")
	case s.clock.Now().Before(b.Deleted[t.Name].Add(barred)) && !b.Deleted[t.Name].IsZero():
		return userError(2388023, "Message Template Language Is Being Deleted", "New content can't be added while the existing content is being deleted. Try again in 4 weeks or consider creating a new message template.")
	}
	return s.checkComponents(t)
}

// checkComponents requires a body, samples for variables, and handles that were issued.
func (s *Server) checkComponents(t *wire.TemplateRecord) *meta.Refusal {
	hasBody := false
	for _, c := range t.Components {
		switch strings.ToUpper(c.Type) {
		case "BODY":
			hasBody = true
			n := count(c.Text)
			if n > 0 && (c.Example == nil || len(c.Example.BodyText) == 0 && len(c.Example.BodyNamed) < n || len(c.Example.BodyText) > 0 && len(c.Example.BodyText[0]) < n) {
				return userError(2388043, "Message template \"components\" param is missing expected field(s)", "component of type BODY is missing expected field(s) (example)")
			}
		case "HEADER":
			if f := strings.ToUpper(c.Format); f == "TEXT" || f == "LOCATION" {
				continue
			}
			if c.Example == nil || len(c.Example.HeaderHandle) != 1 || !strings.HasPrefix(c.Example.HeaderHandle[0], handlePrefix) {
				return userError(2388273, "Invalid sample media", "The header handle is missing or was not given out by the upload API.")
			}
		}
	}
	if !hasBody {
		return userError(2388043, "Message template \"components\" param is missing expected field(s)", "component of type BODY is missing")
	}
	return nil
}

func (s *Server) editTemplate(r *http.Request, id, token string) (any, *meta.Refusal) {
	var in wire.TemplateEdit
	if err := body(r, &in); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, b := range s.businesses {
		if b.Token != token {
			continue
		}
		for _, t := range b.Templates {
			if t.ID != id {
				continue
			}
			if in.Category != "" && in.Category != t.Category && t.Status == "APPROVED" {
				return nil, userError(2388045, "Category cannot be changed", "The category of an approved message template can't be edited.")
			}
			changed := *t
			if in.Category != "" {
				changed.Category = in.Category
			}
			if in.Components != nil {
				changed.Components = in.Components
			}
			if err := s.checkComponents(&changed); err != nil {
				return nil, err
			}
			*t = changed
			t.Status, t.Reason = "PENDING", ""
			s.keep()
			s.review(b, t)
			return wire.Success{Success: true}, nil
		}
	}
	return nil, missing(id)
}

func (s *Server) deleteTemplate(r *http.Request, b *Business) (any, *meta.Refusal) {
	name := r.URL.Query().Get("name")
	s.mu.Lock()
	defer s.mu.Unlock()
	kept := slices.DeleteFunc(slices.Clone(b.Templates), func(t *wire.TemplateRecord) bool { return t.Name == name })
	if len(kept) == len(b.Templates) {
		return nil, userError(2593002, "Message Template Not Found", "Message template "+name+" was not found.")
	}
	b.Templates = kept
	b.Deleted[name] = s.clock.Now()
	s.keep()
	return wire.Success{Success: true}, nil
}

// ReviewByHand makes the templates of a business wait for Decide, or be decided at once.
func (s *Server) ReviewByHand(business string, on bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.businesses[business].ByHand = on
	s.keep()
}

// ReviewedByHand reports whether the templates of a business wait for Decide.
func (s *Server) ReviewedByHand(business string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.businesses[business].ByHand
}

// review decides at once and reports it, unless that is left to Decide; the caller holds
// the lock.
func (s *Server) review(b *Business, t *wire.TemplateRecord) {
	switch {
	case b.ByHand || strings.Contains(t.Name, "pending"):
		return
	case strings.Contains(t.Name, "reject"):
		t.Status, t.Reason = "REJECTED", "INVALID_FORMAT"
	default:
		t.Status, t.Reason = "APPROVED", ""
	}
	s.keep()
	s.tellTemplate(b, t, t.Status, map[string]any{"reason": cmp.Or(t.Reason, "NONE")})
}

func (s *Server) tellTemplate(b *Business, t *wire.TemplateRecord, event string, more map[string]any) {
	id, _ := strconv.ParseInt(t.ID, 10, 64)
	value := map[string]any{
		"event": event, "message_template_id": id, "message_template_name": t.Name, "message_template_language": t.Language,
		"message_template_category": t.Category,
	}
	maps.Copy(value, more)
	s.postChange(b, "message_template_status_update", value)
}

// Decide changes the status of a template as Meta does on its own, such as PAUSED with
// other_info.
func (s *Server) Decide(business, name, language, event string, more map[string]any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	b := s.businesses[business]
	for _, t := range b.Templates {
		if t.Name == name && t.Language == language {
			t.Status = event
			s.keep()
			s.tellTemplate(b, t, event, more)
		}
	}
}

// Rate changes the quality rating of a template.
func (s *Server) Rate(business, name, language, score string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	b := s.businesses[business]
	for _, t := range b.Templates {
		if t.Name == name && t.Language == language {
			was := t.Quality.Score
			t.Quality = &wire.Quality{Score: score}
			s.keep()
			id, _ := strconv.ParseInt(t.ID, 10, 64)
			s.postChange(b, "message_template_quality_update", map[string]any{
				"previous_quality_score": was, "new_quality_score": score, "message_template_id": id,
				"message_template_name": name, "message_template_language": language,
			})
		}
	}
}

const handlePrefix = "4::"

func (s *Server) beginUpload(r *http.Request, token string) (any, *meta.Refusal) {
	q := r.URL.Query()
	length, err := strconv.ParseInt(q.Get("file_length"), 10, 64)
	if err != nil || length < 1 || q.Get("file_name") == "" {
		return nil, parameter("file_name and file_length are required")
	}
	if !slices.Contains([]string{"image/jpeg", "image/jpg", "image/png", "video/mp4", "application/pdf"}, q.Get("file_type")) {
		return nil, parameter("file_type is not supported")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	id := "upload:" + s.id()
	s.uploads[id] = &upload{token: token, length: length, kind: q.Get("file_type")}
	return wire.ID{ID: id}, nil
}

func (s *Server) finishUpload(r *http.Request, id, token string) (any, *meta.Refusal) {
	s.mu.Lock()
	u := s.uploads[id]
	delete(s.uploads, id)
	s.mu.Unlock()
	if u == nil || u.token != token {
		return nil, missing(id)
	}
	if !strings.HasPrefix(r.Header.Get("Authorization"), "OAuth ") || r.Header.Get("file_offset") != "0" {
		return nil, parameter("Authorization: OAuth and file_offset: 0 are required")
	}
	n, err := io.Copy(io.Discard, io.LimitReader(r.Body, meta.MaxBody))
	if err != nil || n != u.length {
		return nil, parameter("the file is not as long as the session says")
	}
	return wire.UploadHandle{Handle: handlePrefix + base64.StdEncoding.EncodeToString([]byte(u.kind)) + ":" + strings.TrimPrefix(id, "upload:")}, nil
}
