import { errorText, fieldText } from '@/api/message'
import { meets, useMe } from '@/api/session'
import { useI18n } from '@/i18n'
import { textOf } from '@/lib/form'
import { Button } from '@/ui/Button'
import { Card } from '@/ui/Card'
import { Checkbox, Field, Textarea } from '@/ui/Field'
import { PageHeader } from '@/ui/PageHeader'
import { QueryState } from '@/ui/QueryState'
import { toast } from '@/ui/Toast'
import { useMailSettings, useRequire2FA, useSaveAllowlist } from './settings'

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
