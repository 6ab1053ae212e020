import { errorText, fieldText } from '@/api/message'
import { meets, useMe } from '@/api/session'
import { useI18n } from '@/i18n'
import { textOf } from '@/lib/form'
import { Button } from '@/ui/Button'
import { Card } from '@/ui/Card'
import { Checkbox, Field, Input, Textarea } from '@/ui/Field'
import { PageHeader } from '@/ui/PageHeader'
import { QueryState } from '@/ui/QueryState'
import { toast } from '@/ui/Toast'
import { useMailSettings, useRequire2FA, useSaveAbuse, useSaveAllowlist, useSaveDefaults, useSaveDLP, useSaveJournaling, type MailSettings } from './settings'

export function MailSettingsScreen() {
  const { t } = useI18n()
  const query = useMailSettings()
  const canManage = meets(useMe(), { permission: 'mail.settings.manage' })
  return (
    <>
      <PageHeader title={t('mailSettings.title')} lead={t('mailSettings.lead')} />
      <QueryState isPending={query.isPending} error={query.error} retry={() => void query.refetch()} isEmpty={!query.data} empty={null}>
        {query.data && (
          <div className="flex max-w-180 flex-col gap-5">
            <AllowlistCard key={query.data.admin_ip_allowlist.cidrs.join()} cidrs={query.data.admin_ip_allowlist.cidrs} canManage={canManage} />
            <DefaultsCard key={JSON.stringify(query.data.defaults)} defaults={query.data.defaults} canManage={canManage} />
            <AbuseCard on={query.data.abuse.auto_suspend} canManage={canManage} />
            <MessagingCard on={query.data.dlp.messaging} />
            <JournalCard key={JSON.stringify(query.data.journaling)} journaling={query.data.journaling} canManage={canManage} />
            <TwoFactorCard required={query.data.require_2fa.required} canManage={canManage} />
          </div>
        )}
      </QueryState>
    </>
  )
}

function AllowlistCard({ cidrs, canManage }: { cidrs: string[]; canManage: boolean }) {
  const { t } = useI18n()
  const save = useSaveAllowlist()
  return (
    <Card title={t('mailSettings.allowlist.title')}>
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault()
          const lines = textOf(new FormData(event.currentTarget), 'cidrs').split(/[\s,]+/)
          save.mutate(lines.filter(Boolean), { onSuccess: () => toast('ok', t('mailSettings.saved')) })
        }}
      >
        <Field
          label={t('mailSettings.allowlist.label')}
          hint={t('mailSettings.allowlist.hint')}
          error={save.error == null ? null : (fieldText(save.error, 'cidrs', { invalid_address: 'mailSettings.allowlist.invalid' }) ?? errorText(save.error))}
        >
          <Textarea name="cidrs" rows={4} spellCheck={false} defaultValue={cidrs.join('\n')} disabled={!canManage} className="font-mono" />
        </Field>
        {canManage && (
          <div>
            <Button type="submit" look="primary" busy={save.isPending}>
              {t('common.save')}
            </Button>
          </div>
        )}
      </form>
    </Card>
  )
}

/** What a number field holds, null for nothing. */
function numberOf(data: FormData, name: string) {
  const text = textOf(data, name)
  return text === '' ? null : Number(text)
}

function DefaultsCard({ defaults, canManage }: { defaults: MailSettings['defaults']; canManage: boolean }) {
  const { t } = useI18n()
  const save = useSaveDefaults()
  return (
    <Card title={t('mailSettings.defaults.title')}>
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault()
          const data = new FormData(event.currentTarget)
          save.mutate(
            { default_quota_mb: numberOf(data, 'default_quota_mb'), min_password_length: numberOf(data, 'min_password_length') },
            { onSuccess: () => toast('ok', t('mailSettings.saved')) },
          )
        }}
      >
        <Field label={t('mailSettings.defaults.quota')} hint={t('mailSettings.defaults.quotaHint')} error={fieldText(save.error, 'default_quota_mb')} optional>
          <Input name="default_quota_mb" type="number" min={1} max={1048576} defaultValue={defaults.default_quota_mb ?? ''} disabled={!canManage} />
        </Field>
        <Field
          label={t('mailSettings.defaults.password')}
          hint={t('mailSettings.defaults.passwordHint')}
          error={fieldText(save.error, 'min_password_length')}
          optional
        >
          <Input name="min_password_length" type="number" min={8} max={128} defaultValue={defaults.min_password_length ?? ''} disabled={!canManage} />
        </Field>
        {canManage && (
          <div>
            <Button type="submit" look="primary" busy={save.isPending}>
              {t('mailSettings.defaults.save')}
            </Button>
          </div>
        )}
      </form>
    </Card>
  )
}

