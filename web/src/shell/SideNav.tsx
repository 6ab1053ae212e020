import { Link, useMatches, type LinkProps } from '@tanstack/react-router'
import { PanelLeftClose, PanelLeftOpen, Settings, type LucideIcon } from 'lucide-react'
import { useMe } from '@/api/session'
import { useI18n } from '@/i18n'
import { cx } from '@/lib/cx'
import { dailyEntries, settingsFor } from '@/modules/module'
import { Logo } from './Logo'
import { SettingsList } from './SettingsNav'
import { WaitingCount } from './waiting'

interface SideNavProps {
  /** Shows only icons; the names are in their tips. */
  narrow?: boolean
  /** Widens or narrows it; omitted if it fills its own layer. */
  onResize?: () => void
  onNavigate?: () => void
}

/**
 * Daily work above, the settings below. On a phone, where it is a layer, it lists the settings as
 * well.
 */
export function SideNav({ narrow = false, onResize, onNavigate }: SideNavProps) {
  const { t } = useI18n()
  const me = useMe()
  const inSettings = useMatches().at(-1)?.staticData.screen?.settings !== undefined
  const hasSettings = settingsFor(me).length > 0
  const resize = narrow ? t('nav.widen') : t('nav.narrow')
  const Resize = narrow ? PanelLeftOpen : PanelLeftClose
  return (
    <div className="flex h-full flex-col bg-nav text-nav-ink">
      <div className={cx('flex h-15 shrink-0 items-center gap-2.5', narrow ? 'justify-center' : 'px-5')}>
        <Logo className="size-6.5" />
        {!narrow && <span className="text-lg font-semibold tracking-[-0.01em]">Konak</span>}
      </div>
      <nav aria-label={t('nav.label')} data-tour="nav" className={cx('flex min-h-0 flex-1 flex-col overflow-y-auto pt-2 pb-3', narrow ? 'px-2' : 'px-3')}>
        <ul className="flex flex-col gap-0.5">
          {dailyEntries(me).map((entry) => (
            <li key={entry.path}>
              <NavLink to={entry.path} icon={entry.icon} label={t(entry.title)} narrow={narrow} onNavigate={onNavigate} />
            </li>
          ))}
        </ul>
        {hasSettings && (
          <div className={onResize ? 'mt-auto pt-4' : 'mt-4 border-t border-nav-line pt-4'}>
            <NavLink to="/settings" icon={Settings} label={t('settings.title')} narrow={narrow} active={inSettings} onNavigate={onNavigate} />
            {!onResize && <SettingsList look="nav" onNavigate={onNavigate} />}
          </div>
        )}
        {onResize && (
          <button
            type="button"
            onClick={onResize}
            aria-label={resize}
            aria-expanded={!narrow}
            data-tip={narrow ? resize : undefined}
            className={cx(entryClass, 'mt-0.5 w-full text-nav-ink-2 hover:bg-nav-hover hover:text-nav-ink', narrow && 'justify-center px-0')}
          >
            <Resize aria-hidden className="size-[18px] shrink-0" strokeWidth={1.9} />
            {!narrow && <span className="truncate">{resize}</span>}
          </button>
        )}
      </nav>
    </div>
  )
}

const entryClass = 'relative flex min-h-9 items-center gap-2.5 rounded-md px-2.5 text-sm font-medium transition-colors focus-visible:outline-nav-ink'

interface NavLinkProps {
  to: string
  icon: LucideIcon
  label: string
  narrow: boolean
  /** Set if more than the address decides it. */
  active?: boolean
  onNavigate?: () => void
}

function NavLink({ to, icon: Icon, label, narrow, active, onNavigate }: NavLinkProps) {
  const off = 'text-nav-ink-2 hover:bg-nav-hover hover:text-nav-ink'
  const on = 'bg-nav-active text-nav-ink'
  return (
    <Link
      to={to as LinkProps['to']}
      onClick={onNavigate}
      data-tip={narrow ? label : undefined}
      data-tour={to === '/inbox' ? 'inbox' : undefined}
      activeOptions={{ exact: to === '/' || to === '/settings', includeSearch: false }}
      className={cx(entryClass, narrow && 'justify-center px-0', active && on)}
      activeProps={{ className: on }}
      inactiveProps={{ className: active ? '' : off }}
    >
      <Icon aria-hidden className="size-[18px] shrink-0" strokeWidth={1.9} />
      <span className={narrow ? 'sr-only' : 'min-w-0 flex-1 truncate'}>{label}</span>
      <WaitingCount path={to} narrow={narrow} />
    </Link>
  )
}
