package identity

import (
	"fmt"

	"konak/internal/kit/mailer"
)

// text is a sentence in both languages.
type text struct{ tr, en string }

func (t text) in(lang string) string {
	if lang == "tr" {
		return t.tr
	}
	return t.en
}

// draft is a letter before it has a reader.
type draft struct {
	subject  text
	body     []text
	linkText text
	after    []text
}

var (
	verifyLetter = draft{
		subject: text{"E-posta adresinizi doğrulayın", "Confirm your e-mail address"},
		body: []text{{
			"Bu adresle bir Konak hesabı açılmak istendi. Hesabı açmak için adresinizi doğrulayın.",
			"Somebody asked for a Konak account with this address. Confirm the address to open the account.",
		}},
		linkText: text{"Adresi doğrula", "Confirm the address"},
		after: []text{{
			"Bağlantı 24 saat geçerlidir. Hesabı siz istemediyseniz bağlantıyı açmayın: hesap açılmaz.",
			"The link is good for 24 hours. If it was not you, do not open it: no account will be made.",
		}},
	}
	knownLetter = draft{
		subject: text{"Zaten bir hesabınız var", "You already have an account"},
		body: []text{{
			"Bu adresle yeni bir Konak hesabı açılmak istendi, ama adresin zaten bir hesabı var. Oturum açabilir, parolanızı unuttuysanız yenisini belirleyebilirsiniz.",
			"Somebody asked for a new Konak account with this address, but it already has one. You can sign in, or choose a new password if you forgot yours.",
		}},
		linkText: text{"Oturum aç", "Sign in"},
		after:    []text{{"Bunu siz istemediyseniz bir şey yapmanız gerekmez.", "If it was not you, there is nothing to do."}},
	}
	resetLetter = draft{
		subject: text{"Yeni parola belirleyin", "Choose a new password"},
		body: []text{{
			"Konak hesabınız için yeni parola istendi.",
			"Somebody asked for a new password for your Konak account.",
		}},
		linkText: text{"Yeni parola belirle", "Choose a new password"},
		after: []text{{
			"Bağlantı 30 dakika geçerlidir ve bir kez kullanılır. Siz istemediyseniz parolanız değişmeden kalır.",
			"The link is good for 30 minutes and works once. If it was not you, your password stays as it is.",
		}},
	}
	passwordLetter = draft{
		subject: text{"Parolanız değişti", "Your password was changed"},
		body: []text{{
			"Konak hesabınızın parolası değişti ve öbür oturumlarınız kapatıldı.",
			"The password of your Konak account was changed and your other sessions were closed.",
		}},
		linkText: text{"Yeni parola iste", "Ask for a new password"},
		after:    []text{{"Siz değiştirmediyseniz hemen yeni bir parola isteyin.", "If it was not you, ask for a new password at once."}},
	}
	secondStepOnLetter = draft{
		subject: text{"İkinci adım açıldı", "The second step is on"},
		body: []text{{
			"Bundan sonra oturum açarken doğrulama uygulamanızdaki kod da istenecek. Kurtarma kodlarınızı güvenli bir yerde saklayın.",
			"From now on signing in also takes a code of your authenticator app. Keep your recovery codes in a safe place.",
		}},
	}
	secondStepOffLetter = draft{
		subject: text{"İkinci adım kapatıldı", "The second step is off"},
		body: []text{{
			"Oturum açarken artık yalnızca parola isteniyor, kurtarma kodlarınız da geçersiz.",
			"Signing in now takes your password alone, and your recovery codes are no longer good.",
		}},
		linkText: text{"Oturum aç", "Sign in"},
		after:    []text{{"Siz kapatmadıysanız parolanızı değiştirin ve ikinci adımı yeniden açın.", "If it was not you, change your password and switch the second step on again."}},
	}
	recoveryLetter = draft{
		subject: text{"Yeni kurtarma kodları üretildi", "New recovery codes were made"},
		body:    []text{{"Eski kurtarma kodlarınız artık geçersiz.", "Your old recovery codes are no longer good."}},
		after:   []text{{"Siz istemediyseniz parolanızı değiştirin.", "If it was not you, change your password."}},
	}
	passkeyAddedLetter = draft{
		subject: text{"Yeni bir geçiş anahtarı eklendi", "A passkey was added"},
		body:    []text{{"Hesabınıza artık yeni bir geçiş anahtarıyla da girilebilir.", "A new passkey can now open your account."}},
		after:   []text{{"Siz eklemediyseniz onu silin ve parolanızı değiştirin.", "If it was not you, remove it and change your password."}},
	}
	familyLetter = draft{
		subject: text{"Bir oturumunuzu kapattık", "We closed one of your sessions"},
		body: []text{{
			"Çoktan yenilenmiş bir oturum anahtarı yeniden kullanıldı. Kopyalanmış olabileceği için o oturumu ve ondan açılanları kapattık.",
			"A session key that had long been replaced was used again. It may have been copied, so we closed that session and all that grew out of it.",
		}},
		linkText: text{"Oturum aç", "Sign in"},
		after:    []text{{"Oturum açtıktan sonra cihazlarınıza göz atın.", "Once signed in, have a look at your devices."}},
	}
)

// to writes the letter to a person.
func (d draft) to(u User, link string) mailer.Letter {
	l := mailer.Letter{
		To: u.Email, Language: u.Language, Subject: d.subject.in(u.Language),
		Greeting: fmt.Sprintf(text{"Merhaba %s,", "Hello %s,"}.in(u.Language), u.Name),
		Link:     link, Notice: true,
	}
	if link != "" {
		l.LinkText = d.linkText.in(u.Language)
	}
	for _, t := range d.body {
		l.Body = append(l.Body, t.in(u.Language))
	}
	for _, t := range d.after {
		l.After = append(l.After, t.in(u.Language))
	}
	return l
}

// page is the address of one of the panel's pages. A token travels behind #,
// where neither logs nor other sites see it.
func (s *Service) page(path, token string) string {
	if token != "" {
		path += "#token=" + token
	}
	return s.cfg.BaseURL + path
}

// The panel's pages that mail leads to.
const (
	pageSignIn = "/sign-in"
	pageVerify = "/sign-up/verify"
	pageForgot = "/password/forgot"
	pageReset  = "/password/reset"
)
