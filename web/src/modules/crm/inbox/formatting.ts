import type { ClipboardEvent, KeyboardEvent } from 'react'
import { bulletLine, numberLine } from './markdown'

/** A text and its selection. */
export interface Selection {
  text: string
  from: number
  to: number
}

/** A replacement for a part of the text, and the selection after it. */
export interface Edit {
  from: number
  to: number
  text: string
  select: [number, number]
}

export type Format = 'bold' | 'italic' | 'link' | 'bullets' | 'numbers' | 'quote'

const marks = { bold: '**', italic: '_' } as const

/**
 * Returns the edit that makes the selection bold, a list and so on, or removes that format if it is
 * present.
 */
export function applyFormat(format: Format, selection: Selection): Edit {
  switch (format) {
    case 'bold':
    case 'italic':
      return toggleMark(selection, marks[format])
    case 'link':
      return insertLink(selection)
    default:
      return toggleLines(selection, format)
  }
}

function toggleMark({ text, from, to }: Selection, mark: string): Edit {
  const size = mark.length
  const inside = text.slice(from, to)
  if (text.slice(0, from).endsWith(mark) && text.startsWith(mark, to)) {
    return { from: from - size, to: to + size, text: inside, select: [from - size, to - size] }
  }
  if (inside.length > 2 * size && inside.startsWith(mark) && inside.endsWith(mark)) {
    return { from, to, text: inside.slice(size, -size), select: [from, to - 2 * size] }
  }
  if (inside.trim() === '') return { from, to: from, text: mark + mark, select: [from + size, from + size] }
  // A style must end on its line and touch its words.
  const marked = inside.replace(/^(\s*)(.*\S)(\s*)$/gm, `$1${mark}$2${mark}$3`)
  const single = !inside.includes('\n') && inside === inside.trim()
  return { from, to, text: marked, select: single ? [from + size, to + size] : [from, from + marked.length] }
}

const address = /^(?:https?:\/\/|mailto:|tel:)\S+$/i

/** Links the selected words to the given address, or to one still to be typed. */
export function insertLink({ text, from, to }: Selection, given?: string): Edit {
  const inside = text.slice(from, to)
  if (!given && address.test(inside)) return { from, to, text: `[](${inside})`, select: [from + 1, from + 1] }
  const href = given ?? 'https://'
  const made = `[${inside}](${href})`
  const begin = from + inside.length + 3
  if (!inside) return { from, to, text: made, select: [from + 1, from + 1] }
  return { from, to, text: made, select: given ? [from + made.length, from + made.length] : [begin, begin + href.length] }
}

export function isAddress(text: string): boolean {
  return address.test(text.trim())
}

const prefixes = { bullets: /^[-*] +/, numbers: /^\d{1,3}[.)] +/, quote: /^> ?/ } as const

function toggleLines({ text, from, to }: Selection, format: keyof typeof prefixes): Edit {
  const begin = text.lastIndexOf('\n', from - 1) + 1
  const next = text.indexOf('\n', to)
  const end = next === -1 ? text.length : next
  const prefix = prefixes[format]
  const lines = text.slice(begin, end).split('\n')
  const has = lines.every((line) => prefix.test(line))
  const made = lines
    .map((line, index) => {
      const bare = line.replace(prefixes.bullets, '').replace(prefixes.numbers, '')
      if (has) return line.replace(prefix, '')
      return format === 'quote' ? `> ${line}` : format === 'bullets' ? `- ${bare}` : `${index + 1}. ${bare}`
    })
    .join('\n')
  const caret = begin + made.length
  return { from: begin, to: end, text: made, select: from === to ? [caret, caret] : [begin, caret] }
}

/**
 * Enter in a list starts its next line; on an empty line it ends the list. Null if there is no
 * list.
 */
export function continueList({ text, from, to }: Selection): Edit | null {
  if (from !== to) return null
  const begin = text.lastIndexOf('\n', from - 1) + 1
  const line = text.slice(begin, from)
  if (/^(?:[-*]|\d{1,3}[.)]) *$/.test(line)) return { from: begin, to, text: '', select: [begin, begin] }
  const number = numberLine.exec(line)?.[1]
  if (!number && !bulletLine.test(line)) return null
  const added = number ? `\n${Number(number) + 1}. ` : `\n${line.slice(0, 1)} `
  return { from, to, text: added, select: [from + added.length, from + added.length] }
}

/** Applies an edit as if it had been typed, so that the browser can undo it. */
export function type(area: HTMLTextAreaElement, edit: Edit): void {
  area.focus()
  area.setSelectionRange(edit.from, edit.to)
  // The only way to write into the browser's undo history; every browser supports it.
  const typed = edit.text !== '' && typeof document.execCommand === 'function' && document.execCommand('insertText', false, edit.text)
  if (!typed) {
    area.setRangeText(edit.text)
    area.dispatchEvent(new Event('input', { bubbles: true }))
  }
  area.setSelectionRange(...edit.select)
}

export function selectionOf(area: HTMLTextAreaElement): Selection {
  return { text: area.value, from: area.selectionStart, to: area.selectionEnd }
}

/** Returns the format of a key, null for other keys. Ctrl K belongs to the search. */
export function formatOfKey(event: { key: string; code: string; ctrlKey: boolean; metaKey: boolean; shiftKey: boolean; altKey: boolean }): Format | null {
  if (!(event.ctrlKey || event.metaKey) || event.altKey) return null
  const key = event.key.toLowerCase()
  if (!event.shiftKey) return key === 'b' ? 'bold' : key === 'i' ? 'italic' : null
  if (key === 'k') return 'link'
  return event.code === 'Digit7' ? 'numbers' : event.code === 'Digit8' ? 'bullets' : event.code === 'Digit9' ? 'quote' : null
}

/** Handles a key that formats the text: a style, or the next line of a list. */
export function formatByKey(event: KeyboardEvent<HTMLTextAreaElement>): void {
  const area = event.currentTarget
  const wanted = formatOfKey(event)
  const plainEnter = event.key === 'Enter' && !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.nativeEvent.isComposing
  const edit = wanted ? applyFormat(wanted, selectionOf(area)) : plainEnter ? continueList(selectionOf(area)) : null
  if (!edit) return
  event.preventDefault()
  type(area, edit)
}

/** Links the selected words if an address is pasted over them. */
export function linkByPaste(event: ClipboardEvent<HTMLTextAreaElement>): void {
  const pasted = event.clipboardData.getData('text/plain')
  const selection = selectionOf(event.currentTarget)
  if (selection.from === selection.to || !isAddress(pasted)) return
  event.preventDefault()
  type(event.currentTarget, insertLink(selection, pasted.trim()))
}
