import type { LucideIcon, LucideProps } from 'lucide-react'
import { lazy, Suspense } from 'react'
import type * as icons from './settingsIconSet'

/** The icon of an entry of the settings. Every page loads the table of modules, so these come when one is first drawn. */
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
