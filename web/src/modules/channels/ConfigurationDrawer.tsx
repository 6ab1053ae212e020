import { useState } from 'react'
import type { Schemas } from '@/api/client'
import { fieldText } from '@/api/message'
import { meets, useMe } from '@/api/session'
import { useI18n, type PlainKey } from '@/i18n'
import { textOf } from '@/lib/form'
import { Checkbox, Field, Input } from '@/ui/Field'
import { FormDrawer } from '@/ui/FormLayer'
import { Select } from '@/ui/Select'
import { toast } from '@/ui/Toast'
import { useSaveConfiguration, type Configuration } from './assistant'

type Model = NonNullable<Configuration['model']>
type ModelInput = NonNullable<Schemas['AssistantInput']['model']>

/** The numeric settings of a language model, with the server's defaults. */
const numbers = [
  { name: 'daily_tokens', label: 'assistant.dailyTokens', most: 1_000_000_000, usual: 500_000, wrong: { too_small: 'assistant.tokensTooFew' } },
  { name: 'daily_seconds', label: 'assistant.dailySeconds', most: 86_400, usual: 3600, wrong: { too_small: 'assistant.secondsTooFew' } },
  { name: 'daily_money', label: 'assistant.dailyMoney', hint: 'assistant.dailyMoneyHint', most: 100_000_000, usual: 0, wrong: { too_small: 'assistant.moneyTooLittle', needs_prices: 'assistant.moneyNeedsPrices' } },
  { name: 'input_price', label: 'assistant.inputPrice', most: 1_000_000, usual: 0 },
  { name: 'output_price', label: 'assistant.outputPrice', most: 1_000_000, usual: 0 },
] as const satisfies { name: keyof Model & keyof ModelInput; label: PlainKey; hint?: PlainKey; most: number; usual: number; wrong?: Record<string, PlainKey> }[]

const fields = ['name', 'active', 'delay_s', 'max_answers', 'model.address', 'model.model', 'model.api_key', ...numbers.map(({ name }) => `model.${name}`)]

/** Reads the language model from the form. An empty key leaves the stored one unchanged. */
function modelOf(data: FormData): ModelInput {
  const key = textOf(data, 'api_key')
  return {
    address: textOf(data, 'address'),
    model: textOf(data, 'model'),
    ...(data.has('forget') ? { api_key: '' } : key && { api_key: key }),
    ...Object.fromEntries(numbers.map(({ name }) => [name, Number(textOf(data, name))])),
  }
}

/** A configuration of the assistant: when it answers, and its language model. */
export function ConfigurationDrawer({ configuration, onClose }: { configuration: Configuration | null; onClose: () => void }) {
  const { t } = useI18n()
  const save = useSaveConfiguration(configuration?.id)
  const hasCorpus = meets(useMe(), { licence: 'advisor' })
  const [engine, setEngine] = useState<string>(configuration?.engine ?? 'embedded')

  function submit(data: FormData) {
    save.mutate(
      {
        name: textOf(data, 'name'),
        active: textOf(data, 'active') as Configuration['active'],
        delay_s: Number(textOf(data, 'delay')),
        max_answers: Number(textOf(data, 'answers')),
        provisions: hasCorpus ? data.has('provisions') : (configuration?.provisions ?? false),
        ...(engine === 'language_model' && { model: modelOf(data) }),
      },
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
      title={configuration ? t('assistant.edit', { name: configuration.name }) : t('channels.assistant.add')}
      busy={save.isPending}
      error={save.error}
      fields={fields}
      onSubmit={submit}
      onClose={onClose}
    >
      <Field label={t('channels.name')} error={fieldText(save.error, 'name', { taken: 'channels.assistant.taken' })}>
        <Input name="name" autoComplete="off" maxLength={100} defaultValue={configuration?.name} />
      </Field>
      <Field label={t('channels.assistant.active')} error={fieldText(save.error, 'active', { channel_without_hours: 'channels.assistant.usedWithoutHours' })}>
        <Select name="active" defaultValue={configuration?.active ?? 'always'}>
          <option value="always">{t('channels.assistant.always')}</option>
          <option value="outside_hours">{t('channels.assistant.outside')}</option>
          <option value="during_hours">{t('channels.assistant.during')}</option>
        </Select>
      </Field>
      <Field label={t('channels.assistant.delay')} error={fieldText(save.error, 'delay_s')}>
        <Input name="delay" type="number" min={0} max={60} defaultValue={configuration?.delay_s ?? 2} />
      </Field>
      <Field label={t('channels.assistant.answers')} error={fieldText(save.error, 'max_answers')}>
        <Input name="answers" type="number" min={1} max={20} defaultValue={configuration?.max_answers ?? 5} />
      </Field>
      {hasCorpus && <Checkbox name="provisions" label={t('assistant.provisions')} detail={t('assistant.provisionsHint')} defaultChecked={configuration?.provisions} />}
      <Field label={t('assistant.engine')}>
        <Select value={engine} onChange={(event) => setEngine(event.currentTarget.value)}>
          <option value="embedded">{t('assistant.engine.embedded')}</option>
          <option value="language_model">{t('assistant.engine.model')}</option>
        </Select>
      </Field>
      {engine === 'language_model' && <ModelFields model={configuration?.model ?? null} error={save.error} />}
    </FormDrawer>
  )
}

/** The language model's address, its key, which is never shown, and its budgets. */
function ModelFields({ model, error }: { model: Model | null; error: unknown }) {
  const { t } = useI18n()
  const [forget, setForget] = useState(false)
  return (
    <>
      <Field label={t('assistant.address')} hint={t('assistant.addressHint')} error={fieldText(error, 'model.address', { inside_address: 'assistant.addressInside', query_in_address: 'assistant.addressQuery' })}>
        <Input name="address" type="url" autoComplete="off" maxLength={500} defaultValue={model?.address} />
      </Field>
      <Field label={t('assistant.model')} error={fieldText(error, 'model.model')}>
        <Input name="model" autoComplete="off" maxLength={200} defaultValue={model?.model} />
      </Field>
      {!forget && (
        <Field
          label={t('assistant.key')}
          optional
          hint={t(model?.has_key ? 'assistant.keyStored' : 'assistant.keyNew')}
          error={fieldText(error, 'model.api_key', { required: 'assistant.keyRequired', invalid_characters: 'assistant.keyCharacters' })}
        >
          <Input name="api_key" type="password" autoComplete="off" maxLength={500} />
        </Field>
      )}
      {model?.has_key && <Checkbox name="forget" label={t('assistant.keyForget')} checked={forget} onChange={(event) => setForget(event.target.checked)} />}
      {numbers.map((one) => (
        <Field key={one.name} label={t(one.label)} hint={'hint' in one ? t(one.hint) : undefined} error={fieldText(error, `model.${one.name}`, 'wrong' in one ? one.wrong : undefined)}>
          <Input name={one.name} type="number" min={0} max={one.most} defaultValue={model?.[one.name] ?? one.usual} />
        </Field>
      ))}
    </>
  )
}
