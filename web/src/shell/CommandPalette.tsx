import * as Radix from '@radix-ui/react-dialog'
import { Search } from 'lucide-react'
import { useId, useState, type KeyboardEvent } from 'react'
import { useI18n } from '@/i18n'
import { cx } from '@/lib/cx'
import { useFocusBack } from '@/ui/focusBack'
import { Kbd } from '@/ui/Kbd'
import { Scrim } from '@/ui/Scrim'
import { filterByRank } from '@/lib/rank'
import type { Command } from './command'
import { useCommands } from './useCommands'
import { useFound } from './useFound'

interface CommandPaletteProps {
  open: boolean
  onOpenChange: (open: boolean) => void
  onOpenShortcuts: () => void
}

export function CommandPalette({ open, onOpenChange, onOpenShortcuts }: CommandPaletteProps) {
  const { t } = useI18n()
  const giveFocusBack = useFocusBack()
  const commands = useCommands(onOpenShortcuts)
  return (
    <Radix.Root open={open} onOpenChange={onOpenChange}>
      <Radix.Portal>
        <Scrim />
        <Radix.Content
          aria-describedby={undefined}
          onCloseAutoFocus={giveFocusBack}
          className="fixed top-3 left-1/2 z-50 flex max-h-[80dvh] w-[min(38rem,calc(100vw-1.5rem))] -translate-x-1/2 animate-fade flex-col overflow-hidden rounded-xl bg-surface shadow-2 sm:top-[12vh] sm:max-h-[60vh]"
        >
          <Radix.Title className="sr-only">{t('palette.title')}</Radix.Title>
          <CommandList commands={commands} onDone={() => onOpenChange(false)} />
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}

function CommandList({ commands, onDone }: { commands: Command[]; onDone: () => void }) {
  const { t, tCount } = useI18n()
  const id = useId()
  const [query, setQuery] = useState('')
  const [active, setActive] = useState(0)
  const records = useFound(query)
  const found = [...filterByRank(commands, query, (command) => `${command.label} ${command.group}`), ...records.found]
  const chosen = found[Math.min(active, found.length - 1)]

  function run(command: Command) {
    onDone()
    command.run()
  }

  function move(to: number) {
    setActive(to)
    document.getElementById(`${id}-${found[to]?.id}`)?.scrollIntoView({ block: 'nearest' })
  }

  function onKeyDown(event: KeyboardEvent) {
    if (found.length === 0) return
    const steps: Record<string, number> = {
      ArrowDown: (active + 1) % found.length,
      ArrowUp: (active - 1 + found.length) % found.length,
      Home: 0,
      End: found.length - 1,
    }
    const to = steps[event.key]
    if (to !== undefined) move(to)
    else if (event.key === 'Enter' && chosen) run(chosen)
    else return
    event.preventDefault()
  }

  return (
    <>
      <div className="flex items-center gap-3 border-b border-line px-4">
        <Search aria-hidden className="size-4.5 text-ink-3" />
        <input
          role="combobox"
          aria-expanded
          aria-controls={`${id}-list`}
          aria-activedescendant={chosen && `${id}-${chosen.id}`}
          aria-label={t('palette.title')}
          placeholder={t('palette.placeholder')}
          value={query}
          onChange={(event) => {
            setQuery(event.target.value)
            setActive(0)
          }}
          onKeyDown={onKeyDown}
          className="h-13 min-w-0 flex-1 bg-transparent text-base outline-none placeholder:text-ink-3"
        />
        <Kbd keys={['Esc']} />
      </div>
      <p role="status" className="sr-only">
        {tCount('palette.found', found.length)}
      </p>
      <ul id={`${id}-list`} role="listbox" aria-label={t('palette.title')} className="min-h-0 overflow-y-auto p-2">
        {found.map((command, index) => (
          <li
            key={command.id}
            id={`${id}-${command.id}`}
            role="option"
            aria-selected={command === chosen}
            onClick={() => run(command)}
            onPointerMove={() => setActive(index)}
            className={cx(
              'flex min-h-10 cursor-pointer items-center gap-3 rounded-md px-3 text-sm',
              command === chosen && 'bg-accent-soft text-accent-ink',
            )}
          >
            <command.icon aria-hidden className="size-4 shrink-0" />
            <span className="min-w-0 flex-1 truncate">
              {command.label}
              {command.detail && <span className={cx('ml-2 text-xs', command === chosen ? 'text-accent-ink' : 'text-ink-3')}>{command.detail}</span>}
            </span>
            <span className={cx('shrink-0 text-xs', command === chosen ? 'text-accent-ink' : 'text-ink-3')}>{command.group}</span>
            {command.shortcut && (
              <span className="hidden sm:block">
                <Kbd keys={command.shortcut.split(' ')} />
              </span>
            )}
          </li>
        ))}
      </ul>
      {records.looking && <p className="px-5 pb-4 text-sm text-ink-3">{t('palette.looking')}</p>}
      {found.length === 0 && !records.looking && <p className="px-5 pt-2 pb-8 text-center text-sm text-ink-3">{t('palette.none')}</p>}
    </>
  )
}
