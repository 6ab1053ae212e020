package dlp_test

import (
	"slices"
	"strings"
	"testing"

	"konak/internal/mail/dlp/dlptest"
)

// Attributes of office documents that contain text are read, and single-file documents are
// read according to their type.
func TestAttributes(t *testing.T) {
	t.Parallel()
	const xml = `<?xml version="1.0"?>`
	for member, content := range map[string]string{
		"xl/pivotCache/pivotCacheDefinition1.xml": `<sharedItems><s v="PRJ-1234"/></sharedItems>`,
		"xl/workbook.xml":                         `<sheets><sheet name="PRJ-1234" sheetId="1"/></sheets>`,
		"xl/worksheets/sheet1.xml":                `<dataValidation promptTitle="PRJ-1234"/>`,
		"xl/worksheets/sheet2.xml":                `<dataValidation error="a" prompt="PRJ-1234"/>`,
		"word/document.xml":                       `<v:textpath string="PRJ-1234"/>`,
		"word/list.xml":                           `<w:listItem w:displayText="PRJ-1234" w:value="1"/>`,
		"word/settings.xml":                       `<w:docVar w:name="a" w:val="PRJ-1234"/>`,
		"word/field.xml":                          `<w:fldSimple w:instr="QUOTE PRJ-1234"/>`,
		"word/symbols.xml":                        `<w:p><w:r><w:sym w:char="0050"/></w:r><w:r><w:sym w:char="F052"/></w:r><w:r><w:t>J-1234</w:t></w:r></w:p>`,
		"word/document.bin":                       `<w:p><w:r><w:t>PRJ</w:t></w:r><w:r><w:t>-1234</w:t></w:r></w:p>`,
		"Documents/1/Pages/1.fpage":               `<Glyphs UnicodeString="PRJ-1234"/>`,
		"content.xml":                             `<table:table-cell office:value-type="string" office:string-value="PRJ-1234"/>`,
		"content2.xml":                            `<table:table table:name="PRJ-1234"/>`,
	} {
		if !strings.HasSuffix(member, ".bin") {
			content = xml + "<a>" + content + "</a>"
		}
		file := dlptest.Zip(t, "[Content_Types].xml", xml+"<Types/>", member, content)
		if got := scanFile(t, "a.zip", file); !slices.Equal(got, []string{"regex attachment:a.zip/" + member + " 1"}) {
			t.Errorf("%s: %q", member, got)
		}
	}
	number := dlptest.Zip(t, "[Content_Types].xml", xml+"<Types/>", "xl/pivotCache/pivotCacheRecords1.xml", xml+`<r><n v="1.0000000146E10"/></r>`)
	if got := scanFile(t, "a.zip", number); !slices.Equal(got, []string{"tckn attachment:a.zip/xl/pivotCache/pivotCacheRecords1.xml 1"}) {
		t.Errorf("number of a cache: %q", got)
	}
	ordinary := dlptest.Zip(t, "[Content_Types].xml", xml+"<Types/>", "word/document.xml",
		xml+`<w:document xmlns:w="http://x.example/PRJ-1234"><wp:extent cx="4111111" cy="1111111"/><a:off x="1111111" y="1111111"/><a:id val="{PRJ-1234}"/></w:document>`)
	if got := scanFile(t, "a.zip", ordinary); got != nil {
		t.Errorf("an ordinary document: %q", got)
	}
	// Numbers in separate elements are not parts of one number.
	for member, content := range map[string]string{
		"docProps/app.xml":         `<Pages>4111</Pages><Words>1111</Words><Characters>1111</Characters><Lines>1111</Lines>`,
		"word/document.xml":        `<wp:positionH><wp:posOffset>411111</wp:posOffset></wp:positionH><wp:positionV><wp:posOffset>11111</wp:posOffset></wp:positionV><wp14:pctWidth>11111</wp14:pctWidth>`,
		"xl/drawings/drawing1.xml": `<xdr:col>4</xdr:col><xdr:colOff>1111111</xdr:colOff><xdr:row>1</xdr:row><xdr:col>1111111</xdr:col><xdr:colOff>1</xdr:colOff>`,
		"xl/charts/chart1.xml":     `<c:pt idx="0"><c:v>41111111</c:v></c:pt><c:pt idx="1"><c:v>11111111</c:v></c:pt>`,
		"settings.xml":             `<config:config-item>411111</config:config-item><config:config-item>1111111111</config:config-item>`,
	} {
		file := dlptest.Zip(t, "[Content_Types].xml", xml+"<Types/>", member, xml+"<a>"+content+"</a>")
		if got := scanFile(t, "a.zip", file); got != nil {
			t.Errorf("%s: %q", member, got)
		}
	}
	for name, content := range map[string]string{
		"d.fodt":  xml + `<office:document><li>a PRJ<b>-1234</b></li></office:document>`,
		"a.fodt":  xml + `<office:document><text:p>PRJ<text:span>-1234</text:span></text:p></office:document>`,
		"b.xml":   xml + `<w:wordDocument><w:p><w:r><w:t>PRJ</w:t></w:r><w:r><w:t>-1234</w:t></w:r></w:p></w:wordDocument>`,
		"c.xhtml": xml + `<html><p>PRJ<b>-1234</b></p></html>`,
	} {
		if got := scanFile(t, name, []byte(content)); !slices.Equal(got, []string{"regex attachment:" + name + " 1"}) {
			t.Errorf("%s: %q", name, got)
		}
	}
	sheet := xml + `<Workbook xmlns="urn:schemas-microsoft-com:office:spreadsheet"><Cell><Data ss:Type="Number">1.0000000146E10</Data></Cell><Cell><Data>5</Data></Cell></Workbook>`
	if got := scanFile(t, "a.xml", []byte(sheet)); !slices.Equal(got, []string{"tckn attachment:a.xml 1"}) {
		t.Errorf("a sheet: %q", got)
	}
}

