package advisor

// findArticles finds the provisions that a question names: "m. 376", "376. madde", "mük.
// 257", "geçici madde 3", "68/a", and bare numbers after a law.
func findArticles(tokens []token, laws []lawRef) []articleRef {
	inLaw := make([]bool, len(tokens))
	lawEnd := make([]bool, len(tokens)+1)
	for _, l := range laws {
		for i := l.from; i < l.to; i++ {
			inLaw[i] = true
		}
		lawEnd[l.to] = true
	}
	var out []articleRef
	for i := 0; i < len(tokens); {
		if inLaw[i] {
			i++
			continue
		}
		ref, ok := articleAt(tokens, i, lawEnd[i])
		if !ok {
			i++
			continue
		}
		out = append(out, ref)
		i = ref.to
		for !ref.bare || lawEnd[ref.from] {
			more, ok := nextArticle(tokens, i, ref)
			if !ok {
				break
			}
			out = append(out, more)
			i = more.to
		}
	}
	return out
}

// articleAt parses a provision that begins at token i.
func articleAt(tokens []token, i int, afterLaw bool) (articleRef, bool) {
	ref := articleRef{kind: KindArticle, from: i}
	at, named := i, false
	for at < len(tokens) {
		kind := placeWord(tokens[at].text)
		if kind == "" {
			break
		}
		if ref.kind == KindAdditional && kind == KindTemporary {
			kind = KindAdditionalTemporary
		}
		ref.kind, named = kind, true
		at++
	}
	if at < len(tokens) && articleWord(tokens[at]) {
		named = true
		at++
		if at < len(tokens) && (tokens[at].text == "no" || tokens[at].text == "numara") {
			at++
		}
	}
	if at >= len(tokens) || !tokens[at].number || len(tokens[at].text) > 4 {
		return ref, false
	}
	ref.no, ref.to = numberAt(tokens, at)
	behind := articleBehind(tokens, ref.to)
	if behind > ref.to {
		if !named {
			// "mükerrer 257. madde" was parsed above; "257. mükerrer madde" here.
			for k := ref.to; k < behind; k++ {
				if kind := placeWord(tokens[k].text); kind != "" {
					ref.kind = kind
				}
			}
		}
		named = true
		ref.to = behind
	}
	if named {
		return ref, true
	}
	ref.bare = true
	return ref, afterLaw && !quantity(tokens, ref.to)
}

// numberAt parses "376", "68/a" and "350/1"; the number of a paragraph is ignored. It
// returns the number and the index of the token after it.
func numberAt(tokens []token, at int) (string, int) {
	no, end := tokens[at].text, at+1
	if end < len(tokens) && (tokens[end].before == "/" || tokens[end].before == "-") {
		t := tokens[end]
		switch {
		case !t.number && len(t.text) == 1:
			return no + "/" + t.text, skipParts(tokens, end+1)
		case t.number && t.before == "/":
			return no, skipParts(tokens, end+1)
		}
	}
	return no, end
}

// skipParts skips paragraph and item numbers: "94/1-a", "11/1/c".
func skipParts(tokens []token, at int) int {
	for at < len(tokens) && (tokens[at].before == "/" || tokens[at].before == "-") && len(tokens[at].text) <= 2 {
		at++
	}
	return at
}

// articleBehind skips "inci madde", ". maddesi", "mükerrer madde" after a number; otherwise
// it returns at unchanged.
func articleBehind(tokens []token, at int) int {
	k := at
	if k < len(tokens) && ordinal(tokens[k].text) {
		k++
	}
	if k < len(tokens) && placeWord(tokens[k].text) != "" {
		k++
	}
	if k < len(tokens) && articleWord(tokens[k]) {
		return k + 1
	}
	return at
}

// quantity reports whether the number before token at is a quantity.
func quantity(tokens []token, at int) bool {
	if at >= len(tokens) {
		return false
	}
	switch tokens[at].stem {
	case "yil", "gun", "ay", "hafta", "saat", "lira", "tl", "yas", "kisi", "adet", "ocak", "subat", "mart", "nisan",
		"mayis", "haziran", "temmuz", "agusto", "agustos", "eylul", "ekim", "kasim", "aralik", "tarih", "sayili", "milyon", "bin", "yuzde", "taksit":
		return true
	}
	return false
}

// nextArticle parses the next number of a list: "376 ve 377", "49, 50".
func nextArticle(tokens []token, at int, first articleRef) (articleRef, bool) {
	k := at
	joined := k < len(tokens) && (tokens[k].text == "ve" || tokens[k].text == "ile" || tokens[k].text == "veya")
	if joined {
		k++
	}
	if k >= len(tokens) || !tokens[k].number || len(tokens[k].text) > 4 || quantity(tokens, k+1) {
		return articleRef{}, false
	}
	if !joined && tokens[k].before != ", " && tokens[k].before != "," && tokens[k].before != "-" && tokens[k].before != " - " {
		return articleRef{}, false
	}
	ref := articleRef{kind: first.kind, from: at, bare: first.bare}
	ref.no, ref.to = numberAt(tokens, k)
	ref.to = max(ref.to, articleBehind(tokens, ref.to))
	return ref, true
}

// owner returns the law that an article belongs to: the last one named before it, else the
// first one after it. A law within maxGap words takes precedence.
func owner(laws []lawRef, a articleRef) *Law {
	var before, after *lawRef
	for i := range laws {
		if laws[i].to <= a.from {
			before = &laws[i]
		} else if after == nil && laws[i].from >= a.to {
			after = &laws[i]
		}
	}
	switch {
	case before != nil && a.from-before.to <= maxGap:
		return before.law
	case after != nil && after.from-a.to <= maxGap:
		return after.law
	case before != nil:
		return before.law
	}
	return nil
}
