import { useState } from 'react'
import { useI18n } from '@/i18n'
import { atWord, calledIn, useMentionable, type Mention } from './mentions'
import { useTyped, wordPicker } from './wordPicker'

interface MentionOptions {
  conversationId: string
  text: string
  change: (text: string) => void
  /** A note mentions colleagues; a text for the customer does not. */
  enabled: boolean
  picked: readonly Mention[]
  onPick?: (picked: readonly Mention[]) => void
}

/** The list that opens while a name after "@" is typed, and the agents whom the text mentions. */
export function useMentions({ conversationId, text, change, enabled, picked: first, onPick }: MentionOptions) {
  const { t } = useI18n()
  const [picked, setPicked] = useState(first)
  const typed = useTyped(text, atWord)
  const word = enabled ? typed.word : null
  const found = useMentionable(conversationId, word?.word ?? '', word !== null)
  // Text that continues after a name is not a name: the list then stays closed.
  const open = word !== null && found.data !== undefined && (found.data.length > 0 || !word.word.includes(' '))

  function choose(mention: Mention) {
    if (!word) return
    const [before, after] = typed.around(word)
    const next = [...picked.filter((other) => other.agent_id !== mention.agent_id), mention]
    const head = `${before}@${mention.name} `
    setPicked(next)
    onPick?.(next)
    typed.close()
    typed.moveTo(head.length)
    change(head + after.replace(/^ /, ''))
  }

  return {
    ...wordPicker(typed, {
      rows: found.data,
      open,
      settled: !found.isPlaceholderData,
      label: t('mention.title'),
      none: t('mention.none'),
      keyOf: (mention) => mention.agent_id,
      draw: (mention) => mention.name,
      choose,
    }),
    called: enabled ? calledIn(text, picked) : [],
  }
}
