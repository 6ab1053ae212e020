import { errorText } from '@/api/message'
import { useI18n } from '@/i18n'
import { toast } from '@/ui/Toast'
import { slashWord, useCannedReplies, useRenderCanned, type CannedReply } from './canned'
import { useTyped, wordPicker } from './wordPicker'

/** The list that opens while a word after "/" is typed. */
export function useCanned(conversationId: string, text: string, change: (text: string) => void) {
  const { t } = useI18n()
  const typed = useTyped(text, slashWord)
  const { word } = typed
  const found = useCannedReplies(conversationId, word?.word ?? '', word !== null)
  const render = useRenderCanned(conversationId)

  function choose(reply: CannedReply) {
    if (!word) return
    const [before, after] = typed.around(word)
    typed.close()
    render.mutate(reply.id, {
      onSuccess: ({ body, empty }) => {
        change(before + body + after)
        if (empty.length > 0) toast('danger', t('canned.empty', { names: empty.join(', ') }))
      },
      onError: (error) => toast('danger', t('inbox.failed'), errorText(error)),
    })
  }

  return wordPicker(typed, {
    rows: found.data,
    open: word !== null && found.data !== undefined,
    settled: !found.isPlaceholderData,
    label: t('canned.title'),
    none: t('canned.none'),
    keyOf: (reply) => reply.id,
    draw: (reply) => (
      <>
        <span className="shrink-0 font-mono text-xs text-ink-2">/{reply.shortcut}</span>
        <span className="min-w-0 flex-1">
          <span className="block truncate font-medium">{reply.title || reply.shortcut}</span>
          <span className="block truncate text-xs text-ink-2 in-aria-selected:line-clamp-4 in-aria-selected:whitespace-pre-wrap">{reply.body}</span>
        </span>
      </>
    ),
    choose,
  })
}
