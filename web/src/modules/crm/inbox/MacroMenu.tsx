import { Zap } from 'lucide-react'
import { lazy, Suspense, useRef, useState } from 'react'
import { useI18n, withTexts } from '@/i18n'
import { IconButton } from '@/ui/Button'
import { Menu, MenuItem, MenuLabel } from '@/ui/Menu'
import { useMacros, type Macro } from './canned'
import type { PrepareToLeave } from './departure'
import { useLiveShortcuts } from './useLiveShortcuts'

const MacroDialog = lazy(() => withTexts(() => import('./MacroDialog'), 'macros')().then((m) => ({ default: m.MacroDialog })))

interface MacroMenuProps {
  conversationId: string
  onLeave: PrepareToLeave
}

/** Lists the macros; choosing one shows what it will do before it is run. */
export function MacroMenu({ conversationId, onLeave }: MacroMenuProps) {
  const { t } = useI18n()
  const macros = useMacros(true).data ?? []
  const [chosen, setChosen] = useState<Macro | null>(null)
  const box = useRef<HTMLSpanElement>(null)
  useLiveShortcuts([{ keys: 'm', label: 'inbox.macros', run: () => box.current?.querySelector('button')?.click(), opens: true }])

  return (
    <span ref={box}>
      <Menu align="start" trigger={<IconButton icon={Zap} label={t('inbox.macros')} keys="M" />}>
        <MenuLabel>{t('inbox.macros')}</MenuLabel>
        {macros.map((macro) => (
          <MenuItem key={macro.id} onSelect={() => setChosen(macro)}>
            {macro.name}
          </MenuItem>
        ))}
        {macros.length === 0 && <div className="max-w-60 px-2.5 py-1.5 text-sm text-ink-2">{t('inbox.macro.none')}</div>}
      </Menu>
      <Suspense>{chosen && <MacroDialog conversationId={conversationId} macro={chosen} onLeave={onLeave} onClose={() => setChosen(null)} />}</Suspense>
    </span>
  )
}
