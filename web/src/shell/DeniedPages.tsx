import { KeyRound, Lock } from 'lucide-react'
import { useI18n } from '@/i18n'
import { Code } from '@/ui/Badge'
import { EmptyState } from '@/ui/EmptyState'
import { PageHeader } from '@/ui/PageHeader'
import { HomeLink, Standing } from './ErrorPages'

export function ForbiddenPage({ permission }: { permission: string }) {
  const { t } = useI18n()
  return (
    <Standing>
      <PageHeader title={t('errors.forbidden.title')} />
      <EmptyState icon={Lock} title={t('errors.forbidden.lead')} action={<HomeLink />}>
        <p>{t('errors.forbidden.text')}</p>
        <p className="mt-3">
          <Code>{permission}</Code>
        </p>
      </EmptyState>
    </Standing>
  )
}

export function UnlicensedPage({ licence }: { licence: string }) {
  const { t } = useI18n()
  return (
    <Standing>
      <PageHeader title={t('errors.unlicensed.title')} />
      <EmptyState icon={KeyRound} title={t('errors.unlicensed.lead')} action={<HomeLink />}>
        <p>{t('errors.unlicensed.text')}</p>
        <p className="mt-3">
          <Code>{licence}</Code>
        </p>
      </EmptyState>
    </Standing>
  )
}
