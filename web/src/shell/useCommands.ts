import { useNavigate } from '@tanstack/react-router'
import { Keyboard, Languages, LogOut, Moon, Route, Sun, SwatchBook, UserRoundCog, Zap } from 'lucide-react'
import { chooseLanguage, useI18n } from '@/i18n'
import { useStore } from '@/lib/store'
import { chooseTheme } from '@/lib/theme'
import type { Command } from './command'
import { activeShortcuts, groupOf } from './shortcuts'
import { useSignOut } from './signOut'
import { tourOpen } from './tourState'
import { useEntries } from './useEntries'

/**
 * Returns what the palette offers before a search: the open screen's shortcuts, all screens, and
 * the shell's own commands.
 */
export function useCommands(openShortcuts: () => void): Command[] {
  const { t, language } = useI18n()
  const entries = useEntries()
  const navigate = useNavigate()
  const signOut = useSignOut()
  const other = language === 'tr' ? 'en' : 'tr'
  const settings = t('palette.settings')
  // The open screen's shortcuts can also be run by name.
  const here = useStore(activeShortcuts).filter((shortcut) => groupOf(shortcut) === 'screen')
  return [
    ...here.map((shortcut) => ({
      id: `key-${shortcut.keys}`,
      group: t('shortcuts.screen'),
      label: t(shortcut.label),
      icon: Zap,
      shortcut: shortcut.keys,
      run: shortcut.run,
    })),
    ...entries.map((entry) => ({
      id: entry.path.replaceAll('/', '-'),
      group: entry.settings ? settings : t('palette.screens'),
      label: t(entry.title),
      icon: entry.icon,
      shortcut: entry.shortcut,
      run: () => void navigate({ to: entry.path }),
    })),
    { id: 'light', group: settings, label: t('palette.light'), icon: Sun, run: () => chooseTheme('light') },
    { id: 'dark', group: settings, label: t('palette.dark'), icon: Moon, run: () => chooseTheme('dark') },
    { id: 'language', group: settings, label: t('palette.language'), icon: Languages, run: () => void chooseLanguage(other) },
    { id: 'shortcuts', group: settings, label: t('shortcuts.title'), icon: Keyboard, shortcut: '?', run: openShortcuts },
    { id: 'account', group: settings, label: t('profile.title'), icon: UserRoundCog, run: () => void navigate({ to: '/account' }) },
    { id: 'tour', group: settings, label: t('tour.take'), icon: Route, run: () => tourOpen.set(true) },
    ...(import.meta.env.DEV
      ? [{ id: 'design', group: settings, label: t('design.title'), icon: SwatchBook, run: () => void navigate({ to: '/design' }) }]
      : []),
    { id: 'sign-out', group: settings, label: t('user.signOut'), icon: LogOut, run: signOut },
  ]
}
