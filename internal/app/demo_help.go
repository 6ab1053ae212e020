package app

import (
	"archive/zip"
	"bytes"
	"context"
	"embed"
	"fmt"
	"io/fs"

	"konak/internal/crm/helpcenter"
)

//go:embed demo/help
var demoHelp embed.FS

// demoHelpSlug is the workspace of the demo that has a help center.
const demoHelpSlug = "demo"

// demoCategories are those of the demo's help center.
var demoCategories = []helpcenter.CategoryInput{
	demoCategory("siparis", "Sipariş ve teslimat", "Kargo süreleri, takip ve adres", "Orders and delivery", "Delivery times, tracking and addresses"),
	demoCategory("iade", "İade ve değişim", "14 gün içinde ücretsiz iade", "Returns and exchanges", "Free returns within 14 days"),
	demoCategory("bakim", "Ürün ve bakım", "Yıkama, ölçü ve malzeme", "Products and care", "Washing, sizes and materials"),
	demoCategory("odeme", "Ödeme ve fatura", "Kart, taksit ve fatura", "Payment and invoices", "Cards, instalments and invoices"),
	demoCategory("kurumsal", "Kurumsal", "Toptan sipariş ve bayilik", "For businesses", "Wholesale and dealers"),
}

func demoCategory(slug, tr, trText, en, enText string) helpcenter.CategoryInput {
	return helpcenter.CategoryInput{Slug: slug, Texts: []helpcenter.CategoryText{
		{Language: "tr", Name: tr, Description: trText}, {Language: "en", Name: en, Description: enText},
	}}
}

// demoHelpCenter makes the help center of the demo company, in both languages.
func (a *App) demoHelpCenter(ctx context.Context, slug string) error {
	if slug != demoHelpSlug {
		return nil
	}
	if _, err := a.HelpCenter.Change(ctx, helpcenter.SettingsChange{
		Title: ptr("Demo A.Ş. Yardım"), Languages: &[]string{"tr", "en"},
		Colours: &helpcenter.ColoursChange{Accent: ptr("#0b6e4f"), Header: ptr("#0b3d2e")},
	}); err != nil {
		return err
	}
	for i, c := range demoCategories {
		c.Position = i + 1
		if _, err := a.HelpCenter.AddCategory(ctx, c); err != nil {
			return err
		}
	}
	packed, err := packDemoHelp()
	if err != nil {
		return err
	}
	done, err := a.HelpCenter.Import(ctx, helpcenter.ImportOptions{Filename: "demo.zip", Language: "tr", Publish: true}, packed)
	if err == nil && done.Failed > 0 {
		err = fmt.Errorf("demo: %d help articles were refused: %+v", done.Failed, done.Files)
	}
	return err
}

// packDemoHelp packs the demo's articles as a person would to import them.
func packDemoHelp() (*bytes.Buffer, error) {
	articles, err := fs.Sub(demoHelp, "demo/help")
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	if err := z.AddFS(articles); err != nil {
		return nil, err
	}
	return &b, z.Close()
}
