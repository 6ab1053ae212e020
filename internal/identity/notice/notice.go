// Package notice holds the texts of the mails that identity sends to people, in
// Turkish and English, and the panel's pages that they link to.
package notice

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

// Notice is a mail before it has a recipient.
type Notice struct {
	subject  text
	body     []text
	linkText text
	after    []text
}

// The notices. Each is addressed to the recipient of the link or the owner of the account.
var (
	ConfirmAddress = Notice{
		subject: text{"E-posta adresinizi doğrulayın", "Confirm your e-mail address"},
		body: []text{{
			"Bu adresle bir Konak hesabı açılmak istendi. Hesabı açmak için adresinizi doğrulayın.",
			"Someone asked for a Konak account with this address. Confirm the address to create the account.",
		}},
		linkText: text{"Adresi doğrula", "Confirm the address"},
		after: []text{{
			"Bağlantı 24 saat geçerlidir. Hesabı siz istemediyseniz bağlantıyı açmayın: hesap açılmaz.",
			"The link is valid for 24 hours. If it was not you, do not open it: no account will be created.",
		}},
	}
	KnownAddress = Notice{
		subject: text{"Zaten bir hesabınız var", "You already have an account"},
		body: []text{{
			"Bu adresle yeni bir Konak hesabı açılmak istendi, ama adresin zaten bir hesabı var. Oturum açabilir, parolanızı unuttuysanız yenisini belirleyebilirsiniz.",
			"Someone asked for a new Konak account with this address, but it already has one. You can sign in, or choose a new password if you forgot yours.",
		}},
		linkText: text{"Oturum aç", "Sign in"},
		after:    []text{{"Bunu siz istemediyseniz bir şey yapmanız gerekmez.", "If it was not you, you do not need to do anything."}},
	}
	ResetPassword = Notice{
		subject: text{"Yeni parola belirleyin", "Choose a new password"},
		body: []text{{
			"Konak hesabınız için yeni parola istendi.",
			"Someone asked for a new password for your Konak account.",
		}},
		linkText: text{"Yeni parola belirle", "Choose a new password"},
		after: []text{{
			"Bağlantı 30 dakika geçerlidir ve bir kez kullanılır. Siz istemediyseniz parolanız değişmeden kalır.",
			"The link is valid for 30 minutes and works once. If it was not you, your password stays as it is.",
		}},
	}
	PasswordChanged = Notice{
		subject: text{"Parolanız değişti", "Your password was changed"},
		body: []text{{
			"Konak hesabınızın parolası değişti ve diğer oturumlarınız kapatıldı.",
			"The password of your Konak account was changed and your other sessions were closed.",
		}},
		linkText: text{"Yeni parola iste", "Ask for a new password"},
		after:    []text{{"Siz değiştirmediyseniz hemen yeni bir parola isteyin.", "If it was not you, ask for a new password at once."}},
	}
	TwoFactorOn = Notice{
		subject: text{"İki adımlı doğrulama açıldı", "Two-factor authentication is on"},
		body: []text{{
			"Bundan sonra oturum açarken doğrulama uygulamanızdaki kod da istenecek. Kurtarma kodlarınızı güvenli bir yerde saklayın.",
			"From now on, signing in also needs a code from your authenticator app. Keep your recovery codes in a safe place.",
		}},
	}
	TwoFactorOff = Notice{
		subject: text{"İki adımlı doğrulama kapatıldı", "Two-factor authentication is off"},
		body: []text{{
			"Oturum açarken artık yalnızca parola isteniyor, kurtarma kodlarınız da geçersiz.",
			"Your password alone is now enough to sign in, and your recovery codes no longer work.",
		}},
		linkText: text{"Oturum aç", "Sign in"},
		after:    []text{{"Siz kapatmadıysanız parolanızı değiştirin ve iki adımlı doğrulamayı yeniden açın.", "If it was not you, change your password and turn two-factor authentication on again."}},
	}
	RecoveryCodesReplaced = Notice{
		subject: text{"Yeni kurtarma kodları üretildi", "New recovery codes were generated"},
		body:    []text{{"Eski kurtarma kodlarınız artık geçersiz.", "Your old recovery codes no longer work."}},
		after:   []text{{"Siz istemediyseniz parolanızı değiştirin.", "If it was not you, change your password."}},
	}
	PasskeyAdded = Notice{
		subject: text{"Yeni bir geçiş anahtarı eklendi", "A passkey was added"},
		body:    []text{{"Hesabınızda artık yeni bir geçiş anahtarıyla da oturum açılabilir.", "A new passkey can now be used to sign in to your account."}},
		after:   []text{{"Siz eklemediyseniz onu silin ve parolanızı değiştirin.", "If it was not you, remove it and change your password."}},
	}
	SessionsClosed = Notice{
		subject: text{"Bir oturumunuzu kapattık", "We closed one of your sessions"},
		body: []text{{
			"Çoktan yenilenmiş bir oturum anahtarı yeniden kullanıldı. Kopyalanmış olabileceği için o oturumu ve ondan açılanları kapattık.",
			"A session key that had already been replaced was used again. It may have been copied, so we closed that session and all sessions opened from it.",
		}},
		linkText: text{"Oturum aç", "Sign in"},
		after:    []text{{"Oturum açtıktan sonra cihazlarınıza göz atın.", "After signing in, check your devices."}},
	}
)

