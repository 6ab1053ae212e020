import { useState, type FormEvent } from 'react'
import { errorText, fieldText, isAboutFields } from '@/api/message'
import { useI18n } from '@/i18n'
import { Button } from '@/ui/Button'
import { Card } from '@/ui/Card'
import { Checkbox, Field, Input } from '@/ui/Field'
import { Notice } from '@/ui/Notice'
import { SkeletonRows } from '@/ui/Skeleton'
import { toast } from '@/ui/Toast'
import { readDays, useRules, useSaveRules, type Rules } from './rules'

/** Sets what happens to closed conversations, for the whole workspace. */
export function RulesForm({ canManage }: { canManage: boolean }) {
  const { t } = useI18n()
  const rules = useRules()
  return (
    <Card title={t('rules.closed')}>
      {rules.data ? <Fields rules={rules.data} canManage={canManage} /> : rules.error ? <Notice tone="danger">{errorText(rules.error)}</Notice> : <SkeletonRows rows={2} />}
    </Card>
  )
}

function Fields({ rules, canManage }: { rules: Rules; canManage: boolean }) {
  const { t } = useI18n()
  const save = useSaveRules()
  const [reopen, setReopen] = useState(rules.reopen)
  const [days, setDays] = useState(rules.reopen_days === null ? '' : String(rules.reopen_days))
  const [csat, setCsat] = useState(rules.csat ?? false)
  const [wrong, setWrong] = useState(false)

  function submit(event: FormEvent) {
    event.preventDefault()
    const reopenDays = readDays(days)
    setWrong(reopenDays === undefined)
    if (reopenDays === undefined) return
    save.mutate({ reopen, reopen_days: reopenDays, csat }, { onSuccess: () => toast('ok', t('rules.saved')) })
  }

  return (
    <form noValidate onSubmit={submit} className="flex flex-col items-start gap-4.5">
      {save.error && !isAboutFields(save.error, ['reopen_days']) && <Notice tone="danger">{errorText(save.error)}</Notice>}
      <Checkbox label={t('rules.reopen')} detail={t('rules.reopenHint')} checked={reopen} disabled={!canManage} onChange={(event) => setReopen(event.target.checked)} />
      {reopen && (
        <Field label={t('rules.days')} hint={t('rules.daysHint')} optional error={wrong ? t('rules.daysWrong') : fieldText(save.error, 'reopen_days')} className="max-w-96 pl-7">
          <Input inputMode="numeric" autoComplete="off" maxLength={4} disabled={!canManage} value={days} onChange={(event) => setDays(event.target.value)} className="max-w-32" />
        </Field>
      )}
      <Checkbox label={t('rules.csat')} detail={t('rules.csatHint')} checked={csat} disabled={!canManage} onChange={(event) => setCsat(event.target.checked)} />
      {canManage && (
        <Button look="primary" type="submit" busy={save.isPending}>
          {t('common.save')}
        </Button>
      )}
    </form>
  )
}
