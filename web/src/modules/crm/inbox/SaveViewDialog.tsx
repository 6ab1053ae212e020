import { fieldText } from '@/api/message'
import { useI18n } from '@/i18n'
import { textOf } from '@/lib/form'
import { Checkbox, Field, Input } from '@/ui/Field'
import { FormDialog } from '@/ui/FormLayer'
import { useSaveView, type ViewFilter } from './savedViews'

interface SaveViewDialogProps {
  filter: ViewFilter
  onClose: () => void
  onSaved: (id: string) => void
}

export function SaveViewDialog({ filter, onClose, onSaved }: SaveViewDialogProps) {
  const { t } = useI18n()
  const save = useSaveView()

  function submit(data: FormData) {
    save.mutate({ name: textOf(data, 'name'), shared: data.get('shared') !== null, filter }, { onSuccess: (view) => onSaved(view.id) })
  }

  return (
    <FormDialog
      title={t('views.save')}
      description={t('views.saveLead')}
      busy={save.isPending}
      error={save.error}
      fields={['name']}
      onSubmit={submit}
      onClose={onClose}
    >
      <Field label={t('views.name')} error={fieldText(save.error, 'name')}>
        <Input name="name" maxLength={80} autoComplete="off" required />
      </Field>
      <Checkbox name="shared" label={t('views.shared')} detail={t('views.sharedHint')} />
    </FormDialog>
  )
}
