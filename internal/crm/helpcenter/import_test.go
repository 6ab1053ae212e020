package helpcenter_test

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"konak/internal/app/apptest"
	"konak/internal/crm/helpcenter"
)

func TestImport(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		d := open(t, s, "ada")
		load := func(query, content string) (out helpcenter.ImportResult) {
			t.Helper()
			d.Owner.Post(center+"/import?"+query, content).Want(200).Data(&out)
			return out
		}
		one := load("filename=sure.md&category_id="+d.category.ID.String(), "# Teslimat süresi\r\n\r\nİki gün.")
		if one.Created != 1 || one.Files[0].Title != "Teslimat süresi" || one.Files[0].Language != "tr" {
			t.Fatalf("one file: %+v", one)
		}
		var a helpcenter.Article
		d.Owner.Get(articles + "/" + one.Files[0].ArticleID.String()).Want(200).Data(&a)
		if a.Texts[0].Body != "İki gün." || a.Texts[0].State != helpcenter.Draft {
			t.Errorf("imported: %+v", a)
		}
		many := load("filename=hepsi.zip&publish=true", zipped(t, map[string]string{
			"tr/kargo/takip.md": "---\ntitle: \"Kargo takibi\"\nsummary: Nerede?\narticle: takip\n---\nTakip edin.",
			"en/kargo/track.md": "---\ntitle: Track a parcel\narticle: takip\n---\nFollow it.",
			"tr/yok/x.md":       "# Kategorisiz\n\nx",
			"xx.md":             "---\nlanguage: qq\ncategory: kargo\n---\nx",
			"tr/kargo/derin.md": "# Derin\n\n" + strings.Repeat(">", 50) + "x",
			"tr/kargo/uzun.md":  "---\ntitle: Uzun\n---\n" + strings.Repeat("x", 140_000),
			"tr/kargo/bas.md":   "---\ntitle: Uzun\nsummary: " + strings.Repeat("x", 20_000) + "\n---\n" + strings.Repeat("x", 95_000),
			"resim.png":         "x",
		}))
		if many.Created != 2 || many.Failed != 5 {
			t.Fatalf("many files: %+v", many)
		}
		reasons := map[string]string{}
		for _, f := range many.Files {
			if f.Error != nil {
				reasons[f.File] = *f.Error
			}
		}
		want := map[string]string{"tr/yok/x.md": "unknown_category", "xx.md": "unknown_language", "tr/kargo/derin.md": "too_complex", "tr/kargo/uzun.md": "too_long", "tr/kargo/bas.md": "too_long"}
		if diff := cmp.Diff(want, reasons); diff != "" {
			t.Error(diff)
		}
		var list []helpcenter.Listed
		d.Owner.Get(articles + "?language=en").Want(200).Data(&list)
		if len(list) != 1 || len(list[0].Texts) != 2 || list[0].Texts[0].State != helpcenter.Published {
			t.Errorf("one article in two languages: %+v", list)
		}

		d.Owner.Post(center+"/import?filename=x.zip", "PK\x03\x04 broken").Refused(422, "validation_failed")
		d.Owner.Post(center+"/import?filename=x.md", "\xff\xfe\x00").Refused(422, "validation_failed")
		d.Owner.Post(center+"/import?filename=x.zip", zipped(t, map[string]string{"a.txt": "x"})).Refused(422, "validation_failed")
		d.Owner.Post(center+"/import?filename=x.md", strings.Repeat("x", 5<<20+1)).Refused(413, "body_too_large")
		files := map[string]string{}
		for i := range 301 {
			files[fmt.Sprintf("%d.md", i)] = "x"
		}
		d.Owner.Post(center+"/import?filename=x.zip", zipped(t, files)).Refused(422, "limit_reached")
		// A file that unpacks to more than the maximum of an article is refused, and is not
		// read to its end, where its checksum would be found to be wrong.
		huge := load("filename=x.zip&category_id="+d.category.ID.String(), damagedZip(t, strings.Repeat("x ", 1<<20)))
		if huge.Failed != 1 || *huge.Files[0].Error != "too_long" {
			t.Errorf("huge: %+v", huge)
		}
	})
}

