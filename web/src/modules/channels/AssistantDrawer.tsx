import { useState } from 'react'
import { errorText, fieldText } from '@/api/message'
import { formatNumber, useI18n } from '@/i18n'
import { Badge } from '@/ui/Badge'
import { Button } from '@/ui/Button'
import { Checkbox, Field, Textarea } from '@/ui/Field'
import { FormDrawer } from '@/ui/FormLayer'
import { Select } from '@/ui/Select'
import { toast } from '@/ui/Toast'
import { handoverText } from '../crm/handover'
import { leadOf, useConfigurations, useSetAssistant, useTry } from './assistant'
import type { Account } from './channels'

/** Whether the assistant answers on a channel, how it behaves there, and a trial question. */
export function AssistantDrawer({ account, onClose }: { account: Account; onClose: () => void }) {
  const { t } = useI18n()
  const list = useConfigurations().data ?? []
  const set = useSetAssistant(account.id)
  const [chosen, setChosen] = useState(account.ai_configuration_id ?? '')

  function save(data: FormData) {
    set.mutate(
      { enabled: data.has('enabled'), configuration: chosen },
      {
        onSuccess: () => {
          toast('ok', t('channels.saved'))
          onClose()
        },
      },
    )
  }

  return (
    <FormDrawer
      title={t('channels.assistant.title', { name: account.name })}
      description={t(leadOf(list, chosen))}
      busy={set.isPending}
      error={set.error}
      fields={['configuration_id']}
      onSubmit={save}
      onClose={onClose}
      after={<Trial configuration={chosen} />}
    >
      <Checkbox name="enabled" label={t('channels.assistant.enabled')} detail={t('channels.assistant.enabledHint')} defaultChecked={account.ai} />
      <Field label={t('channels.assistant.configuration')} error={fieldText(set.error, 'configuration_id', { channel_without_hours: 'channels.assistant.noHours' })}>
        <Select value={chosen} onChange={(event) => setChosen(event.currentTarget.value)}>
          <option value="">{t('channels.assistant.defaults')}</option>
          {list.map((one) => (
            <option key={one.id} value={one.id}>
              {one.name}
            </option>
          ))}
        </Select>
      </Field>
    </FormDrawer>
  )
}

/** Tries a question: shows what the assistant would answer and what it found. */
function Trial({ configuration }: { configuration: string }) {
  const { t } = useI18n()
  const attempt = useTry(configuration)
  const [question, setQuestion] = useState('')
  const found = attempt.data
  return (
    <section aria-labelledby="assistant-trial" className="mt-7 flex flex-col gap-3 border-t border-line pt-5 text-sm">
      <h3 id="assistant-trial" className="font-semibold">
        {t('channels.assistant.try')}
      </h3>
      <Field label={t('channels.assistant.question')} hint={t('channels.assistant.tryHint')}>
        <Textarea rows={2} maxLength={2000} value={question} onChange={(event) => setQuestion(event.target.value)} />
      </Field>
      <Button className="self-start" busy={attempt.isPending} disabled={question.trim() === ''} onClick={() => attempt.mutate(question.trim(), { onError: (error) => toast('danger', t('channels.failed'), errorText(error)) })}>
        {t('channels.assistant.ask')}
      </Button>
      {found && (
        <div role="status" className="flex flex-col gap-3">
          <p>
            <Badge tone={found.answered ? 'ok' : 'warn'}>{found.answered ? t('channels.assistant.answers.yes') : t('channels.assistant.answers.no')}</Badge>
          </p>
          {found.reason && <p className="text-ink-2">{t('ai.reason', { reason: handoverText(found.reason) })}</p>}
          <p className="rounded-md bg-sunken p-3 break-words whitespace-pre-line">{found.text}</p>
          {found.candidates.length > 0 && (
            <ul aria-label={t('channels.assistant.found')} className="flex flex-col gap-1 text-ink-2">
              {found.candidates.map((one) => (
                <li key={one.url}>
                  {t('channels.assistant.candidate', { title: one.title, confidence: formatNumber(Math.round(one.confidence * 100)), bound: formatNumber(Math.round(found.bound * 100)) })}
                </li>
              ))}
            </ul>
          )}
        </div>
      )}
    </section>
  )
}
