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

/** What can be done by key now, in groups: on this screen, everywhere, and where to go. */
export function ShortcutsSheet({ open, onOpenChange }: { open: boolean; onOpenChange: (open: boolean) => void }) {
  const { t } = useI18n()
  const shortcuts = useStore(activeShortcuts)
  const single = useStore(singleKeys)
  return (
    <Dialog wide open={open} onOpenChange={onOpenChange} title={t('shortcuts.title')}>
      <div data-first tabIndex={-1} className="gap-x-10 outline-none sm:columns-2">
        {groups.map(({ id, title }) => {
          const entries = shortcuts.filter((shortcut) => groupOf(shortcut) === id)
          if (entries.length === 0) return null
          return (
            <section key={id} aria-labelledby={`keys-${id}`} className="mb-6">
              <h3 id={`keys-${id}`} className="mb-1 text-sm font-semibold text-ink-2">
                {t(title)}
              </h3>
              <dl className="divide-y divide-line">
                {entries.map((shortcut) => (
                  <div key={shortcut.keys} className="flex min-h-9 break-inside-avoid items-center gap-4 text-sm">
                    <dt className="flex-1">{t(shortcut.label)}</dt>
                    <dd>
                      <Kbd keys={shortcut.keys.split(/[ +]/)} />
                    </dd>
                  </div>
                ))}
              </dl>
            </section>
          )
        })}
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
