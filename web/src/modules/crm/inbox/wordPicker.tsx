import { useId, useLayoutEffect, useRef, useState, type KeyboardEvent, type ReactNode } from 'react'
import { WordList } from './WordList'

export interface TypedWord {
  /** The position of the sign before it. */
  from: number
  word: string
}

/** Follows the caret and returns the word that is being typed after a sign. */
export function useTyped(text: string, find: (text: string, caret: number) => TypedWord | null) {
  const listId = useId()
  const area = useRef<HTMLTextAreaElement | null>(null)
  const [caret, setCaret] = useState<number | null>(null)
  const [active, setActive] = useState(0)
  const goal = useRef<number | null>(null)
  // As soon as the changed text is rendered: the next key may come before the next frame.
  useLayoutEffect(() => {
    if (goal.current !== null) area.current?.setSelectionRange(goal.current, goal.current)
    goal.current = null
  }, [text])
  return {
    listId,
    area,
    active,
    setActive,
    word: caret === null ? null : find(text, caret),
    /** Returns the text before the sign and the text after the caret. */
    around: (word: TypedWord) => [text.slice(0, word.from), text.slice(caret ?? text.length)] as const,
    onMove: (element: HTMLTextAreaElement) => {
      area.current = element
      setCaret(element.selectionStart)
      setActive(0)
    },
    close: () => setCaret(null),
    /** Moves the caret there once the changed text is rendered. */
    moveTo: (at: number) => {
      goal.current = at
    },
  }
}

interface PickerOptions<Row> {
  rows: readonly Row[] | undefined
  open: boolean
  /** Whether the rows already belong to the present word, and not to the previous one. */
  settled: boolean
  label: string
  none: string
  keyOf: (row: Row) => string
  draw: (row: Row) => ReactNode
  choose: (row: Row) => void
}

/** Returns the list for the typed word and its key handling; the focus stays in the text. */
export function wordPicker<Row>(typed: ReturnType<typeof useTyped>, { rows = [], open, settled, label, none, keyOf, draw, choose }: PickerOptions<Row>) {
  const { listId, setActive, close } = typed
  const active = Math.min(typed.active, rows.length - 1)

  function onKeyDown(event: KeyboardEvent): boolean {
    if (!open) return false
    const chosen = rows[active]
    if (event.key === 'Escape') close()
    else if (event.key === 'ArrowDown' && rows.length > 0) setActive((active + 1) % rows.length)
    else if (event.key === 'ArrowUp' && rows.length > 0) setActive((active - 1 + rows.length) % rows.length)
    else if ((event.key === 'Enter' || event.key === 'Tab') && chosen && !event.ctrlKey && !event.metaKey) {
      // A key that comes before its rows must not choose one of the previous ones.
      if (settled) choose(chosen)
    }
    else return false
    event.preventDefault()
    return true
  }

  return {
    onKeyDown,
    onMove: typed.onMove,
    close,
    wiring: open ? { 'aria-controls': listId, 'aria-activedescendant': rows.length > 0 ? `${listId}-${active}` : undefined } : {},
    list: open && <WordList id={listId} label={label} rows={rows} active={active} keyOf={keyOf} draw={draw} none={none} busy={!settled} onChoose={choose} />,
  }
}