// The same files can be imported again: existing texts are left unchanged.
func TestImportAgain(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		d := open(t, s, "ada")
		load := func(files map[string]string) (out helpcenter.ImportResult) {
			t.Helper()
			d.Owner.Post(center+"/import?filename=x.zip&publish=true", zipped(t, files)).Want(200).Data(&out)
			return out
		}
		files := map[string]string{
			"tr/kargo/a.md": "# Teslimat\n\nİki gün.",
			"tr/kargo/b.md": "# Teslimat\n\nÜç gün.", // another article of the same title
			"tr/kargo/c.md": "---\ntitle: Takip\narticle: takip\n---\nTakip edin.",
			"en/yok/c.md":   "---\ntitle: Tracking\narticle: izle\n---\nFollow it.",
		}
		first := load(files)
		if first.Created != 3 || first.Skipped != 0 || first.Failed != 1 {
			t.Fatalf("at first: %+v", first)
		}
		ids := map[string]string{}
		for _, f := range first.Files {
			if f.Skipped || len(f.Warnings) != 0 && f.Error == nil {
				t.Errorf("at first: %+v", f)
			}
			if f.ArticleID != nil {
				ids[f.File] = f.ArticleID.String()
			}
		}
		at := articles + "/" + ids["tr/kargo/c.md"] + "/texts/tr"
		d.Owner.Put(at, map[string]any{"title": "Takip", "body": "Elle düzeltildi."}).Want(200)
		// A failed file can be corrected: its language is added to the existing article,
		// whichever of its files comes first.
		delete(files, "en/yok/c.md")
		files["zz/kargo/c.md"] = "---\ntitle: Tracking\nlanguage: en\narticle: takip\n---\nFollow it."
		again := load(files)
		if again.Created != 1 || again.Skipped != 3 || again.Failed != 0 || again.Files[0].File != "zz/kargo/c.md" || again.Files[0].ArticleID.String() != ids["tr/kargo/c.md"] {
			t.Fatalf("again: %+v", again)
		}
		for range 2 {
			if third := load(files); third.Created != 0 || third.Skipped != 4 || third.Failed != 0 {
				t.Errorf("a third time: %+v", third)
			}
		}
		var list []helpcenter.Listed
		if d.Owner.Get(articles + "?limit=100").Want(200).Data(&list); len(list) != 3 {
			t.Errorf("there are %d articles", len(list))
		}
		var a helpcenter.Article
		d.Owner.Get(articles + "/" + ids["tr/kargo/c.md"]).Want(200).Data(&a)
		if len(a.Texts) != 2 || a.Texts[1].Body != "Elle düzeltildi." || a.Texts[1].State != helpcenter.Changed {
			t.Errorf("what somebody wrote is %+v", a.Texts)
		}
		// Another category, and another workspace, have none of these articles.
		var c helpcenter.Category
		d.Owner.Post(center+"/categories", map[string]any{"slug": "iade", "texts": []map[string]any{{"language": "tr", "name": "İade"}}}).Want(201).Data(&c)
		if other := load(map[string]string{"tr/iade/a.md": files["tr/kargo/a.md"]}); other.Created != 1 {
			t.Errorf("in another category: %+v", other)
		}
		e := open(t, s, "bora")
		var out helpcenter.ImportResult
		e.Owner.Post(center+"/import?filename=x.zip", zipped(t, files)).Want(200).Data(&out)
		if out.Created != 4 || out.Skipped != 0 {
			t.Errorf("in another workspace: %+v", out)
		}
	})
}

