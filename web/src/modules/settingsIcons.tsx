import type { LucideIcon, LucideProps } from 'lucide-react'
import { lazy, Suspense } from 'react'
import type * as icons from './settingsIconSet'

/**
 * Returns the icon of a settings entry. Every page loads the table of modules, so the icons are
 * loaded when one is first drawn.
 */
export function settingsIcon(name: keyof typeof icons): LucideIcon {
  const Icon = lazy(() => import('./settingsIconSet').then((set) => ({ default: set[name] })))
  function SettingsIcon(props: Omit<LucideProps, 'ref'>) {
    return (
      <Suspense fallback={<svg aria-hidden className={props.className} />}>
        <Icon {...props} />
      </Suspense>
    )
  }
  return SettingsIcon as unknown as LucideIcon
}
