import { errorText, fieldText } from '@/api/message'
import { meets, useMe } from '@/api/session'
import { useI18n, type PlainKey } from '@/i18n'
import { textOf } from '@/lib/form'
import { Button } from '@/ui/Button'
import { Card } from '@/ui/Card'
import { Checkbox, Field, Input, Textarea } from '@/ui/Field'
import { PageHeader } from '@/ui/PageHeader'
import { QueryState } from '@/ui/QueryState'
import { toast } from '@/ui/Toast'
import { useMailSettings, useRequire2FA, useSaveAbuse, useSaveAllowlist, useSaveDefaults, useSaveDLP, useSaveForwarding, useSaveJournaling, type MailSettings, type SaveList, type SaveSwitch } from './settings'

export function MailSettingsScreen() {
  const { t } = useI18n()
  const query = useMailSettings()
  const me = useMe()
  const canManage = meets(me, { permission: 'mail.settings.manage' })
  const [allowlist, forwarding] = [useSaveAllowlist(), useSaveForwarding()]
  const [abuse, messaging, twoFactor] = [useSaveAbuse(), useSaveDLP(), useRequire2FA()]
  return (
    <>
      <PageHeader title={t('mailSettings.title')} lead={t('mailSettings.lead')} />
      <QueryState isPending={query.isPending} error={query.error} retry={() => void query.refetch()} isEmpty={!query.data} empty={null}>
        {query.data && (
          <div className="flex max-w-180 flex-col gap-5">
            <ListCard name="allowlist" key={query.data.admin_ip_allowlist.cidrs.join()} list={query.data.admin_ip_allowlist.cidrs} field="cidrs" save={allowlist} canManage={canManage} />
            <ListCard name="forwarding" key={query.data.forwarding.allowed.join()} list={query.data.forwarding.allowed} field="allowed" save={forwarding} canManage={canManage} />
            <DefaultsCard key={JSON.stringify(query.data.defaults)} defaults={query.data.defaults} canManage={canManage} />
            <SwitchCard name="abuse" on={query.data.abuse.auto_suspend} save={abuse} canManage={canManage} />
            <SwitchCard name="messaging" on={query.data.dlp.messaging} save={messaging} canManage={meets(me, { permission: 'mail.dlp.manage' })} />
            <JournalCard key={JSON.stringify(query.data.journaling)} journaling={query.data.journaling} canManage={canManage} />
            <SwitchCard name="twoFactor" on={query.data.require_2fa.required} save={twoFactor} canManage={canManage} />
          </div>
        )}
      </QueryState>
    </>
  )
}

const lists = {
  allowlist: {
    title: 'mailSettings.allowlist.title', label: 'mailSettings.allowlist.label', hint: 'mailSettings.allowlist.hint',
    invalid: 'mailSettings.allowlist.invalid', save: 'mailSettings.allowlist.save',
  },
  forwarding: {
    title: 'mailSettings.forwarding.title', label: 'mailSettings.forwarding.label', hint: 'mailSettings.forwarding.hint',
    invalid: 'mailSettings.forwarding.invalid', save: 'mailSettings.forwarding.save',
  },
} as const satisfies Record<string, Record<string, PlainKey>>

/** A list setting, one entry per line. */
function ListCard({ name, list, field, save, canManage }: { name: keyof typeof lists; list: string[]; field: string; save: SaveList; canManage: boolean }) {
  const { t } = useI18n()
  const texts = lists[name]
  return (
    <Card title={t(texts.title)}>
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault()
          const lines = textOf(new FormData(event.currentTarget), field).split(/[\s,]+/)
          save.mutate(lines.filter(Boolean), { onSuccess: () => toast('ok', t('mailSettings.saved')) })
        }}
      >
        <Field
          label={t(texts.label)}
          hint={t(texts.hint)}
          error={save.error == null ? null : (fieldText(save.error, field, { invalid_address: texts.invalid }) ?? errorText(save.error))}
        >
          <Textarea name={field} rows={4} spellCheck={false} defaultValue={list.join('\n')} disabled={!canManage} className="font-mono" />
        </Field>
        {canManage && (
          <div>
            <Button type="submit" look="primary" busy={save.isPending}>
              {t(texts.save)}
            </Button>
          </div>
        )}
      </form>
    </Card>
  )
}

const switches = {
  abuse: { title: 'mailSettings.abuse.title', label: 'mailSettings.abuse.label', detail: 'mailSettings.abuse.detail' },
  messaging: { title: 'mailSettings.messaging.title', label: 'mailSettings.messaging.label', detail: 'mailSettings.messaging.detail' },
  twoFactor: { title: 'mailSettings.twoFactor.title', label: 'mailSettings.twoFactor.label', detail: 'mailSettings.twoFactor.detail' },
} as const satisfies Record<string, Record<string, PlainKey>>

/** An on/off setting, saved immediately. */
function SwitchCard({ name, on, save, canManage }: { name: keyof typeof switches; on: boolean; save: SaveSwitch; canManage: boolean }) {
  const { t } = useI18n()
  const texts = switches[name]
  return (
    <Card title={t(texts.title)}>
      <Checkbox
        label={t(texts.label)}
        detail={t(texts.detail)}
        checked={on}
        disabled={!canManage}
        busy={save.isPending}
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

/** Returns the value of a number field; null if it is empty. */
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
