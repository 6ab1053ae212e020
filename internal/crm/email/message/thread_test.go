package message_test

import (
	"strings"
	"testing"

	"github.com/google/uuid"

	"konak/internal/crm/email/message"
)

// archive is what an account knows: its mails and the participants.
type archive struct {
	mails  map[string]message.Known
	tokens map[string]uuid.UUID
	people map[uuid.UUID][]string
	latest map[string]uuid.UUID
}

func (a archive) ByMessageID(id string) (message.Known, bool, error) {
	k, ok := a.mails[id]
	return k, ok, nil
}

func (a archive) BySubjectToken(token string) (uuid.UUID, bool, error) {
	c, ok := a.tokens[token]
	return c, ok, nil
}

func (a archive) TakesPart(c uuid.UUID, addr string) (bool, error) {
	for _, p := range a.people[c] {
		if p == addr {
			return true, nil
		}
	}
	return false, nil
}

func (a archive) Latest(addr string) (uuid.UUID, bool, error) {
	c, ok := a.latest[addr]
	return c, ok, nil
}

// TestThreading checks the rules against common complaints about other systems.
func TestThreading(t *testing.T) {
	t.Parallel()
	tenant, other := uuid.MustParse("0193c5a0-7b1e-7c3a-9f00-00000000000a"), uuid.MustParse("0193c5a0-7b1e-7c3a-9f00-00000000000b")
	first, second := uuid.MustParse("0193c5a0-7b1e-7c3a-9f00-000000000001"), uuid.MustParse("0193c5a0-7b1e-7c3a-9f00-000000000002")
	keys := message.NewKeys([]byte(strings.Repeat("k", 32)))
	ours := keys.MessageID(tenant, uuid.MustParse("0193c5a0-7b1e-7c3a-9f00-000000000011"), "firma.example")
	token := keys.SubjectToken(tenant, first)
	known := archive{
		mails: map[string]message.Known{
			ours:                {ConversationID: first, Ours: true},
			"c1@kaya.example":   {ConversationID: first},
			"bulk@news.example": {ConversationID: first},
			"1@kaya.example":    {ConversationID: first},
			"x2@other.example":  {ConversationID: second},
		},
		tokens: map[string]uuid.UUID{token: first},
		people: map[uuid.UUID][]string{first: {"elif@kaya.example", "ali@kaya.example"}, second: {"veli@other.example"}},
		latest: map[string]uuid.UUID{"elif@kaya.example": first},
	}
	for _, c := range []struct {
		name      string
		from      string
		head      string
		to        string
		continues bool
		want      *uuid.UUID
		rule      string
	}{
		{"a reply", "elif@kaya.example", "In-Reply-To: <" + ours + ">", "", false, &first, message.ByReference},
		{"a changed subject", "elif@kaya.example", "Subject: Bambaşka\r\nIn-Reply-To: <" + ours + ">", "", false, &first, message.ByReference},
		{"References without In-Reply-To", "elif@kaya.example", "References: <a@b> <" + ours + "> <c@d>", "", false, &first, message.ByReference},
		{"In-Reply-To without References", "ali@kaya.example", "In-Reply-To: <c1@kaya.example>", "", false, &first, message.ByReference},
		{"no reference at all", "elif@kaya.example", "Subject: Re: Teslimat", "", false, nil, message.ByNothing},
		{"the same subject again", "elif@kaya.example", "Subject: Teslimat", "", false, nil, message.ByNothing},
		{"a sibling answers the same mail", "ali@kaya.example", "In-Reply-To: <" + ours + ">", "", false, &first, message.ByReference},
		{"a sibling whom we never wrote to has our mail", "yeni@kaya.example", "References: <" + ours + ">", "", false, &first, message.ByReference},
		{"the newest reference wins", "veli@other.example", "References: <" + ours + "> <x2@other.example>", "", false, &second, message.ByReference},
		{"In-Reply-To before References", "elif@kaya.example", "In-Reply-To: <c1@kaya.example>\r\nReferences: <x2@other.example>", "", false, &first, message.ByReference},
		{"another sender on a bulk id", "yabanci@elsewhere.example", "In-Reply-To: <bulk@news.example>", "", false, nil, message.ByNothing},
		{"a guessed id", "yabanci@elsewhere.example", "In-Reply-To: <1@kaya.example>", "", false, nil, message.ByNothing},
		{"a guessed id of ours", "elif@kaya.example", "In-Reply-To: <k.aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa@firma.example>", "", false, nil, message.ByNothing},
		{"ids in a sentence", "elif@kaya.example", "In-Reply-To: Your message of Sunday. <" + ours + ">", "", false, &first, message.ByReference},
		{"ids without brackets", "elif@kaya.example", "In-Reply-To: " + ours, "", false, &first, message.ByReference},
		{"a folded header", "elif@kaya.example", "References: <a@b>\r\n <" + ours + ">", "", false, &first, message.ByReference},
		{"it answers itself", "elif@kaya.example", "Message-ID: <c1@kaya.example>\r\nIn-Reply-To: <c1@kaya.example>", "", false, nil, message.ByNothing},
		{"token, takes part", "elif@kaya.example", "Subject: Re: Teslimat [#" + token + "]", "", false, &first, message.BySubject},
		{"token in capitals", "elif@kaya.example", "Subject: [#" + strings.ToUpper(token) + "] soru", "", false, &first, message.BySubject},
		{"token, a stranger", "yabanci@elsewhere.example", "Subject: [#" + token + "]", "", false, nil, message.ByNothing},
		{"token, another one", "elif@kaya.example", "Subject: [#aaaaaaaa]", "", false, nil, message.ByNothing},
		{"continuing is on", "elif@kaya.example", "Subject: Merhaba", "", true, &first, message.ByContinuation},
		{"continuing, a stranger", "yabanci@elsewhere.example", "Subject: Merhaba", "", true, nil, message.ByNothing},
		{"reply address", "anybody@elsewhere.example", "Subject: x", keys.ReplyAddress(tenant, second, "mabc", "in.example"), false, &second, message.ByReplyAddress},
		{"reply address beats references", "elif@kaya.example", "In-Reply-To: <" + ours + ">", keys.ReplyAddress(tenant, second, "mabc", "in.example"), false, &second, message.ByReplyAddress},
		{"reply address in capitals", "a@elsewhere.example", "Subject: x", strings.ToUpper(keys.ReplyAddress(tenant, second, "mabc", "in.example")), false, &second, message.ByReplyAddress},
		{"reply address of another workspace", "a@elsewhere.example", "Subject: x", keys.ReplyAddress(other, second, "mabc", "in.example"), false, nil, message.ByNothing},
		{"reply address of another account", "a@elsewhere.example", "Subject: x", keys.ReplyAddress(tenant, second, "mxyz", "in.example"), false, nil, message.ByNothing},
		{"reply address with a bent MAC", "a@elsewhere.example", "Subject: x", bent(keys.ReplyAddress(tenant, second, "mabc", "in.example")), false, nil, message.ByNothing},
	} {
		raw := "From: " + c.from + "\r\n" + c.head + "\r\n\r\nMetin"
		m, err := message.ParseBytes([]byte(raw), "")
		if err != nil {
			t.Fatal(err)
		}
		var named *uuid.UUID
		if id, ok := keys.Conversation(tenant, c.to, "mabc", "in.example"); ok {
			named = &id
		}
		got, err := message.FindConversation(m, named, c.continues, known)
		if err != nil {
			t.Fatal(err)
		}
		if got.Rule != c.rule || (got.ConversationID == nil) != (c.want == nil) || c.want != nil && *got.ConversationID != *c.want {
			t.Errorf("%s: got %+v by %s, want %v by %s", c.name, got.ConversationID, got.Rule, c.want, c.rule)
		}
	}
}

