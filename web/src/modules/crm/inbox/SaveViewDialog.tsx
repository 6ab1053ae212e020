import { fieldText } from '@/api/message'
import { meets, useMe } from '@/api/session'
import { useI18n } from '@/i18n'
import { textOf } from '@/lib/form'
import { Checkbox, Field, Input } from '@/ui/Field'
import { FormDialog } from '@/ui/FormLayer'
import { FilterFields, readFilters } from './FilterFields'
import { useSaveView, type SavedView, type ViewFilter } from './savedViews'
import { filtersIn, withFilters } from './viewFilters'

interface SaveViewDialogProps {
  /** The list's current filters, to be saved under a name; or a saved view to change. */
  what: ViewFilter | SavedView
  onClose: () => void
  onSaved: (id: string) => void
}

/** Saves a view under a name, or changes one: its name, its filters and who sees it. */
export function SaveViewDialog({ what, onClose, onSaved }: SaveViewDialogProps) {
  const { t } = useI18n()
  const mayShare = meets(useMe(), { permission: 'crm.views.manage' })
  const save = useSaveView()
  const view = 'filter' in what ? what : null

  function submit(data: FormData) {
    const filter = 'filter' in what ? withFilters(what.filter, readFilters(data)) : what
    save.mutate({ id: view?.id, body: { name: textOf(data, 'name'), shared: data.get('shared') !== null, filter } }, { onSuccess: ({ id }) => onSaved(id) })
  }

  return (
    <FormDialog
      title={view ? t('views.change') : t('views.save')}
      description={view ? undefined : t('views.saveLead')}
      busy={save.isPending}
      error={save.error}
      fields={['name']}
      onSubmit={submit}
      onClose={onClose}
    >
      <Field label={t('views.name')} error={fieldText(save.error, 'name')}>
        <Input name="name" maxLength={80} autoComplete="off" required defaultValue={view?.name} />
      </Field>
      {view && <FilterFields start={filtersIn(view.filter)} />}
      {mayShare && <Checkbox name="shared" label={t('views.shared')} detail={t('views.sharedHint')} defaultChecked={view?.shared} />}
    </FormDialog>
  )
}
