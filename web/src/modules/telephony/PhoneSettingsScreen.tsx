import { lazy, Suspense, useState } from 'react'
import { fieldText } from '@/api/message'
import { meets, useMe } from '@/api/session'
import { useI18n } from '@/i18n'
import { HoursFields } from '@/modules/channels/HoursFields'
import { Button } from '@/ui/Button'
import { Card } from '@/ui/Card'
import { FailureText } from '@/ui/FailureText'
import { Checkbox, Field, Input, Select } from '@/ui/Field'
import { Notice } from '@/ui/Notice'
import { PageHeader } from '@/ui/PageHeader'
import { QueryState } from '@/ui/QueryState'
import { toast } from '@/ui/Toast'
import { MenuFields } from './MenuFields'
import { usePhoneSettings, useSavePhoneSettings, type PhoneSettings } from './phoneSettings'

const HolidayFields = lazy(() => import('./HolidayFields').then((m) => ({ default: m.HolidayFields })))

/** The workspace's telephone settings: hours, menu, ringing, recording, voicemail and limits. */
export function PhoneSettingsScreen() {
  const { t } = useI18n()
  const query = usePhoneSettings()
  return (
    <>
      <PageHeader title={t('phoneSettings.title')} lead={t('phoneSettings.lead')} />
      <QueryState isPending={query.isPending} error={query.error} isEmpty={false} empty={null} retry={() => void query.refetch()}>
        {query.data && <SettingsForm stored={query.data} />}
      </QueryState>
    </>
  )
}

