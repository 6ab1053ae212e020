const plainLetters: Record<string, string> = { ı: 'i', ş: 's', ğ: 'g', ç: 'c', ö: 'o', ü: 'u', â: 'a', î: 'i', û: 'u' }

/**
 * Lower-cases by Turkish rules and removes the marks: "İstisna", "ISTISNA" and "istisna" become the
 * same.
 */
export function fold(text: string): string {
  return text
    .toLocaleLowerCase('tr')
    .normalize('NFC')
    .replace(/[ışğçöüâîû]/g, (letter) => plainLetters[letter] ?? letter)
}

/**
 * Scores a match: every word of the query must begin the text, begin one of its words or occur
 * inside it, which score 3, 2 and 1. Returns 0 if one does not match.
 */
export function rank(text: string, query: string): number {
  const words = fold(query).split(/\s+/).filter(Boolean)
  const folded = fold(text)
  const starts = folded.split(/[\s./_-]+/)
  let score = words.length === 0 ? 1 : 0
  for (const word of words) {
    if (folded.startsWith(word)) score += 3
    else if (starts.some((start) => start.startsWith(word))) score += 2
    else if (folded.includes(word)) score += 1
    else return 0
  }
  return score
}

export function filterByRank<T>(items: readonly T[], query: string, textOf: (item: T) => string): T[] {
  return items
    .map((item, index) => ({ item, index, score: rank(textOf(item), query) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || a.index - b.index)
    .map(({ item }) => item)
}