// Files are in the site's own language unless they say otherwise, and there are warnings
// about what readers will not see.
func TestImportWarns(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		d := open(t, s, "ada")
		d.Owner.Put("/api/crm/v1/channels/help-center", map[string]any{"languages": []string{"en", "de"}, "default_language": "en"}).Want(200)
		var out helpcenter.ImportResult
		d.Owner.Post(center+"/import?publish=true&filename=p.md&category_id="+d.category.ID.String(), "# Delivery\n\nTwo days.").Want(200).Data(&out)
		var a helpcenter.Article
		d.Owner.Get(articles + "/" + out.Files[0].ArticleID.String()).Want(200).Data(&a)
		if a.Texts[0].Language != "en" || a.Texts[0].URL == nil || len(a.Texts[0].Warnings) != 0 {
			t.Errorf("without a language it is %+v", a.Texts)
		}
		d.Owner.Post(center+"/import?language=de&filename=x.zip&category_id="+d.category.ID.String(), zipped(t, map[string]string{
			"plain.md":    "# Versand\n\n![](https://example.com/a.png) ![](//example.com/b.png)",
			"tr/x.md":     "# Teslimat\n\nİki gün.",
			"picture.md":  "# Bild\n\nText ![Bild](pic.png)",
			"data.md":     "# Daten\n\n![](data:image/png;base64,AAAA)",
			"html.md":     "# Tabelle\n\n<table><tr><td>x</td></tr></table>",
			"bad.md":      "\xff\xfe\x00",
			"latin.md":    "# Gr\xfc\xdfe",
			"empty.md":    "",
			"blank.md":    "\ufeff \n\n",
			"\xfc\x00.md": "Ohne Titel",
			"long.md":     "# Lang\n\n" + strings.Repeat("ş", 70_000),
			"long-odd.md": "# Lang \n\n" + strings.Repeat("ş", 70_000),
		})).Want(200).Data(&out)
		got := map[string]string{}
		for _, f := range out.Files {
			got[f.File] = f.Language + " " + strings.Join(f.Warnings, ",")
			if f.Error != nil {
				got[f.File] = "failed " + *f.Error
			}
		}
		want := map[string]string{
			"plain.md": "de ", "tr/x.md": "tr language_not_shown", "picture.md": "de picture_not_shown", "data.md": "de picture_not_shown", "html.md": "de html_left_out",
			"bad.md": "failed unsupported_type", "latin.md": "failed unsupported_type", "empty.md": "failed unsupported_type", "blank.md": "failed unsupported_type",
			"\ufffd.md": "de ", "long.md": "failed too_long", "long-odd.md": "failed too_long",
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
		for _, content := range []string{"", " \n", "\xff\xfe\x00"} {
			d.Owner.Post(center+"/import?filename=x.md&category_id="+d.category.ID.String(), content).Refused(422, "validation_failed")
		}
		// A text has the same warnings.
		for _, f := range out.Files {
			if f.File != "tr/x.md" {
				continue
			}
			d.Owner.Get(articles + "/" + f.ArticleID.String()).Want(200).Data(&a)
			if diff := cmp.Diff([]string{"language_not_shown"}, a.Texts[0].Warnings); diff != "" {
				t.Error(diff)
			}
		}
	})
}

// damagedZip returns a zip with one file whose checksum is wrong.
func damagedZip(t *testing.T, content string) string {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	n := uint64(len(content))
	w, err := z.CreateRaw(&zip.FileHeader{Name: "a.md", CRC32: 1, CompressedSize64: n, UncompressedSize64: n})
	if err == nil {
		_, err = w.Write([]byte(content))
	}
	if err := errors.Join(err, z.Close()); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// zipped returns a zip of files in the order of their names.
func zipped(t *testing.T, files map[string]string) string {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	names := []string{}
	for name := range files {
		names = append(names, name)
	}
	slices.Sort(names)
	slices.Reverse(names) // tr before en
	for _, name := range names {
		w, err := z.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(files[name])); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}