function SettingsForm({ stored }: { stored: PhoneSettings }) {
  const { t } = useI18n()
  const canManage = meets(useMe(), { permission: 'crm.telephony.manage' })
  const [draft, setDraft] = useState(stored)
  const save = useSavePhoneSettings()
  const change = (part: Partial<PhoneSettings>) => setDraft({ ...draft, ...part })
  const { hours, recording, voicemail, caps } = draft
  const number = (value: number, label: string, path: string, set: (value: number) => void) => (
    <Field label={label} error={fieldText(save.error, path)}>
      <Input type="number" inputMode="numeric" required value={Number.isNaN(value) ? '' : value} onChange={(event) => set(event.target.valueAsNumber)} />
    </Field>
  )
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        save.mutate(draft, { onSuccess: () => toast('ok', t('phoneSettings.saved')) })
      }}
    >
      <fieldset disabled={!canManage} className="flex flex-col gap-4">
        <Card title={t('phoneSettings.ringing')}>
          <div className="grid gap-4 sm:grid-cols-3">
            <Field label={t('phoneSettings.strategy')}>
              <Select value={draft.ring_strategy} onChange={(event) => change({ ring_strategy: event.target.value as PhoneSettings['ring_strategy'] })}>
                <option value="all">{t('phoneSettings.strategy.all')}</option>
                <option value="round_robin">{t('phoneSettings.strategy.turns')}</option>
              </Select>
            </Field>
            {number(draft.ring_seconds, t('phoneSettings.ringSeconds'), 'ring_seconds', (ring_seconds) => change({ ring_seconds }))}
            {number(draft.wrap_up_s, t('phoneSettings.wrapUp'), 'wrap_up_s', (wrap_up_s) => change({ wrap_up_s }))}
          </div>
        </Card>
        <Card title={t('phoneSettings.hours')}>
          <div className="flex flex-col gap-4">
            <HoursFields value={hours ?? null} onChange={(next) => change({ hours: next })} hint={t('phoneSettings.hoursHint')} zoneError={fieldText(save.error, 'hours.timezone')} spansError={fieldText(save.error, 'hours.spans')} />
            {hours && (
              <Suspense>
                <HolidayFields
                  value={hours.holidays ?? []}
                  onChange={(holidays) => change({ hours: { ...hours, holidays } })}
                  error={fieldText(save.error, 'hours.holidays', { invalid_date: 'holidays.invalid' }) ?? (fieldText(save.error, 'hours.holidays.date') && t('holidays.invalid'))}
                />
              </Suspense>
            )}
            <Field label={t('phoneSettings.closed')}>
              <Select value={draft.closed_action} onChange={(event) => change({ closed_action: event.target.value as PhoneSettings['closed_action'] })}>
                <option value="voicemail">{t('phoneSettings.closed.voicemail')}</option>
                <option value="hangup">{t('phoneSettings.closed.hangup')}</option>
              </Select>
            </Field>
          </div>
        </Card>
        <Card title={t('phoneSettings.menu')}>
          <MenuFields menus={draft.menus} onChange={(menus) => change({ menus })} error={save.error} />
        </Card>
        <Card title={t('phoneSettings.voicemail')}>
          <div className="flex flex-col gap-4">
            <Checkbox label={t('phoneSettings.voicemailOn')} checked={voicemail.enabled} onChange={(event) => change({ voicemail: { ...voicemail, enabled: event.target.checked } })} />
            {number(voicemail.max_s, t('phoneSettings.voicemailMax'), 'voicemail.max_s', (max_s) => change({ voicemail: { ...voicemail, max_s } }))}
            <Field label={t('phoneSettings.voicemailEmail')} hint={t('phoneSettings.voicemailEmailHint')} optional error={fieldText(save.error, 'voicemail.email', { invalid_email: 'phoneSettings.invalidEmail' })}>
              <Input type="email" autoComplete="off" maxLength={254} value={voicemail.email} onChange={(event) => change({ voicemail: { ...voicemail, email: event.target.value } })} />
            </Field>
          </div>
        </Card>
        <Card title={t('phoneSettings.recording')}>
          <div className="flex flex-col gap-4">
            <Field label={t('phoneSettings.record')}>
              <Select value={recording.mode} onChange={(event) => change({ recording: { ...recording, mode: event.target.value as PhoneSettings['recording']['mode'] } })}>
                <option value="off">{t('phoneSettings.record.off')}</option>
                <option value="inbound">{t('phoneSettings.record.inbound')}</option>
                <option value="outbound">{t('phoneSettings.record.outbound')}</option>
                <option value="all">{t('phoneSettings.record.all')}</option>
              </Select>
            </Field>
            <Checkbox label={t('phoneSettings.notice')} detail={t('phoneSettings.noticeHint')} checked={recording.notice} onChange={(event) => change({ recording: { ...recording, notice: event.target.checked } })} />
            {number(recording.retention_days, t('phoneSettings.retention'), 'recording.retention_days', (retention_days) => change({ recording: { ...recording, retention_days } }))}
          </div>
        </Card>
        <Card title={t('phoneSettings.caps')}>
          <div className="grid gap-4 sm:grid-cols-2">
            <Field label={t('phoneSettings.countries')} hint={t('phoneSettings.countriesHint')} optional error={fieldText(save.error, 'caps.countries', { invalid_calling_code: 'phoneSettings.invalidCountry' })}>
              <Input
                inputMode="numeric"
                autoComplete="off"
                defaultValue={caps.countries.join(', ')}
                onChange={(event) => change({ caps: { ...caps, countries: event.target.value.split(/[\s,]+/).filter(Boolean) } })}
              />
            </Field>
            {number(caps.daily, t('phoneSettings.daily'), 'caps.daily', (daily) => change({ caps: { ...caps, daily } }))}
            {number(caps.concurrent, t('phoneSettings.concurrent'), 'caps.concurrent', (concurrent) => change({ caps: { ...caps, concurrent } }))}
            {number(caps.max_minutes, t('phoneSettings.maxMinutes'), 'caps.max_minutes', (max_minutes) => change({ caps: { ...caps, max_minutes } }))}
          </div>
        </Card>
        {save.error && (
          <Notice tone="danger">
            <FailureText error={save.error} />
          </Notice>
        )}
        {canManage && (
          <div>
            <Button look="primary" type="submit" busy={save.isPending}>
              {t('common.save')}
            </Button>
          </div>
        )}
      </fieldset>
    </form>
  )
}
