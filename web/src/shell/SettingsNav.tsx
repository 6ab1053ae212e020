import { Link, type LinkProps } from '@tanstack/react-router'
import { useMe } from '@/api/session'
import { useI18n, type PlainKey } from '@/i18n'
import { cx } from '@/lib/cx'
import { settingsFor, type SettingsGroup } from '@/modules/module'

export const groupNames = {
  channels: 'settings.channels',
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

/** The settings that the person may open, in their groups. */
export function SettingsList({ look, onNavigate }: { look: keyof typeof looks; onNavigate?: () => void }) {
  const { t } = useI18n()
  const { heading, on, off } = looks[look]
  return settingsFor(useMe()).map(({ group, entries }) => (
    <section key={group} aria-labelledby={`settings-${look}-${group}`}>
      <h2 id={`settings-${look}-${group}`} className={cx('px-2.5 pt-3 pb-1 text-xs font-semibold', heading)}>
        {t(groupNames[group])}
      </h2>
      <ul>
        {entries.map((entry) => (
          <li key={entry.path}>
            <Link
              to={entry.path as LinkProps['to']}
              onClick={onNavigate}
              className="flex min-h-7.5 items-center gap-2.5 rounded-md px-2.5 text-sm font-medium transition-colors"
              activeProps={{ className: on }}
              inactiveProps={{ className: off }}
            >
              <entry.icon aria-hidden className="size-4 shrink-0" strokeWidth={1.9} />
              <span className="truncate">{t(entry.title)}</span>
            </Link>
          </li>
        ))}
      </ul>
    </section>
  ))
}

/** The list beside every settings screen, on a window that has room for it. */
export function SettingsNav() {
  const { t } = useI18n()
  return (
    <nav aria-label={t('settings.title')} className="fixed top-15 bottom-0 left-(--k-nav-w) z-10 hidden w-56 overflow-y-auto border-r border-line bg-surface px-2.5 pb-4 lg:block">
      <SettingsList look="page" />
    </nav>
  )
}
