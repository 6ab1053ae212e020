import { useI18n } from '@/i18n'
import { Select } from '@/ui/Select'
import type { Delivery, DeliveryFilter } from './source'
import { deliveryLooks } from './webhooks'

interface DeliveryFilterBarProps {
  filter: DeliveryFilter
  /** The event names to choose from. */
  events: readonly string[]
  onChange: (filter: DeliveryFilter) => void
}

const statuses = Object.keys(deliveryLooks) as Delivery['status'][]

/** Filters the listed deliveries by status, by event, or by both. */
export function DeliveryFilterBar({ filter, events, onChange }: DeliveryFilterBarProps) {
  const { t } = useI18n()
  return (
    <div role="group" aria-label={t('deliveries.filter')} className="grid w-full grid-cols-2 gap-2 sm:flex sm:w-auto sm:*:w-auto">
      <Select
        aria-label={t('common.status')}
        value={filter.status ?? ''}
        onChange={(event) => onChange({ ...filter, status: statuses.find((status) => status === event.target.value) })}
      >
        <option value="">{t('deliveries.allStatuses')}</option>
        {statuses.map((status) => (
          <option key={status} value={status}>
            {t(deliveryLooks[status].label)}
          </option>
        ))}
      </Select>
      <Select
        aria-label={t('deliveries.event')}
        value={filter.event_type ?? ''}
        onChange={(event) => onChange({ ...filter, event_type: event.target.value || undefined })}
      >
        <option value="">{t('deliveries.allEvents')}</option>
        {events.map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </Select>
    </div>
  )
}
