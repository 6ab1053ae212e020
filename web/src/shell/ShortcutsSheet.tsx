import { useI18n } from '@/i18n'
import { useStore } from '@/lib/store'
import { Dialog } from '@/ui/Dialog'
import { Checkbox } from '@/ui/Field'
import { Kbd } from '@/ui/Kbd'
import { activeShortcuts, chooseSingleKeys, singleKeys } from './shortcuts'

export function ShortcutsSheet({ open, onOpenChange }: { open: boolean; onOpenChange: (open: boolean) => void }) {
  const { t } = useI18n()
  const shortcuts = useStore(activeShortcuts)
  const single = useStore(singleKeys)
  return (
    <Dialog open={open} onOpenChange={onOpenChange} title={t('shortcuts.title')}>
      <dl className="divide-y divide-line">
        {shortcuts.map((shortcut) => (
          <div key={shortcut.keys} className="flex min-h-10 items-center gap-4 text-sm">
            <dt className="flex-1">{t(shortcut.label)}</dt>
            <dd>
              <Kbd keys={shortcut.keys.split(/[ +]/)} />
            </dd>
          </div>
        ))}
      </dl>
      <Checkbox
        className="mt-5"
        label={t('shortcuts.single')}
        detail={t('shortcuts.singleHint')}
        checked={single}
        onChange={(event) => chooseSingleKeys(event.target.checked)}
      />
    </Dialog>
  )
}
