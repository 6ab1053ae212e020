import { useI18n } from '@/i18n'
import { FormDialog } from '@/ui/FormLayer'
import { FilterFields, readFilters } from './FilterFields'
import type { ViewFilter } from './savedViews'
import type { FilterSearch } from './search'
import { filtersIn } from './viewFilters'

interface FilterDialogProps {
  search: FilterSearch
  /** The saved view that is filtered further, instead of the filters in the address bar. */
  view?: ViewFilter
  onClose: () => void
  onApply: (next: FilterSearch) => void
}

export function FilterDialog({ search, view, onClose, onApply }: FilterDialogProps) {
  const { t } = useI18n()
  return (
    <FormDialog title={t('inbox.filter')} action={t('filter.apply')} busy={false} error={null} fields={[]} onSubmit={(data) => onApply(readFilters(data))} onClose={onClose}>
      <FilterFields start={view ? filtersIn(view) : search} />
    </FormDialog>
  )
}
