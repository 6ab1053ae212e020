import { BookA, Scissors, Smile, Sparkles, Undo2, type LucideIcon } from 'lucide-react'
import { useState, type RefObject } from 'react'
import { errorText, fieldText } from '@/api/message'
import { useI18n, type PlainKey } from '@/i18n'
import { Button, IconButton } from '@/ui/Button'
import { Menu, MenuItem, MenuLabel } from '@/ui/Menu'
import { Notice } from '@/ui/Notice'
import { toast } from '@/ui/Toast'
import { type as typeInto } from './formatting'
import { useCanWrite, useWriting, type Rewrite, type Source } from './writing'

const rewrites: { kind: Rewrite; icon: LucideIcon; label: PlainKey }[] = [
  { kind: 'shorter', icon: Scissors, label: 'writing.shorter' },
  { kind: 'friendlier', icon: Smile, label: 'writing.friendlier' },
  { kind: 'translate', icon: BookA, label: 'writing.translate' },
]

interface WritingMenuProps {
  conversationId: string
  text: string
  change: (text: string) => void
  area: RefObject<HTMLTextAreaElement | null>
}

/** The language model's last text: the text before it, and its sources. */
interface Written {
  before: string
  sources: readonly Source[] | null
}

/**
 * Lets the workspace's language model draft or rewrite the reply. It only fills the composer;
 * nothing is sent.
 */
export function WritingMenu({ conversationId, text, change, area }: WritingMenuProps) {
  const { t } = useI18n()
  const available = useCanWrite()
  const writing = useWriting(conversationId)
  const [written, setWritten] = useState<Written | null>(null)
  const [unanswered, setUnanswered] = useState(false)
  if (!available) return null

  /** Puts a text into the composer. If another field has the focus, it keeps it. */
  function put(next: string) {
    const box = area.current
    const focused = document.activeElement
    const elsewhere = focused !== box && (focused instanceof HTMLInputElement || focused instanceof HTMLTextAreaElement)
    if (box && !elsewhere) typeInto(box, { from: 0, to: box.value.length, text: next, select: [next.length, next.length] })
    else change(next)
  }

  function ask(rewrite: Rewrite | null) {
    setUnanswered(false)
    writing.mutate(
      { rewrite, text },
      {
        onSuccess: (answer) => {
          setUnanswered(answer.text === null)
          if (answer.text === null) return
          setWritten({ before: area.current?.value ?? text, sources: answer.sources })
          put(answer.text)
        },
        onError: (error) => toast('danger', t('writing.failed'), fieldText(error, 'text') ?? errorText(error)),
      },
    )
  }

  return (
    <>
      <Menu trigger={<IconButton icon={Sparkles} label={t('writing.title')} busy={writing.isPending} className="ml-auto" />}>
        <MenuItem icon={Sparkles} onSelect={() => ask(null)}>
          {t('writing.suggest')}
        </MenuItem>
        {text.trim() !== '' && (
          <>
            <MenuLabel>{t('writing.rewrite')}</MenuLabel>
            {rewrites.map(({ kind, icon, label }) => (
              <MenuItem key={kind} icon={icon} onSelect={() => ask(kind)}>
                {t(label)}
              </MenuItem>
            ))}
          </>
        )}
      </Menu>
      <div className="w-full empty:hidden">
        {writing.isPending ? (
          <p role="status" className="text-sm text-ink-2">
            {t('writing.pending')}
          </p>
        ) : unanswered ? (
          <Notice tone="warn">{t('writing.noAnswer')}</Notice>
        ) : (
          written &&
          text !== '' && (
            <Notice
              action={
                <Button
                  size="sm"
                  icon={Undo2}
                  onClick={() => {
                    put(written.before)
                    setWritten(null)
                  }}
                >
                  {t('common.undo')}
                </Button>
              }
            >
              {t('writing.check')}
              {written.sources && written.sources.length > 0 && <Sources list={written.sources} />}
            </Notice>
          )
        )}
      </div>
    </>
  )
}

function Sources({ list }: { list: readonly Source[] }) {
  const { t } = useI18n()
  return (
    <ul aria-label={t('writing.sources')} className="mt-1 flex flex-wrap gap-x-3">
      {list.map((source, at) => (
        <li key={at}>
          {/^https?:/.test(source.url) ? (
            <a href={source.url} target="_blank" rel="noreferrer" className="font-semibold underline underline-offset-3">
              {source.title || source.url}
            </a>
          ) : (
            source.title
          )}
        </li>
      ))}
    </ul>
  )
}
