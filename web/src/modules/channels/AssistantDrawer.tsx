import { useState } from 'react'
import { errorText, fieldText } from '@/api/message'
import { meets, useMe } from '@/api/session'
import { formatNumber, useI18n } from '@/i18n'
import { textOf } from '@/lib/form'
import { Badge } from '@/ui/Badge'
import { Button } from '@/ui/Button'
import { Checkbox, Field, Input, Textarea } from '@/ui/Field'
import { FormDrawer } from '@/ui/FormLayer'
import { Select } from '@/ui/Select'
import { toast } from '@/ui/Toast'
import { useAddConfiguration, useConfigurations, useSetAssistant, useTry, type Configuration } from './assistant'
import type { Account } from './channels'

const added = 'new'

/** Whether the assistant answers on a channel, how it behaves there, and a question to try. */
export function AssistantDrawer({ account, onClose }: { account: Account; onClose: () => void }) {
  const { t } = useI18n()
  const canAdd = meets(useMe(), { permission: 'crm.assistant.manage' })
  const list = useConfigurations().data ?? []
  const add = useAddConfiguration()
  const set = useSetAssistant(account.id)
  const [chosen, setChosen] = useState(account.ai_configuration_id ?? '')

  async function save(data: FormData) {
    let configuration = chosen
    if (chosen === added) {
      const made = await add.mutateAsync({
        name: textOf(data, 'name'),
        active: textOf(data, 'active') as Configuration['active'],
        delay_s: Number(textOf(data, 'delay')),
        max_answers: Number(textOf(data, 'answers')),
      })
      configuration = made.id
      setChosen(made.id)
    }
    await set.mutateAsync({ enabled: data.has('enabled'), configuration })
    toast('ok', t('channels.saved'))
    onClose()
  }

  return (
    <FormDrawer
      title={t('channels.assistant.title', { name: account.name })}
      description={t('channels.assistant.lead')}
      busy={add.isPending || set.isPending}
      error={add.error ?? set.error}
      fields={['name', 'delay_s', 'max_answers']}
      // What is refused is shown by the form.
      onSubmit={(data) => void save(data).catch(() => undefined)}
      onClose={onClose}
      after={<Trial />}
    >
      <Checkbox name="enabled" label={t('channels.assistant.enabled')} detail={t('channels.assistant.enabledHint')} defaultChecked={account.ai} />
      <Field label={t('channels.assistant.configuration')}>
        <Select value={chosen} onChange={(event) => setChosen(event.currentTarget.value)}>
          <option value="">{t('channels.assistant.defaults')}</option>
          {list.map((one) => (
            <option key={one.id} value={one.id}>
              {one.name}
            </option>
          ))}
          {canAdd && <option value={added}>{t('channels.assistant.add')}</option>}
        </Select>
      </Field>
      {chosen === added && (
        <>
          <Field label={t('channels.name')} error={fieldText(add.error, 'name', { taken: 'channels.assistant.taken' })}>
            <Input name="name" autoComplete="off" maxLength={100} />
          </Field>
          <Field label={t('channels.assistant.active')}>
            <Select name="active" defaultValue="always">
              <option value="always">{t('channels.assistant.always')}</option>
              <option value="outside_hours">{t('channels.assistant.outside')}</option>
              <option value="during_hours">{t('channels.assistant.during')}</option>
            </Select>
          </Field>
          <Field label={t('channels.assistant.delay')} error={fieldText(add.error, 'delay_s')}>
            <Input name="delay" type="number" min={0} max={60} defaultValue={2} />
          </Field>
          <Field label={t('channels.assistant.answers')} error={fieldText(add.error, 'max_answers')}>
            <Input name="answers" type="number" min={1} max={20} defaultValue={5} />
          </Field>
        </>
      )}
    </FormDrawer>
  )
}

/** Tries a question: what the assistant would answer, and what it found. */
function Trial() {
  const { t } = useI18n()
  const attempt = useTry()
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
