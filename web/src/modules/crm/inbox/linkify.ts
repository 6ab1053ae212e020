export interface TextPart {
  text: string
  /** The link's target; null for plain text. */
  href: string | null
}

// Matches a web address, an e-mail address, or a telephone number that starts with its country code
// or a zero.
const pattern =
  /(?<web>(?:https?:\/\/|www\.)[^\s<>"“”]+)|(?<mail>[\p{L}\p{N}._%+-]+@[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+)|(?<phone>(?<![\p{L}\p{N}+(])(?:\+|0|\(0)[\d\s(][\d\s().-]{7,18}\d(?![\p{L}\p{N}]))/giu

/**
 * Punctuation at the end is not part of an address; a closing bracket is, if its opening one is
 * inside.
 */
function trimEnd(text: string): string {
  let end = text.length
  for (;;) {
    const last = text.charAt(end - 1)
    const opened = last === ')' && text.slice(0, end).split('(').length >= text.slice(0, end).split(')').length
    if (end > 0 && /[.,;:!?'’»)\]}*_]/.test(last) && !opened) end -= 1
    else return text.slice(0, end)
  }
}

function webAddress(text: string): string | null {
  try {
    const url = new URL(/^https?:/i.test(text) ? text : `https://${text}`)
    // A user name before an @ can be mistaken for the host, so such addresses are rejected.
    return (url.protocol === 'http:' || url.protocol === 'https:') && url.hostname.includes('.') && !url.username ? url.href : null
  } catch {
    return null
  }
}

// Dates such as 01.02.2026 or 2026-11: a number that contains a year is a date or an order number.
const date = /\b\d{1,2}[.-]\d{1,2}[.-](?:19|20)\d{2}\b|(?:^|[.-])(?:19|20)\d{2}[.-]\d{1,2}\b/

function phoneAddress(text: string): string | null {
  if (date.test(text)) return null
  // The zero in brackets is dialled only within the country.
  const digits = (text.startsWith('+') ? text.replace('(0)', '') : text).replace(/\D/g, '')
  return digits.length >= 10 && digits.length <= 15 ? `tel:${text.startsWith('+') ? '+' : ''}${digits}` : null
}

/**
 * Splits a text at the addresses and numbers in it. Only web, e-mail and telephone addresses become
 * links.
 */
export function linkParts(text: string): TextPart[] {
  const parts: TextPart[] = []
  let done = 0
  for (const match of text.matchAll(pattern)) {
    const { web, mail, phone } = match.groups ?? {}
    const found = trimEnd(match[0])
    const href = web ? webAddress(found) : mail ? `mailto:${found}` : phone ? phoneAddress(found) : null
    if (href === null || match.index < done) continue
    if (match.index > done) parts.push({ text: text.slice(done, match.index), href: null })
    parts.push({ text: found, href })
    done = match.index + found.length
  }
  if (done < text.length) parts.push({ text: text.slice(done), href: null })
  return parts
}
