export interface TextPart {
  text: string
  /** Where it leads; null for plain text. */
  href: string | null
}

// An address of the web, of a mailbox, or a telephone number with its country or its zero.
const pattern =
  /(?<web>(?:https?:\/\/|www\.)[^\s<>"“”]+)|(?<mail>[\p{L}\p{N}._%+-]+@[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+)|(?<phone>(?<![\p{L}\p{N}+(])(?:\+|0|\(0)[\d\s(][\d\s().-]{7,18}\d(?![\p{L}\p{N}]))/giu

/** A sentence's own signs at the end are not part of an address; a bracket is, where its other half is. */
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
    // What stands before an @ looks like the host and is none.
    return (url.protocol === 'http:' || url.protocol === 'https:') && url.hostname.includes('.') && !url.username ? url.href : null
  } catch {
    return null
  }
}

// 01.02.2026, 2026-11, 10.30: a number with a year or a time in it is a date or the number of an order.
const date = /\b\d{1,2}[.-]\d{1,2}[.-](?:19|20)\d{2}\b|(?:^|[.-])(?:19|20)\d{2}[.-]\d{1,2}\b/

function phoneAddress(text: string): string | null {
  if (date.test(text)) return null
  // The zero in brackets is dialled only within the country.
  const digits = (text.startsWith('+') ? text.replace('(0)', '') : text).replace(/\D/g, '')
  return digits.length >= 10 && digits.length <= 15 ? `tel:${text.startsWith('+') ? '+' : ''}${digits}` : null
}

/** Splits a text at the addresses and numbers in it. Only web pages, mailboxes and telephones become links. */
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
