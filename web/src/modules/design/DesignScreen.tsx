import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense } from 'react'
import { metaQuery } from '@/api/session'
import { useI18n, withTexts } from '@/i18n'
import { NotFoundPage } from '@/shell/ErrorPages'
import { PageHeader } from '@/ui/PageHeader'
import { Tabs } from '@/ui/Tabs'
import { Sample } from './Sample'

const ComponentSamples = lazy(() => withTexts(() => import('./ComponentSamples'), 'webhooks')().then((m) => ({ default: m.ComponentSamples })))
const DataSamples = lazy(() => import('./DataSamples').then((m) => ({ default: m.DataSamples })))
const LayerSamples = lazy(() => withTexts(() => import('./LayerSamples'), 'webhooks')().then((m) => ({ default: m.LayerSamples })))

const colours = [
  ['bg', 'surface', 'sunken', 'line', 'edge'],
  ['ink', 'ink-2', 'ink-3'],
  ['accent', 'accent-hover', 'accent-soft', 'accent-ink'],
  ['warm', 'warm-soft', 'warm-ink', 'on-warm'],
  ['danger', 'danger-soft', 'danger-ink', 'warn-soft', 'warn-ink', 'ok-soft', 'ok-ink'],
  ['nav', 'nav-hover', 'nav-active', 'nav-ink', 'nav-ink-2'],
] as const

const sizes = [
  { name: '28', className: 'text-2xl font-semibold' },
  { name: '22', className: 'text-xl font-semibold tracking-[-0.01em]' },
  { name: '17', className: 'text-lg font-semibold' },
  { name: '15', className: 'text-base' },
  { name: '14', className: 'text-sm' },
  { name: '12', className: 'text-xs text-ink-2' },
  { name: '12 mono', className: 'font-mono text-xs' },
] as const

/** For developers of the panel: available in development and in the demo. */
export function DesignScreen() {
  const { t } = useI18n()
  const meta = useQuery(metaQuery).data
  if (!import.meta.env.DEV && !meta?.demo) return meta && <NotFoundPage />
  return (
    <>
      <PageHeader title={t('design.title')} lead={t('design.lead')} />
      <Tabs
        label={t('design.title')}
        tabs={[
          { id: 'tokens', label: t('design.tokens'), content: <Tokens /> },
          { id: 'components', label: t('design.components'), content: <Suspense><ComponentSamples /></Suspense> },
          { id: 'data', label: t('design.data'), content: <Suspense><DataSamples /></Suspense> },
          { id: 'layers', label: t('design.layers'), content: <Suspense><LayerSamples /></Suspense> },
        ]}
      />
    </>
  )
}

function Tokens() {
  const { t } = useI18n()
  return (
    <>
      <Sample title="design.tokens">
        <p className="mb-4 max-w-[68ch] text-sm text-ink-2">{t('design.tokensLead')}</p>
        <div className="flex flex-col gap-3">
          {colours.map((row) => (
            <ul key={row[0]} className="grid grid-cols-2 gap-3 sm:grid-cols-4 lg:grid-cols-7">
              {row.map((name) => (
                <li key={name}>
                  <span
                    aria-hidden
                    className="block h-14 rounded-md border border-line"
                    style={{ background: `var(--k-${name})` }}
                  />
                  <span className="mt-1 block font-mono text-xs text-ink-2">{name}</span>
                </li>
              ))}
            </ul>
          ))}
        </div>
      </Sample>
      <Sample title="design.type">
        <dl className="flex flex-col gap-3">
          {sizes.map((size) => (
            <div key={size.name} className="grid items-baseline gap-x-6 sm:grid-cols-[6rem_1fr]">
              <dt className="font-mono text-xs text-ink-3">{size.name}</dt>
              <dd className={size.className}>{t('design.typeSample')}</dd>
            </div>
          ))}
        </dl>
      </Sample>
    </>
  )
}