// Invitation invites somebody to a workspace. An empty inviter names no person.
func Invitation(inviter, workspace string) Notice {
	body := text{
		fmt.Sprintf("%s sizi Konak'taki %s çalışma alanına davet etti.", inviter, workspace),
		fmt.Sprintf("%s invited you to the workspace %s on Konak.", inviter, workspace),
	}
	if inviter == "" {
		body = text{
			fmt.Sprintf("Konak'taki %s çalışma alanına davet edildiniz.", workspace),
			fmt.Sprintf("You are invited to the workspace %s on Konak.", workspace),
		}
	}
	return Notice{
		subject:  text{workspace + " sizi bekliyor", workspace + " is waiting for you"},
		body:     []text{body},
		linkText: text{"Daveti kabul et", "Accept the invitation"},
		after: []text{{
			"Bağlantı 72 saat geçerlidir ve bir kez kullanılır. Daveti beklemiyorsanız bir şey yapmanız gerekmez.",
			"The link is valid for 72 hours and works once. If you did not expect it, you do not need to do anything.",
		}},
	}
}

// Recipient is the person a notice is addressed to. Language is tr or en.
type Recipient struct{ Email, Name, Language string }

// For addresses the notice to a recipient. Without a link it has no button.
func (n Notice) For(to Recipient, link string) mailer.Mail {
	l := mailer.Mail{
		To: to.Email, Language: to.Language, Subject: n.subject.in(to.Language),
		Greeting: fmt.Sprintf(text{"Merhaba %s,", "Hello %s,"}.in(to.Language), to.Name),
		Link:     link, Notice: true,
	}
	if link != "" {
		l.LinkText = n.linkText.in(to.Language)
	}
	for _, t := range n.body {
		l.Body = append(l.Body, t.in(to.Language))
	}
	for _, t := range n.after {
		l.After = append(l.After, t.in(to.Language))
	}
	return l
}

// The panel's pages that notices link to.
const (
	PageSignIn         = "/sign-in"
	PageVerify         = "/sign-up/verify"
	PageForgotPassword = "/password/forgot"
	PageResetPassword  = "/password/reset"
	PageInvitation     = "/invitation"
	PageFirstOwner     = "/first-owner"
)

// Link returns the address of one of the panel's pages. A token travels behind
// #, where neither logs nor other sites see it.
func Link(baseURL, page, token string) string {
	if token != "" {
		page += "#token=" + token
	}
	return baseURL + page
}
