import { Link } from '@tanstack/react-router'
import { Circle, CircleCheck, CircleMinus } from 'lucide-react'
import { useState } from 'react'
import { errorText } from '@/api/message'
import { meets, useMe } from '@/api/session'
import { formatDateTime, useI18n } from '@/i18n'
import { Badge } from '@/ui/Badge'
import { Button } from '@/ui/Button'
import { Notice } from '@/ui/Notice'
import { PageHeader } from '@/ui/PageHeader'
import { QueryState } from '@/ui/QueryState'
import { toast } from '@/ui/Toast'
import { ApplySetupDialog } from './ApplySetupDialog'
import { stepTexts, useCompleteSetup, useDismissSetup, useMarkStep, useSetup, type SetupStep } from './setup'

const signs = { done: CircleCheck, skipped: CircleMinus, pending: Circle }
const words = { done: 'mailSetup.status.done', skipped: 'mailSetup.status.skipped', pending: 'mailSetup.status.pending' } as const

/** The screens on which an open step is completed. */
const places: Partial<Record<SetupStep['key'], '/mail/domains' | '/mail/addresses' | '/mail/dlp/rules'>> = {
  domain: '/mail/domains',
  ownership: '/mail/domains',
  mx: '/mail/domains',
  auth_records: '/mail/domains',
  mailboxes: '/mail/addresses',
  policies: '/mail/dlp/rules',
}

export function MailSetupScreen() {
  const { t } = useI18n()
  const query = useSetup()
  const complete = useCompleteSetup()
  const dismiss = useDismissSetup()
  const me = useMe()
  const canManage = meets(me, { permission: 'mail.settings.manage' })
  const canApply = canManage && meets(me, { permission: 'mail.domains.manage' }) && meets(me, { permission: 'mail.mailboxes.manage' })
  const [applying, setApplying] = useState(false)
  const [shown, setShown] = useState(false)
  const setup = query.data
  const open = setup?.steps.some((step) => step.required && step.status !== 'done') ?? true
  const hidden = setup?.dismissed && !shown
  const onError = (error: unknown) => toast('danger', t('mailSettings.failed'), errorText(error))
  return (
    <>
      <PageHeader
        title={t('mailSetup.title')}
        lead={t('mailSetup.lead')}
        actions={
          canManage &&
          setup &&
          !hidden && (
            <>
              {!setup.dismissed && (
                <Button look="ghost" busy={dismiss.isPending} onClick={() => dismiss.mutate(undefined, { onError })}>
                  {t('mailSetup.dismiss')}
                </Button>
              )}
              {canApply && <Button onClick={() => setApplying(true)}>{t('mailSetup.apply')}</Button>}
              {!setup.completed_at && (
                <Button look="primary" busy={complete.isPending} disabled={open} onClick={() => complete.mutate(undefined, { onError })}>
                  {t('mailSetup.complete')}
                </Button>
              )}
            </>
          )
        }
      />
      <QueryState isPending={query.isPending} error={query.error} retry={() => void query.refetch()} isEmpty={!setup} empty={null}>
        {setup && (
          <>
            {setup.completed_at && (
              <Notice tone="ok" className="mb-4">
                {t('mailSetup.completed', { at: formatDateTime(setup.completed_at) })}
              </Notice>
            )}
            {hidden ? (
              <Notice tone="info" action={<Button onClick={() => setShown(true)}>{t('mailSetup.show')}</Button>}>
                {t('mailSetup.dismissed')}
              </Notice>
            ) : (
              <ol aria-label={t('mailSetup.title')} className="divide-y divide-line rounded-lg border border-line bg-surface shadow-1">
                {setup.steps.map((step) => (
                  <StepRow key={step.key} step={step} canManage={canManage} />
                ))}
              </ol>
            )}
          </>
        )}
      </QueryState>
      {applying && <ApplySetupDialog onClose={() => setApplying(false)} />}
    </>
  )
}

function StepRow({ step, canManage }: { step: SetupStep; canManage: boolean }) {
  const { t } = useI18n()
  const mark = useMarkStep()
  const Sign = signs[step.status]
  const place = places[step.key]
  const title = t(stepTexts[step.key].title)
  const set = (status: SetupStep['status']) =>
    mark.mutate({ step: step.key, status }, { onError: (error) => toast('danger', t('mailSettings.failed'), errorText(error)) })
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-3.5">
      <Sign aria-hidden className={step.status === 'done' ? 'size-5 shrink-0 text-ok-ink' : 'size-5 shrink-0 text-ink-3'} />
      <div className="min-w-0 flex-1 basis-60">
        <h2 className="font-semibold">
          {title} {!step.required && <span className="text-sm font-normal text-ink-3">{t('common.optional')}</span>}
        </h2>
        <p className="text-sm text-ink-2">{t(stepTexts[step.key].text)}</p>
        {step.detail && <p className="text-sm break-all text-ink-3">{step.detail}</p>}
      </div>
      <Badge tone={step.status === 'done' ? 'ok' : 'neutral'}>{t(words[step.status])}</Badge>
      {place && step.status === 'pending' && (
        <Link to={place} aria-label={t('mailSetup.openStep', { step: title })} className="text-sm font-medium text-accent-ink hover:underline">
          {t('mailSetup.open')}
        </Link>
      )}
      {canManage && !step.required && step.status === 'pending' && (
        <>
          <Button size="sm" aria-label={t('mailSetup.doneStep', { step: title })} onClick={() => set('done')}>
            {t('mailSetup.done')}
          </Button>
          <Button size="sm" aria-label={t('mailSetup.skipStep', { step: title })} onClick={() => set('skipped')}>
            {t('mailSetup.skip')}
          </Button>
        </>
      )}
      {canManage && !step.required && step.status !== 'pending' && (
        <Button size="sm" aria-label={t('mailSetup.undoStep', { step: title })} onClick={() => set('pending')}>
          {t('mailSetup.undo')}
        </Button>
      )}
    </li>
  )
}