func bent(addr string) string {
	at := strings.IndexByte(addr, '@') - 2
	c := byte('a')
	if addr[at] == c {
		c = 'b'
	}
	return addr[:at] + string(c) + addr[at+1:]
}

func TestOwnMessageIDs(t *testing.T) {
	t.Parallel()
	keys := message.NewKeys([]byte(strings.Repeat("k", 32)))
	tenant, item := uuid.MustParse("0193c5a0-7b1e-7c3a-9f00-00000000000a"), uuid.MustParse("0193c5a0-7b1e-7c3a-9f00-000000000011")
	id := keys.MessageID(tenant, item, "firma.example")
	if got, ok := keys.Own(tenant, id); !ok || got != item {
		t.Errorf("got %v, %v", got, ok)
	}
	if _, ok := keys.Own(item, id); ok {
		t.Error("another workspace took the id for its own")
	}
	if local, _, _ := strings.Cut(keys.ReplyAddress(tenant, item, "m123456789012", "in.example"), "@"); len(local) > 64 {
		t.Errorf("the local part has %d characters", len(local))
	}
}

func TestBounces(t *testing.T) {
	t.Parallel()
	dsn := func(action, status string) string {
		return "From: MAILER-DAEMON@mx.example\r\nSubject: Undelivered Mail Returned to Sender\r\nAuto-Submitted: auto-replied\r\n" +
			"Content-Type: multipart/report; report-type=delivery-status; boundary=b\r\n\r\n--b\r\nContent-Type: text/plain\r\n\r\nSorry\r\n" +
			"--b\r\nContent-Type: message/delivery-status\r\n\r\nReporting-MTA: dns; mx.example\r\n\r\nFinal-Recipient: rfc822; elif@kaya.example\r\n" +
			"Action: " + action + "\r\nStatus: " + status + "\r\nDiagnostic-Code: smtp; 550 5.1.1 <elif@kaya.example>: user\r\n unknown\r\n" +
			"--b\r\nContent-Type: text/rfc822-headers\r\n\r\nFrom: destek@firma.example\r\nMessage-ID: <ours@firma.example>\r\n\r\n--b--\r\n"
	}
	for _, c := range []struct {
		name, raw string
		want      message.Bounce
		none      bool
	}{
		{"dsn", dsn("failed", "5.1.1"), message.Bounce{Final: true, Recipient: "elif@kaya.example", Status: "5.1.1", Reason: "550 5.1.1 <elif@kaya.example>: user unknown", MessageIDs: []string{"ours@firma.example"}}, false},
		{"delayed", dsn("delayed", "4.4.1"), message.Bounce{Recipient: "elif@kaya.example", Status: "4.4.1", Reason: "550 5.1.1 <elif@kaya.example>: user unknown", MessageIDs: []string{"ours@firma.example"}}, false},
		{"recipient beyond ASCII", strings.Replace(dsn("failed", "5.1.1"), "rfc822; elif", `utf-8; \x{15F}\x{2B}elif`, 1), message.Bounce{Final: true, Recipient: "ş+elif@kaya.example", Status: "5.1.1", Reason: "550 5.1.1 <elif@kaya.example>: user unknown", MessageIDs: []string{"ours@firma.example"}}, false},
		{"exim", "From: Mailer-Daemon@mx.example\r\nX-Failed-Recipients: elif@kaya.example\r\nSubject: Mail delivery failed\r\n\r\nNo such user\r\n\r\nMessage-ID: <ours@firma.example>\r\n", message.Bounce{Final: true, Recipient: "elif@kaya.example", Reason: "No such user Message-ID: <ours@firma.example>", MessageIDs: []string{"ours@firma.example"}}, false},
		{"qmail", "From: MAILER-DAEMON@mx.example\r\nSubject: failure notice\r\n\r\nHi.\r\n--- Below this line is a copy\r\nMessage-ID: <ours@firma.example>\r\n", message.Bounce{Final: true, Reason: "Hi. --- Below this line is a copy Message-ID: <ours@firma.example>", MessageIDs: []string{"ours@firma.example"}}, false},
		{"turkish", "From: postmaster@mx.example\r\nSubject: Teslim edilemedi\r\nReferences: <ours@firma.example>\r\n\r\nAlıcı yok", message.Bounce{Final: true, Reason: "Alıcı yok", MessageIDs: []string{"ours@firma.example"}}, false},
		{"a customer who complains", "From: elif@kaya.example\r\nSubject: Paketim teslim edilemedi\r\n\r\nundelivered", message.Bounce{}, true},
		{"a vacation", "From: elif@kaya.example\r\nAuto-Submitted: auto-replied\r\nSubject: Ofis dışı\r\n\r\nYokum", message.Bounce{}, true},
	} {
		m, err := message.ParseBytes([]byte(c.raw), "<>")
		if err != nil {
			t.Fatal(err)
		}
		if c.none {
			if m.Bounce != nil {
				t.Errorf("%s: got %+v", c.name, m.Bounce)
			}
			continue
		}
		if m.Bounce == nil {
			t.Errorf("%s: no bounce", c.name)
			continue
		}
		got := *m.Bounce
		if got.Final != c.want.Final || got.Recipient != c.want.Recipient || got.Status != c.want.Status || got.Reason != c.want.Reason ||
			strings.Join(got.MessageIDs, " ") != strings.Join(c.want.MessageIDs, " ") {
			t.Errorf("%s:\n got %+v\nwant %+v", c.name, got, c.want)
		}
	}
}
