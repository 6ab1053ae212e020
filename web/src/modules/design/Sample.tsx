import type { ReactNode } from 'react'
import { useI18n, type PlainKey } from '@/i18n'

export function Sample({ title, children }: { title: PlainKey; children: ReactNode }) {
  const { t } = useI18n()
  return (
    <section className="mb-8">
      <h2 className="mb-3 font-semibold">{t(title)}</h2>
      {children}
    </section>
  )
}
