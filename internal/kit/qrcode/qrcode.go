// Package qrcode draws QR codes, for authenticator apps and for signing in on a phone.
package qrcode

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image/png"

	"github.com/boombuler/barcode"
	"github.com/boombuler/barcode/qr"
)

// side is the width and height of a picture, in pixels.
const side = 320

// PNG returns the QR code of a text as a PNG picture.
func PNG(text string) ([]byte, error) {
	code, err := qr.Encode(text, qr.M, qr.Auto)
	if err != nil {
		return nil, fmt.Errorf("qrcode: draw: %w", err)
	}
	scaled, err := barcode.Scale(code, side, side)
	if err != nil {
		return nil, fmt.Errorf("qrcode: scale: %w", err)
	}
	var b bytes.Buffer
	if err := png.Encode(&b, scaled); err != nil {
		return nil, fmt.Errorf("qrcode: encode: %w", err)
	}
	return b.Bytes(), nil
}

// DataURL returns a picture as a data: URL, which a page can show directly.
func DataURL(png []byte) string {
	return "data:image/png;base64," + base64.StdEncoding.EncodeToString(png)
}
