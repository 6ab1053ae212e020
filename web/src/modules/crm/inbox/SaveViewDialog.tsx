import { useId, type FormEvent } from 'react'
import { errorText, fieldText, isAboutFields } from '@/api/message'
import { useI18n } from '@/i18n'
import { textOf, useFocusOnError } from '@/lib/form'
import { Button } from '@/ui/Button'
import { Dialog } from '@/ui/Dialog'
import { Checkbox, Field, Input } from '@/ui/Field'
import { Notice } from '@/ui/Notice'
import { useSaveView, type ViewFilter } from './savedViews'

interface SaveViewDialogProps {
  filter: ViewFilter
  onClose: () => void
  onSaved: (id: string) => void
}

export function SaveViewDialog({ filter, onClose, onSaved }: SaveViewDialogProps) {
  const { t } = useI18n()
  const formId = useId()
  const save = useSaveView()
  const form = useFocusOnError(save.error)

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const data = new FormData(event.currentTarget)
    save.mutate({ name: textOf(data, 'name'), shared: data.get('shared') !== null, filter }, { onSuccess: (view) => onSaved(view.id) })
  }

  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={t('views.save')}
      description={t('views.saveLead')}
      footer={
        <>
          <Button onClick={onClose}>{t('common.cancel')}</Button>
          <Button look="primary" type="submit" form={formId} busy={save.isPending}>
            {t('common.save')}
          </Button>
        </>
      }
    >
      {save.error && !isAboutFields(save.error, ['name']) && (
        <Notice tone="danger" className="mb-4">
          {errorText(save.error)}
        </Notice>
      )}
      <form id={formId} ref={form} onSubmit={submit} noValidate className="flex flex-col gap-4">
        <Field label={t('views.name')} error={fieldText(save.error, 'name')}>
          <Input name="name" maxLength={80} autoComplete="off" required />
        </Field>
        <Checkbox name="shared" label={t('views.shared')} detail={t('views.sharedHint')} />
      </form>
    </Dialog>
  )
}
