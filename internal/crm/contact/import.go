package contact

import (
	"encoding/csv"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"

	"konak/internal/kit/clock"
	"konak/internal/kit/each"
	"konak/internal/kit/fault"
)

// Import is the import of a CSV file into the address book.
type Import struct {
	ID         uuid.UUID   `json:"id" format:"uuid"`
	Filename   string      `json:"filename" example:"contacts.csv"`
	Status     string      `json:"status" enum:"queued,running,done"`
	Total      int         `json:"total" example:"1200" doc:"Rows in the file"`
	Processed  int         `json:"processed" example:"400"`
	Created    int         `json:"created" example:"350"`
	Updated    int         `json:"updated" example:"45"`
	Failed     int         `json:"failed" example:"5"`
	CreatedBy  *uuid.UUID  `json:"created_by" nullable:"true" format:"uuid"`
	CreatedAt  clock.Time  `json:"created_at"`
	FinishedAt *clock.Time `json:"finished_at" nullable:"true"`
}

// ImportError is an error in one row.
type ImportError struct {
	ID    uuid.UUID `json:"id" format:"uuid"`
	Line  int       `json:"line" example:"17" doc:"Row number in the file; the header is row 1"`
	Field string    `json:"field" example:"emails"`
	Code  string    `json:"code" example:"invalid_address"`
}

// Columns are the columns that an export writes and an import reads; every other column is
// a custom attribute named attr:NAME.
var Columns = []string{
	"external_id", "kind", "name", "first_name", "last_name", "emails", "phones",
	"company", "language", "timezone", "country", "tags",
}

const (
	maxImportRows = 50_000
	attrPrefix    = "attr:"
	listSeparator = ";"
)

// table is a parsed CSV file.
type table struct {
	header []string
	rows   [][]string
}

// parseCSV parses a whole file, separated by commas or, as Turkish spreadsheets do,
// semicolons, with or without a byte-order mark.
func parseCSV(content string) (*table, error) {
	if !utf8.ValidString(content) || strings.IndexByte(content, 0) >= 0 {
		return nil, fault.Invalid("file", "invalid_character") // saved in an encoding that is not UTF-8, most likely
	}
	content = strings.TrimPrefix(content, "\ufeff")
	first, _, _ := strings.Cut(content, "\n")
	r := csv.NewReader(strings.NewReader(content))
	r.FieldsPerRecord = -1
	if strings.Count(first, ";") > strings.Count(first, ",") {
		r.Comma = ';'
	}
	var t table
	for {
		record, err := r.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fault.Invalid("file", "invalid_csv").Wrap(err)
		}
		if t.header == nil {
			for i := range record {
				record[i] = column(record[i])
			}
			t.header = record
			continue
		}
		if t.rows = append(t.rows, record); len(t.rows) > maxImportRows {
			return nil, fault.Invalid("file", "too_many_rows")
		}
	}
	if len(t.rows) == 0 {
		return nil, fault.Invalid("file", "empty")
	}
	for _, h := range t.header {
		if !slices.Contains(Columns, h) && !strings.HasPrefix(h, attrPrefix) {
			return nil, fault.Invalid("file", "unknown_column").Because(h)
		}
	}
	return &t, nil
}

// column normalises a heading; an attribute's name keeps its case.
func column(heading string) string {
	heading = unescapeFormulas(strings.TrimSpace(heading))
	lower := strings.ToLower(heading)
	if strings.HasPrefix(lower, attrPrefix) {
		return attrPrefix + strings.TrimSpace(heading[len(attrPrefix):])
	}
	return lower
}

