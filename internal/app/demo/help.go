package demo

import (
	"archive/zip"
	"bytes"
	"embed"
	"io/fs"

	"konak/internal/crm/helpcenter"
)

//go:embed help help-acme
var articles embed.FS

// Help is the help center of a demo workspace.
type Help struct {
	Settings   helpcenter.SettingsChange
	Language   string // of articles that name none
	Categories []helpcenter.CategoryInput

	folder string
}

// HelpOf returns the help center of the Turkish shop, in both languages, or of the English
// company.
func HelpOf(slug string) Help {
	if slug == "acme" {
		return Help{
			Settings: settings("Acme Help", "en", "#1d4ed8", "#172554", "en"), Language: "en", folder: "help-acme",
			Categories: []helpcenter.CategoryInput{
				category("start", text("en", "Getting started", "Trial, users and stock")),
				category("devices", text("en", "Devices", "Scanners and label printers")),
				category("orders", text("en", "Orders", "Delivery, returns and repairs")),
				category("billing", text("en", "Billing", "Plans, invoices and payments")),
			},
		}
	}
	return Help{
		Settings: settings("Demo A.Ş. Yardım", "tr", "#0b6e4f", "#0b3d2e", "tr", "en"), Language: "tr", folder: "help",
		Categories: []helpcenter.CategoryInput{
			category("siparis", text("tr", "Sipariş ve teslimat", "Kargo süreleri, takip ve adres"), text("en", "Orders and delivery", "Delivery times, tracking and addresses")),
			category("iade", text("tr", "İade ve değişim", "14 gün içinde ücretsiz iade"), text("en", "Returns and exchanges", "Free returns within 14 days")),
			category("bakim", text("tr", "Ürün ve bakım", "Yıkama, ölçü ve malzeme"), text("en", "Products and care", "Washing, sizes and materials")),
			category("odeme", text("tr", "Ödeme ve fatura", "Kart, taksit ve fatura"), text("en", "Payment and invoices", "Cards, instalments and invoices")),
			category("kurumsal", text("tr", "Kurumsal", "Toptan sipariş ve bayilik"), text("en", "For businesses", "Wholesale and dealers")),
		},
	}
}

func settings(title, language, accent, header string, languages ...string) helpcenter.SettingsChange {
	return helpcenter.SettingsChange{
		Title: &title, Languages: &languages, DefaultLanguage: &language, Colours: &helpcenter.ColoursChange{Accent: &accent, Header: &header},
	}
}

func category(slug string, texts ...helpcenter.CategoryText) helpcenter.CategoryInput {
	return helpcenter.CategoryInput{Slug: slug, Texts: texts}
}

func text(language, name, description string) helpcenter.CategoryText {
	return helpcenter.CategoryText{Language: language, Name: name, Description: description}
}

// Pack packs its articles into an archive as a person would to import them.
func (h Help) Pack() (*bytes.Buffer, error) {
	files, err := fs.Sub(articles, h.folder)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	if err := z.AddFS(files); err != nil {
		return nil, err
	}
	return &b, z.Close()
}

// AppName is the name of a demo workspace's custom channel.
func AppName(slug string) string { return byLanguage(slug, "Mobil uygulama", "Mobile app") }

// SiteName is the name of its live chat.
func SiteName(slug string) string { return byLanguage(slug, "Web sitesi", "Website") }

// MailboxName is the name of its mailbox.
func MailboxName(slug string) string { return byLanguage(slug, "Destek kutusu", "Support mailbox") }

// ModelName is the name of its assistant with a language model.
func ModelName(slug string) string {
	return byLanguage(slug, "Dil modeli (deneme)", "Language model (trial)")
}

func byLanguage(slug, turkish, english string) string {
	if slug == "acme" {
		return english
	}
	return turkish
}
