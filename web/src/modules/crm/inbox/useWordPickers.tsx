import type { KeyboardEvent } from 'react'
import type { Mention } from './mentions'
import { useCanned } from './useCanned'
import { useEmojis } from './useEmojis'
import { useMentions } from './useMentions'

interface WordPickersOptions {
  conversationId: string
  text: string
  change: (text: string) => void
  note: boolean
  mentions: readonly Mention[]
  onMention: (mentions: readonly Mention[]) => void
}

/**
 * The lists that open while a word is typed after "/", ":" or, in a note, "@"; at most one of them
 * is open.
 */
export function useWordPickers({ conversationId, text, change, note, mentions, onMention }: WordPickersOptions) {
  const canned = useCanned(conversationId, text, change)
  const mention = useMentions({ conversationId, text, change, enabled: note, picked: mentions, onPick: onMention })
  const emoji = useEmojis(text, change)
  const pickers = [canned, mention, emoji]
  return {
    /** The agents whom the note mentions. */
    called: mention.called,
    list: canned.list || mention.list || emoji.list,
    wiring: { ...canned.wiring, ...mention.wiring, ...emoji.wiring },
    /** Reports whether a list handled the key. */
    onKeyDown: (event: KeyboardEvent) => pickers.some((picker) => picker.onKeyDown(event)),
    onMove: (area: HTMLTextAreaElement) => pickers.forEach((picker) => picker.onMove(area)),
    close: () => pickers.forEach((picker) => picker.close()),
  }
}