// input converts a row. An empty cell leaves a value unchanged.
func (t *table) input(row []string) Input {
	var in Input
	texts := map[string]**string{
		"external_id": &in.ExternalID, "kind": &in.Kind, "name": &in.Name, "first_name": &in.FirstName, "last_name": &in.LastName,
		"company": &in.Company, "language": &in.Language, "timezone": &in.Timezone, "country": &in.Country,
	}
	lists := map[string]**[]string{"emails": &in.Emails, "phones": &in.Phones, "tags": &in.Tags}
	attributes := map[string]any{}
	for i, cell := range row {
		if cell = unescapeFormulas(strings.TrimSpace(cell)); cell == "" || i >= len(t.header) {
			continue
		}
		h := t.header[i]
		if to := texts[h]; to != nil {
			*to = &cell
		} else if to := lists[h]; to != nil {
			list := splitList(cell)
			*to = &list
		} else {
			attributes[strings.TrimPrefix(h, attrPrefix)] = cell
		}
	}
	if len(attributes) > 0 {
		in.CustomAttributes = &attributes
	}
	return in
}

// cells returns a contact as a row of Columns and of these attributes.
func (c *Contact) cells(attributes []string) []string {
	external := ""
	if c.ExternalID != nil {
		external = *c.ExternalID
	}
	row := []string{
		harmless(external), c.Kind, harmless(c.Name), harmless(c.FirstName), harmless(c.LastName),
		joinList(addresses(c)), joinList(numbers(c)), harmless(c.Company),
		harmless(c.Language), harmless(c.Timezone), harmless(c.Country), harmless(joinList(c.Tags)),
	}
	for _, name := range attributes {
		row = append(row, harmless(attributeText(c.CustomAttributes[name])))
	}
	return row
}

// joinList joins several values into one cell; separators within a value are escaped with a
// backslash.
func joinList(list []string) string {
	return strings.Join(each.Map(list, func(s string) string {
		return strings.ReplaceAll(strings.ReplaceAll(s, `\`, `\\`), listSeparator, `\`+listSeparator)
	}), listSeparator)
}

// splitList undoes joinList. A backslash before any other character is kept.
func splitList(cell string) []string {
	var out []string
	var b strings.Builder
	for i := 0; i < len(cell); i++ {
		switch c := cell[i]; {
		case c == '\\' && i+1 < len(cell) && (cell[i+1] == '\\' || cell[i+1] == listSeparator[0]):
			i++
			b.WriteByte(cell[i])
		case c == listSeparator[0]:
			out = append(out, b.String())
			b.Reset()
		default:
			b.WriteByte(c)
		}
	}
	return append(out, b.String())
}

// attributeText returns an attribute as the text of a cell.
func attributeText(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	case bool:
		return strconv.FormatBool(v)
	}
	return ""
}

// changedAttributes leaves out values that the contact already has: a cell is text, and
// repeating a number must not turn it into text.
func changedAttributes(has map[string]any, cells *map[string]any) *map[string]any {
	if cells == nil {
		return nil
	}
	out := map[string]any{}
	for name, cell := range *cells {
		if v, ok := has[name]; !ok || attributeText(v) != cell {
			out[name] = cell
		}
	}
	return &out
}

// harmless prevents a spreadsheet from running a stranger's text as a formula, even one
// that splits cells at semicolons or tabs. It puts an apostrophe before each part that
// could be a formula; plain removes them again.
func harmless(s string) string {
	var b strings.Builder
	for i := range len(s) {
		if startsCell(s, i) && formula(s[i:]) {
			b.WriteByte('\'')
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

func unescapeFormulas(s string) string {
	var b strings.Builder
	for i := range len(s) {
		if s[i] != '\'' || !startsCell(s, i) || !formula(s[i+1:]) {
			b.WriteByte(s[i])
		}
	}
	return b.String()
}

// startsCell reports whether a spreadsheet could begin a cell at s[i].
func startsCell(s string, i int) bool { return i == 0 || strings.IndexByte(";\t\r\n", s[i-1]) >= 0 }

// formula reports whether a spreadsheet could take a cell for a formula, or for one already
// marked with apostrophes.
func formula(s string) bool {
	s = strings.TrimLeft(s, "'")
	return s != "" && strings.ContainsRune("=+-@\t\r", rune(s[0]))
}
