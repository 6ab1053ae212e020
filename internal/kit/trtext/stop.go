package trtext

import "strings"

// stopWords carry the grammar of a sentence or make it a question; they say nothing about
// its subject. They are folded, like everything here.
var stopWords = stopSet(`
	ve veya ya yada ile ama fakat ancak lakin cunku zira ki da de hem ise eger sayet
	bir bu su o sey bazi her hic tum butun kendi kendim kendimi kendisi
	ben benim bana beni sen senin sana seni biz bizim bize bizi siz sizin size onlar onun ona onu
	mi mu midir mudur miyim muyum misin miyiz miydi muydu misiniz
	ne nedir neler nelerdir neyi neye neden nicin niye nasil nasildir hangi hangisi hangisidir hangileri hangileridir
	kac kactir kim kimdir kimler kimlerdir kime kimi kimin nerede neresi neresidir nereye nereden zaman
	icin gibi kadar gore dolayi uzere karsin ragmen beri sonra once
	olan olarak olur olmak olma olmasi oldugu olursa olsa olabilir olmali degil var yok vardir yoktur
	en cok daha pek az sadece yalniz artik hala bile yine
	halinde durumunda durumda durumu kapsaminda uyarinca acisindan bakimindan geregi geregince iliskin hakkinda dair
	nedeniyle sebebiyle mumkun gerekir gerekiyor gerek lazim
	diye diyor dedi deyip derse demek diyebilir ettim etti ettigi yaptim yapti yapmak yapabilirim yapmaliyim geldi geldim
	istiyorum istersem istesem benden senden bizden ondan bunu buna bunun bunlar su anda falan filan
	asagidakilerden asagidaki dogrudur yanlistir soylenebilir ifade eder eden etmek edilir denir ad verilir
`)

func stopSet(list string) map[string]bool {
	set := map[string]bool{}
	for w := range strings.FieldsSeq(list) {
		set[w] = true
	}
	return set
}

// IsStop reports whether a folded term is a stop word.
func IsStop(term string) bool { return stopWords[term] }
