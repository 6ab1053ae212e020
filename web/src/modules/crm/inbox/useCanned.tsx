import { useId, useState, type KeyboardEvent } from 'react'
import { errorText } from '@/api/message'
import { useI18n } from '@/i18n'
import { toast } from '@/ui/Toast'
import { slashWord, useCannedReplies, useRenderCanned, type CannedReply } from './canned'
import { CannedList } from './CannedList'

/** The list that opens while a word after "/" is typed, and its keys. */
export function useCanned(conversationId: string, text: string, change: (text: string) => void) {
  const { t } = useI18n()
  const listId = useId()
  const [caret, setCaret] = useState<number | null>(null)
  const [active, setActive] = useState(0)
  const typed = caret === null ? null : slashWord(text, caret)
  const found = useCannedReplies(typed?.word ?? '', typed !== null)
  const render = useRenderCanned(conversationId)
  const replies = found.data ?? []
  const open = typed !== null && found.data !== undefined

  function choose(reply: CannedReply) {
    if (!typed || caret === null) return
    const [before, after] = [text.slice(0, typed.from), text.slice(caret)]
    setCaret(null)
    render.mutate(reply.id, {
      onSuccess: ({ body, empty }) => {
        change(before + body + after)
        if (empty.length > 0) toast('danger', t('canned.empty', { names: empty.join(', ') }))
      },
      onError: (error) => toast('danger', t('inbox.failed'), errorText(error)),
    })
  }

  function onKeyDown(event: KeyboardEvent): boolean {
    if (!open) return false
    const chosen = replies[Math.min(active, replies.length - 1)]
    if (event.key === 'Escape') setCaret(null)
    else if (event.key === 'ArrowDown' && replies.length > 0) setActive((active + 1) % replies.length)
    else if (event.key === 'ArrowUp' && replies.length > 0) setActive((active - 1 + replies.length) % replies.length)
    else if ((event.key === 'Enter' || event.key === 'Tab') && chosen && !event.ctrlKey && !event.metaKey) choose(chosen)
    else return false
    event.preventDefault()
    return true
  }

  return {
    onKeyDown,
    onMove: (position: number) => {
      setCaret(position)
      setActive(0)
    },
    close: () => setCaret(null),
    wiring: open ? { 'aria-controls': listId, 'aria-activedescendant': replies.length > 0 ? `${listId}-${Math.min(active, replies.length - 1)}` : undefined } : {},
    list: open && <CannedList id={listId} replies={replies} active={Math.min(active, replies.length - 1)} onChoose={choose} />,
  }
}
