import { Link, useLocation, type LinkProps } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { useMe } from '@/api/session'
import { useI18n, type PlainKey } from '@/i18n'
import { cx } from '@/lib/cx'
import { settingsFor, type NavEntry, type SettingsGroup } from '@/modules/module'

export const groupNames = {
  channels: 'settings.channels',
  phone: 'settings.phone',
  inbox: 'settings.inbox',
  team: 'settings.team',
  mail: 'settings.mail',
  developers: 'settings.developers',
  workspace: 'settings.workspace',
} as const satisfies Record<SettingsGroup, PlainKey>

const looks = {
  page: { heading: 'text-ink-3', on: 'bg-accent-soft text-accent-ink', off: 'text-ink-2 hover:bg-sunken hover:text-ink' },
  nav: { heading: 'text-nav-ink-2', on: 'bg-nav-active text-nav-ink focus-visible:outline-nav-ink', off: 'text-nav-ink-2 hover:bg-nav-hover hover:text-nav-ink focus-visible:outline-nav-ink' },
} as const

/**
 * A group with more entries than these is folded unless one of them is open. While a long group is
 * open, the limit for the others is lower.
 */
const mostEntries = 4
const mostBesideLong = 2

interface SettingsListProps {
  look: keyof typeof looks
  /**
   * Whether a long group shows only its first entry until one of its entries is open, so that all
   * groups fit.
   */
  folds?: boolean
  onNavigate?: () => void
}

/** Lists the settings that the person may open, in their groups. */
export function SettingsList({ look, folds = false, onNavigate }: SettingsListProps) {
  const { t } = useI18n()
  const { heading, on, off } = looks[look]
  const path = useLocation({ select: ({ pathname }) => pathname })
  const isOpen = ({ path: to }: NavEntry) => path === to || path.startsWith(`${to}/`)
  const groups = settingsFor(useMe())
  const most = groups.some(({ entries }) => entries.length > mostEntries && entries.some(isOpen)) ? mostBesideLong : mostEntries
  return groups.map(({ group, entries }) => {
    const shown = folds && !entries.some(isOpen) && entries.length > most ? entries.slice(0, 1) : entries
    const rest = entries.slice(shown.length)
    return (
      <section key={group} aria-labelledby={`settings-${look}-${group}`}>
        <h2 id={`settings-${look}-${group}`} className={cx('px-2.5 pt-3 pb-1 text-xs font-semibold [@media(height<55rem)]:pt-1.5 [@media(height<55rem)]:pb-0.5', heading)}>
          {t(groupNames[group])}
        </h2>
        <ul>
          {shown.map((entry) => (
            <li key={entry.path}>
              <Link
                to={entry.path as LinkProps['to']}
                onClick={onNavigate}
                data-tip={rest.length > 0 ? entries.map(({ title }) => t(title)).join(' · ') : undefined}
                className="flex min-h-7.5 [@media(height<55rem)]:min-h-7 items-center gap-2.5 rounded-md px-2.5 text-sm font-medium transition-colors"
                activeProps={{ className: on }}
                inactiveProps={{ className: off }}
              >
                <entry.icon aria-hidden className="size-4 shrink-0" strokeWidth={1.9} />
                <span className="truncate">{t(entry.title)}</span>
                {rest.length > 0 && (
                  <span className="ml-auto text-xs text-ink-3">
                    <span aria-hidden>+{rest.length}</span>
                    <span className="sr-only">{t('settings.more', { count: String(rest.length) })}</span>
                  </span>
                )}
              </Link>
            </li>
          ))}
        </ul>
      </section>
    )
  })
}

/** The list next to every settings screen, if the window is wide enough. */
export function SettingsNav() {
  const { t } = useI18n()
  const path = useLocation({ select: ({ pathname }) => pathname })
  const box = useRef<HTMLElement>(null)
  // In a low window the list scrolls to the open entry.
  useEffect(() => {
    box.current?.querySelector('[aria-current=page]')?.scrollIntoView({ block: 'nearest' })
  }, [path])
  return (
    <nav ref={box} aria-label={t('settings.title')} className="fixed top-15 bottom-0 left-(--k-nav-w) z-10 hidden w-56 overflow-y-auto border-r border-line bg-surface px-2.5 pb-2 lg:block">
      <SettingsList look="page" folds />
    </nav>
  )
}