// Content that a page shows by other means than its text is read.
func TestPages(t *testing.T) {
	t.Parallel()
	for name, content := range map[string]string{
		"page in a frame":           `<iframe srcdoc="&lt;p&gt;PRJ&lt;b&gt;-12&lt;/b&gt;34"></iframe>`,
		"condition of Outlook":      `<p>x<!--[if mso]><p>PRJ<b>-12</b>34</p><![endif]--></p>`,
		"without scripts":           `<noscript><p>PRJ<b>-12</b>34</p></noscript>`,
		"label":                     `<option label="PRJ-1234">`,
		"subject of a link":         `<a href="mailto:a@b?subject=PRJ%2D1234">x</a>`,
		"escapes of a style sheet":  `<style>p:before{content:"\50 RJ\2D 1234"}</style>`,
		"comment":                   `<p>x<!-- PRJ-1234 --></p>`,
		"comment of a word":         `<p>PRJ<!-- x -->-1234</p>`,
		"text without any of these": `<noscript>PRJ-1234</noscript>`,
	} {
		got := scanFile(t, "a.html", []byte(content))
		if len(got) != 1 || !strings.HasPrefix(got[0], "regex attachment:a.html") && !strings.HasPrefix(got[0], "regex attachment:page") {
			t.Errorf("%s: %q", name, got)
		}
	}
	newsletter := `<html><head><!--[if gte mso 9]><xml><o:OfficeDocumentSettings><o:PixelsPerInch>96</o:PixelsPerInch></o:OfficeDocumentSettings></xml><![endif]-->` +
		`<style>@media only screen and (max-width:480px){.a\:b{width:100%!important}}</style></head><body><!--[if mso]><table width="600"><tr><td><![endif]-->` +
		`<a href="https://x.example/c?u=%C3%B6zel&amp;id=12%2034">Merhaba</a><noscript><img src="https://x.example/p.gif?id=1"></noscript><!--[if mso]></td></tr></table><![endif]--></body></html>`
	if got := scanFile(t, "a.html", []byte(newsletter)); got != nil {
		t.Errorf("a newsletter: %q", got)
	}
}