function AbuseCard({ on, canManage }: { on: boolean; canManage: boolean }) {
  const { t } = useI18n()
  const save = useSaveAbuse()
  return (
    <Card title={t('mailSettings.abuse.title')}>
      <Checkbox
        label={t('mailSettings.abuse.label')}
        detail={t('mailSettings.abuse.detail')}
        checked={on}
        disabled={!canManage || save.isPending}
        onChange={(event) =>
          save.mutate(event.target.checked, {
            onSuccess: () => toast('ok', t('mailSettings.saved')),
            onError: (error) => toast('danger', t('mailSettings.failed'), errorText(error)),
          })
        }
      />
    </Card>
  )
}

function MessagingCard({ on }: { on: boolean }) {
  const { t } = useI18n()
  const canManage = meets(useMe(), { permission: 'mail.dlp.manage' })
  const save = useSaveDLP()
  return (
    <Card title={t('mailSettings.messaging.title')}>
      <Checkbox
        label={t('mailSettings.messaging.label')}
        detail={t('mailSettings.messaging.detail')}
        checked={on}
        disabled={!canManage || save.isPending}
        onChange={(event) =>
          save.mutate(event.target.checked, {
            onSuccess: () => toast('ok', t('mailSettings.saved')),
            onError: (error) => toast('danger', t('mailSettings.failed'), errorText(error)),
          })
        }
      />
    </Card>
  )
}

function JournalCard({ journaling, canManage }: { journaling: MailSettings['journaling']; canManage: boolean }) {
  const { t } = useI18n()
  const save = useSaveJournaling()
  return (
    <Card title={t('mailSettings.journal.title')}>
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault()
          const data = new FormData(event.currentTarget)
          save.mutate(
            { enabled: data.has('enabled'), retention_days: numberOf(data, 'retention_days') ?? 0 },
            { onSuccess: () => toast('ok', t('mailSettings.saved')) },
          )
        }}
      >
        <Checkbox name="enabled" label={t('mailSettings.journal.label')} detail={t('mailSettings.journal.detail')} defaultChecked={journaling.enabled} disabled={!canManage} />
        <Field label={t('mailSettings.journal.days')} hint={t('mailSettings.journal.daysHint')} error={fieldText(save.error, 'retention_days')}>
          <Input name="retention_days" type="number" min={1} max={36500} defaultValue={journaling.retention_days} disabled={!canManage} required />
        </Field>
        {canManage && (
          <div>
            <Button type="submit" look="primary" busy={save.isPending}>
              {t('mailSettings.journal.save')}
            </Button>
          </div>
        )}
      </form>
    </Card>
  )
}

function TwoFactorCard({ required, canManage }: { required: boolean; canManage: boolean }) {
  const { t } = useI18n()
  const save = useRequire2FA()
  return (
    <Card title={t('mailSettings.twoFactor.title')}>
      <Checkbox
        label={t('mailSettings.twoFactor.label')}
        detail={t('mailSettings.twoFactor.detail')}
        checked={required}
        disabled={!canManage || save.isPending}
        onChange={(event) =>
          save.mutate(event.target.checked, {
            onSuccess: () => toast('ok', t('mailSettings.saved')),
            onError: (error) => toast('danger', t('mailSettings.failed'), errorText(error)),
          })
        }
      />
    </Card>
  )
}
