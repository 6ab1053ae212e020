import { createStore } from './store'
import { recall, remember } from './storage'

export const themes = ['light', 'dark', 'system'] as const
export type Theme = (typeof themes)[number]

function isTheme(value: string | null): value is Theme {
  return themes.includes(value as Theme)
}

export const themeStore = createStore<Theme>('system')

function apply(): void {
  const choice = themeStore.get()
  const dark = choice === 'dark' || (choice === 'system' && matchMedia('(prefers-color-scheme: dark)').matches)
  document.documentElement.dataset.theme = dark ? 'dark' : 'light'
}

export function startTheme(): void {
  const saved = recall('theme')
  if (isTheme(saved)) themeStore.set(saved)
  apply()
  themeStore.subscribe(apply)
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', apply)
}

export function chooseTheme(theme: Theme): void {
  remember('theme', theme)
  themeStore.set(theme)
}
