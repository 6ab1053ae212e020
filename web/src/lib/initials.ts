export const hues = 8

/**
 * Returns the first letters of the first and the last word; for an address, of the part before the
 * @. Empty for a number.
 */
export function initialsOf(name: string, language = 'en'): string {
  const words = name
    .replace(/@.*$/, '')
    .split(/[^\p{L}\p{M}'’]+/u)
    .filter(Boolean)
  const first = words[0]
  const last = words.length > 1 ? words[words.length - 1] : undefined
  return [first, last]
    .map((word) => (word ? ([...word][0] ?? '') : ''))
    .join('')
    .toLocaleUpperCase(language)
}

/** Returns one of eight hues, always the same for the same text. */
export function hueOf(text: string): number {
  let hash = 2166136261
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 16777619)
  // Ids created one after the other differ least in their low bits, so the high ones are mixed in.
  return ((hash ^ (hash >>> 15)) >>> 0) % hues
}
