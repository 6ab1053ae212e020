import { useI18n } from '@/i18n'
import { FormDialog } from '@/ui/FormLayer'
import { FilterFields, readFilters } from './FilterFields'
import type { FilterSearch } from './search'

interface FilterDialogProps {
  start: FilterSearch
  onClose: () => void
  onApply: (next: FilterSearch) => void
}

export function FilterDialog({ start, onClose, onApply }: FilterDialogProps) {
  const { t } = useI18n()
  return (
    <FormDialog title={t('inbox.filter')} action={t('filter.apply')} busy={false} error={null} fields={[]} onSubmit={(data) => onApply(readFilters(data))} onClose={onClose}>
      <FilterFields start={start} />
    </FormDialog>
  )
}
