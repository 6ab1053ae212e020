import { Fragment } from 'react'
import { useI18n, type PlainKey } from '@/i18n'
import { useStore } from '@/lib/store'
import { Dialog } from '@/ui/Dialog'
import { Checkbox } from '@/ui/Field'
import { Kbd } from '@/ui/Kbd'
import { activeShortcuts, chooseSingleKeys, groupOf, singleKeys, type ShortcutGroup } from './shortcuts'

const groups = [
  { id: 'screen', title: 'shortcuts.screen' },
  { id: 'everywhere', title: 'shortcuts.everywhere' },
  { id: 'go', title: 'shortcuts.go' },
] as const satisfies readonly { id: ShortcutGroup; title: PlainKey }[]

/** The shortcut that leads into the composer: if it is active, there is a composer. */
const replyKey = 'r'

/**
 * The composer's own keys. It handles them in its text, so they are listed here instead of
 * registered as shortcuts of the page.
 */
const writing = [
  { keys: ['mod', 'Enter'], label: 'inbox.send' },
  { keys: ['mod', '⇧', 'Enter'], label: 'inbox.sendClose' },
  { keys: ['mod', 'Alt', 'Enter'], label: 'inbox.later' },
  { keys: ['/'], label: 'replies.title' },
  { keys: [':'], label: 'emoji.title' },
  { keys: ['@'], label: 'mention.title' },
  { keys: ['mod', 'B'], label: 'format.bold' },
  { keys: ['mod', 'I'], label: 'format.italic' },
  { keys: ['mod', '⇧', 'K'], label: 'format.link' },
] as const satisfies readonly { keys: readonly string[]; label: PlainKey }[]

interface KeyRow {
  keys: readonly string[]
  label: PlainKey
}

function KeyGroup({ id, title, rows }: { id: string; title: PlainKey; rows: readonly KeyRow[] }) {
  const { t } = useI18n()
  if (rows.length === 0) return null
  return (
    <section aria-labelledby={`keys-${id}`} className="mb-6">
      <h3 id={`keys-${id}`} className="mb-1 text-sm font-semibold text-ink-2">
        {t(title)}
      </h3>
      <dl className="divide-y divide-line">
        {rows.map(({ keys, label }) => (
          <div key={keys.join()} className="flex min-h-9 break-inside-avoid items-center gap-4 text-sm">
            <dt className="flex-1">{t(label)}</dt>
            <dd>
              <Kbd keys={keys} />
            </dd>
          </div>
        ))}
      </dl>
    </section>
  )
}

/** Lists the available shortcuts in groups: on this screen, everywhere, and for navigation. */
export function ShortcutsSheet({ open, onOpenChange }: { open: boolean; onOpenChange: (open: boolean) => void }) {
  const { t } = useI18n()
  const shortcuts = useStore(activeShortcuts)
  const single = useStore(singleKeys)
  const composing = shortcuts.some(({ keys }) => keys === replyKey)
  return (
    <Dialog wide open={open} onOpenChange={onOpenChange} title={t('shortcuts.title')}>
      <div data-first tabIndex={-1} className="gap-x-10 outline-none sm:columns-2">
        {groups.map(({ id, title }) => (
          <Fragment key={id}>
            <KeyGroup id={id} title={title} rows={shortcuts.filter((one) => groupOf(one) === id).map(({ keys, label }) => ({ keys: keys.split(/[ +]/), label }))} />
            {id === 'screen' && composing && <KeyGroup id="writing" title="shortcuts.writing" rows={writing} />}
          </Fragment>
        ))}
      </div>
      <Checkbox
        label={t('shortcuts.single')}
        detail={t('shortcuts.singleHint')}
        checked={single}
        onChange={(event) => chooseSingleKeys(event.target.checked)}
      />
    </Dialog>
  )
}
