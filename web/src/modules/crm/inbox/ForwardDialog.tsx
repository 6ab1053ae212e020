import { useId, type FormEvent } from 'react'
import { errorText, fieldText, isAboutFields } from '@/api/message'
import { useI18n } from '@/i18n'
import { textOf, useFocusOnError } from '@/lib/form'
import { Button } from '@/ui/Button'
import { Dialog } from '@/ui/Dialog'
import { Field, Input, Textarea } from '@/ui/Field'
import { Notice } from '@/ui/Notice'
import { toast } from '@/ui/Toast'
import { splitList } from '../contacts/splitList'
import { useForward } from './itemActions'
import type { LayerProps } from './ItemDialogs'

export function ForwardDialog({ item, onClose }: LayerProps) {
  const { t } = useI18n()
  const formId = useId()
  const forward = useForward(item)
  const { error } = forward
  const form = useFocusOnError(error)

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const data = new FormData(event.currentTarget)
    forward.mutate(
      { to: splitList(textOf(data, 'to')), note: textOf(data, 'note') },
      {
        onSuccess: ({ to }) => {
          toast('ok', t('forward.done', { to: to.join(', ') }))
          onClose()
        },
      },
    )
  }

  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={t('forward.title')}
      description={t('forward.text')}
      footer={
        <>
          <Button onClick={onClose}>{t('common.cancel')}</Button>
          <Button look="primary" type="submit" form={formId} busy={forward.isPending}>
            {t('forward.action')}
          </Button>
        </>
      }
    >
      <form id={formId} ref={form} onSubmit={submit} noValidate className="flex flex-col gap-5">
        {error && !isAboutFields(error, ['to', 'note']) && <Notice tone="danger">{errorText(error)}</Notice>}
        <Field label={t('forward.to')} hint={t('forward.toHint')} error={fieldText(error, 'to', { too_few: 'field.required' })}>
          <Input name="to" inputMode="email" autoComplete="off" spellCheck={false} />
        </Field>
        <Field label={t('forward.note')} optional error={fieldText(error, 'note')}>
          <Textarea name="note" rows={3} />
        </Field>
        <blockquote className="max-h-32 overflow-y-auto border-l-2 border-line pl-3 text-[13px] whitespace-pre-wrap text-ink-2">{item.body}</blockquote>
      </form>
    </Dialog>
  )
}
