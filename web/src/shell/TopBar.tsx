import { useNavigate } from '@tanstack/react-router'
import { CircleUserRound, Keyboard, Languages, LogOut, Menu as MenuIcon, Moon, Route, Search, Sun, SunMoon, SwatchBook, UserRoundCog } from 'lucide-react'
import { meets, useMe } from '@/api/session'
import { chooseLanguage, languages, useI18n } from '@/i18n'
import { useStore } from '@/lib/store'
import { chooseTheme, themes, themeStore, type Theme } from '@/lib/theme'
import type { PlainKey } from '@/i18n'
import { installedModules } from '@/modules/module'
import { IconButton } from '@/ui/Button'
import { Kbd } from '@/ui/Kbd'
import { Menu, MenuChoice, MenuItem, MenuRule } from '@/ui/Menu'
import { NoticeBell } from './NoticeBell'
import { useSignOut } from './signOut'
import { tourOpen } from './tourState'
import { AllWaitingCount } from './waiting'
import { WorkspaceMenu } from './WorkspaceMenu'

const themeLabels = { light: 'theme.light', dark: 'theme.dark', system: 'theme.system' } as const satisfies Record<Theme, PlainKey>
const themeIcons = { light: Sun, dark: Moon, system: SunMoon } as const

/** Each language is named in itself, so that people who need it can find it. */
const languageNames = { tr: 'Türkçe', en: 'English' } as const

interface TopBarProps {
  onOpenNav: () => void
  onOpenPalette: () => void
  onOpenShortcuts: () => void
}

export function TopBar({ onOpenNav, onOpenPalette, onOpenShortcuts }: TopBarProps) {
  const { t, language } = useI18n()
  const me = useMe()
  const theme = useStore(themeStore)
  const navigate = useNavigate()
  const signOut = useSignOut()
  const person = installedModules()
    .flatMap((module) => module.person ?? [])
    .filter((part) => meets(me, part))
  return (
    <header className="sticky top-0 z-30 flex h-15 shrink-0 items-center gap-1 border-b border-line bg-surface px-3 sm:px-5">
      <span className="relative lg:hidden">
        <IconButton icon={MenuIcon} label={t('nav.open')} onClick={onOpenNav} />
        <AllWaitingCount />
      </span>
      <div className="flex min-w-0 flex-1">
        <WorkspaceMenu />
      </div>
      <button
        type="button"
        onClick={onOpenPalette}
        data-tour="palette"
        className="mr-2 hidden h-9 w-64 items-center gap-2.5 rounded-md border border-line bg-bg px-3 text-sm text-ink-2 hover:border-edge sm:flex"
      >
        <Search aria-hidden className="size-4" />
        <span className="flex-1 text-left">{t('palette.open')}</span>
        <Kbd keys={['mod', 'K']} />
      </button>
      <IconButton icon={Search} label={t('palette.open')} onClick={onOpenPalette} className="sm:hidden" />
      <NoticeBell />
      <span data-tour="look" className="flex items-center gap-1">
        <Menu trigger={<IconButton icon={Languages} label={t('language.label')} />}>
          <MenuChoice
            label={t('language.label')}
            value={language}
            options={languages.map((value) => ({ value, label: languageNames[value], lang: value }))}
            onChange={(value) => void chooseLanguage(value)}
          />
        </Menu>
        <Menu trigger={<IconButton icon={themeIcons[theme]} label={t('theme.label')} />}>
          <MenuChoice
            label={t('theme.label')}
            value={theme}
            options={themes.map((value) => ({ value, label: t(themeLabels[value]) }))}
            onChange={chooseTheme}
          />
        </Menu>
      </span>
      <span className="relative flex">
        <Menu trigger={<IconButton icon={CircleUserRound} label={t('user.menu')} />}>
          <div className="max-w-64 px-2.5 pt-1.5 pb-2">
            <p className="truncate text-sm font-semibold">{me.user.name}</p>
            <p className="truncate text-sm text-ink-3">{me.user.email}</p>
          </div>
          <MenuRule />
          {person.map(({ Menu: Part }, at) => (
            <Part key={at} />
          ))}
          <MenuItem icon={UserRoundCog} onSelect={() => void navigate({ to: '/account' })}>
            {t('profile.title')}
          </MenuItem>
          <MenuItem icon={Keyboard} onSelect={onOpenShortcuts}>
            {t('shortcuts.title')}
          </MenuItem>
          <MenuItem icon={Route} onSelect={() => tourOpen.set(true)}>
            {t('tour.take')}
          </MenuItem>
          {import.meta.env.DEV && (
            <MenuItem icon={SwatchBook} onSelect={() => void navigate({ to: '/design' })}>
              {t('design.title')}
            </MenuItem>
          )}
          <MenuRule />
          <MenuItem icon={LogOut} onSelect={signOut}>
            {t('user.signOut')}
          </MenuItem>
        </Menu>
        {person.map(({ Mark }, at) => (
          <Mark key={at} agentId={me.membership.id} className="pointer-events-none absolute right-1 bottom-1 rounded-full ring-2 ring-surface" />
        ))}
      </span>
    </header>
  )
}
